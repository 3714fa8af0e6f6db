/** What differs between two trees of one object, node by node. */
import type { TreeNode } from './node.ts';

/** A node that appeared, changed or disappeared. */
export interface TreeChange {
  /** Kinds and names from below the root to the node; of the root, only itself. */
  readonly path: readonly string[];
  readonly before: TreeNode | undefined;
  readonly after: TreeNode | undefined;
}

/** Returns what a line says of a node besides kind and name. */
export const summaryOf = ({ state, facts }: TreeNode): string =>
  [state, ...facts.map(({ text }) => text)].filter((text) => text !== '').join(', ');

type Entries = Map<string, { readonly path: readonly string[]; readonly node: TreeNode }>;

function entriesOf(node: TreeNode, path: readonly string[], into: Entries): Entries {
  into.set(JSON.stringify(path), { path, node });
  for (const child of node.children) entriesOf(child, [...path.slice(1), `${child.kind} ${child.name}`], into);
  return into;
}

const startOf = (node: TreeNode): readonly string[] => ['', `${node.kind} ${node.name}`];

/** Returns the changes in the order of the newer tree, then what disappeared. A Pod that moves to another revision disappears and appears. */
export function treeChanges(before: TreeNode, after: TreeNode): readonly TreeChange[] {
  const [old, next] = [entriesOf(before, startOf(before), new Map()), entriesOf(after, startOf(after), new Map())];
  const changed = [...next].flatMap(([key, { path, node }]): readonly TreeChange[] => {
    const was = old.get(key)?.node;
    return was !== undefined && summaryOf(was) === summaryOf(node) ? [] : [{ path, before: was, after: node }];
  });
  const removed = [...old].filter(([key]) => !next.has(key)).map(([, { path, node }]) => ({ path, before: node, after: undefined }));
  return [...changed, ...removed];
}
