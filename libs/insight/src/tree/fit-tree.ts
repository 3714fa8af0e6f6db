/** Fewer lines for a large tree: first without containers, then with like objects as one line. */
import { linesOf, worstOf, type TreeNode } from './node.ts';

const withoutContainers = (node: TreeNode, all: boolean): TreeNode => ({
  ...node,
  children: node.children
    .filter((child) => child.kind !== 'Container' || (!all && node.health === 'Faulty'))
    .map((child) => withoutContainers(child, all)),
});

/** How many names of a group are shown. */
const shownNames = 3;

/** Facts that differ between Pods that are otherwise alike. */
const individual = new Set(['node', 'namespaces', 'pod']);

const likeness = ({ kind, health, state, facts, name }: TreeNode, coarse: boolean): string =>
  JSON.stringify([
    kind,
    health,
    state,
    kind === 'Revision' ? name : '',
    coarse ? '' : facts.filter((fact) => !individual.has(fact.name)).map(({ text }) => text),
  ]);

function groupOfNodes(nodes: readonly TreeNode[], coarse: boolean): TreeNode {
  const [first] = nodes;
  if (first === undefined || nodes.length === 1) return first as TreeNode;
  const names = nodes.slice(0, shownNames).map(({ name }) => name);
  return {
    kind: first.kind,
    name: nodes.length > shownNames ? `${names.join(', ')}, …` : names.join(', '),
    health: first.health,
    state: first.state,
    facts: coarse ? [] : first.facts.filter((fact) => !individual.has(fact.name)),
    children: [],
    count: nodes.reduce((sum, { count }) => sum + (count ?? 1), 0),
  };
}

/** Joins siblings that are alike. @param coarse also those with different facts, and those with children */
function grouped(node: TreeNode, coarse: boolean): TreeNode {
  const children = node.children.map((child) => grouped(child, coarse));
  const isAlone = (child: TreeNode): boolean =>
    child.kind === 'Container' || child.kind === 'Revision' || (!coarse && child.children.length > 0);
  // The key of what stays alone is itself, so that the order is that of the first of each group.
  const groups = Map.groupBy(children, (child) => (isAlone(child) ? child : likeness(child, coarse)));
  return { ...node, children: [...groups.values()].map((nodes) => groupOfNodes(nodes, coarse)) };
}

/** Keeps the first lines of each level. What is omitted is one node, with the number of objects. */
function shortened(node: TreeNode, lines: number): TreeNode {
  const kept: TreeNode[] = [];
  let left = lines - 1;
  for (const [index, child] of node.children.entries()) {
    const rest = node.children.slice(index);
    if (left <= 1 && rest.length > 1) {
      const count = rest.reduce((sum, one) => sum + (one.count ?? 1), 0);
      return {
        ...node,
        children: [
          ...kept,
          { kind: 'More', name: '', health: worstOf(rest.map(({ health }) => health)), state: '', facts: [], children: [], count },
        ],
      };
    }
    const fitted = shortened(child, Math.max(1, left - (rest.length > 1 ? 1 : 0)));
    kept.push(fitted);
    left -= linesOf(fitted);
  }
  return { ...node, children: kept };
}

/**
 * Returns the tree with the most detail that fits. In this order: all; only containers of faulty Pods; none; like siblings joined, with the first names
 * and their number; siblings in the same state joined; the first ones and how many follow.
 *
 * @param lines at least 3
 */
export function fitTree(tree: TreeNode, lines: number): TreeNode {
  const steps: readonly ((node: TreeNode) => TreeNode)[] = [
    (node) => node,
    (node) => withoutContainers(node, false),
    (node) => withoutContainers(node, true),
    (node) => grouped(withoutContainers(node, true), false),
    (node) => grouped(withoutContainers(node, true), true),
  ];
  for (const step of steps) {
    const reduced = step(tree);
    if (linesOf(reduced) <= lines) return reduced;
  }
  return shortened(grouped(withoutContainers(tree, true), true), lines);
}
