/** The example of README.md. */
import { explain, fitTree, summaryOf, treeOf, type Snapshot, type TreeNode } from './index.ts';

/** Returns the tree of an object as indented lines, and the cause when it makes no progress. */
export function report(snapshot: Snapshot): readonly string[] {
  const lines = (node: TreeNode, indent: string): readonly string[] => [
    `${indent}${node.kind} ${node.name}: ${summaryOf(node)}`,
    ...node.children.flatMap((child) => lines(child, `${indent}  `)),
  ];
  const verdict = explain(snapshot);
  const causes = verdict.kind === 'Stuck' ? verdict.causes.map(({ message, next }) => `${message}. ${next}`) : [];
  return [...lines(fitTree(treeOf(snapshot), 60), ''), ...causes];
}
