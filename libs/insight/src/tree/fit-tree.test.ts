/** How a large tree is reduced, and what differs between two. */
import { describe, expect, it } from '@jest/globals';
import type { AnyObject } from '../seen.ts';
import { cloneSet, pod, revision, snapshot, waiting } from '../snapshots.testing.ts';
import { fitTree } from './fit-tree.ts';
import { linesOf, type TreeNode } from './node.ts';
import { summaryOf, treeChanges } from './tree-changes.ts';
import { treeOf } from './tree.ts';

const web = cloneSet();
const revisions = [revision(web, 'web-a', 1), revision(web, 'web-b', 2)];

const tree = (...pods: readonly AnyObject[]): TreeNode => treeOf(snapshot(web, ...revisions, ...pods));

const many = (count: number, shape: (index: number) => Parameters<typeof pod>[2]): readonly AnyObject[] =>
  Array.from({ length: count }, (_, index) => pod(`web-${String(index).padStart(4, '0')}`, web, shape(index)));

const lines = (node: TreeNode, depth = 0): readonly string[] => [
  `${' '.repeat(depth)}${node.count ?? 1} ${node.kind} ${node.name} ${summaryOf(node)}`.trimEnd(),
  ...node.children.flatMap((child) => lines(child, depth + 1)),
];

describe('a tree that is reduced', () => {
  it('stays whole when it fits', () => {
    const whole = tree(...many(3, () => ({})));
    expect(fitTree(whole, linesOf(whole))).toEqual(whole);
  });

  it('first loses the containers of Pods that are not faulty, then all', () => {
    const whole = tree(...many(2, () => ({})), pod('bad', web, { main: waiting('ImagePullBackOff') }));
    expect(lines(fitTree(whole, linesOf(whole) - 1))).toContain('   1 Container main ImagePullBackOff, nginx:2');
    expect(lines(fitTree(whole, linesOf(whole) - 1)).filter((line) => line.includes('Container'))).toHaveLength(1);
    expect(lines(fitTree(whole, linesOf(whole) - 3)).filter((line) => line.includes('Container'))).toEqual([]);
  });

  it('joins Pods of one revision that are alike, with their number', () => {
    const pods = many(1000, (index) => ({
      revision: index < 600 ? 'web-b' : 'web-a',
      spec: { nodeName: `node-${index}` },
      ...(index % 100 === 0 ? { main: waiting('ImagePullBackOff') } : {}),
    }));
    expect(lines(fitTree(tree(...pods), 60))).toEqual([
      '1 CloneSet web Complete, 2/2 ready, 2 updated',
      ' 1 Revision web-b current, 600 Pods',
      '  6 Pod web-0000, web-0100, web-0200, … ImagePullBackOff, 0/1 ready',
      '  594 Pod web-0001, web-0002, web-0003, … Ready, 1/1 ready',
      ' 1 Revision web-a 400 Pods',
      '  4 Pod web-0600, web-0700, web-0800, … ImagePullBackOff, 0/1 ready',
      '  396 Pod web-0601, web-0602, web-0603, … Ready, 1/1 ready',
    ]);
  });

  it('joins Pods in one state whose facts differ when that is needed', () => {
    const pods = many(100, (index) => ({ annotations: { 'kruise.io/related-pub': `pub-${index}` } }));
    expect(lines(fitTree(tree(...pods), 10))).toEqual([
      '1 CloneSet web Complete, 2/2 ready, 2 updated',
      ' 1 Revision web-b current, 100 Pods',
      '  100 Pod web-0000, web-0001, web-0002, … Ready',
    ]);
  });

  it.each([3, 5, 10, 60])('never has more than %i lines', (most) => {
    const pods = many(300, (index) => ({ main: waiting(`Reason${index}`) }));
    const fitted = fitTree(tree(...pods), most);
    expect(linesOf(fitted)).toBeLessThanOrEqual(most);
    const total = (node: TreeNode): number =>
      node.kind === 'Pod' || node.kind === 'More' ? (node.count ?? 1) : node.children.reduce((sum, child) => sum + total(child), 0);
    expect(total(fitted)).toBe(300);
  });
});

describe('the changes of a tree', () => {
  it('are the nodes whose text differs, appears or disappears', () => {
    const before = tree(pod('a', web, { main: waiting('ContainerCreating') }), pod('b', web));
    const after = tree(pod('a', web), pod('c', web));
    expect(
      treeChanges(before, after).map(({ path, before: old, after: now }) => [path.at(-1), old && summaryOf(old), now && summaryOf(now)]),
    ).toEqual([
      ['Pod a', 'ContainerCreating, 0/1 ready, node-1', 'Ready, 1/1 ready, node-1'],
      ['Container main', 'ContainerCreating, nginx:2', 'Running, nginx:2'],
      ['Pod c', undefined, 'Ready, 1/1 ready, node-1'],
      ['Container main', undefined, 'Running, nginx:2'],
      ['Pod b', 'Ready, 1/1 ready, node-1', undefined],
      ['Container main', 'Running, nginx:2', undefined],
    ]);
  });

  it('are none for equal trees', () => {
    expect(treeChanges(tree(pod('a', web)), tree(pod('a', web)))).toEqual([]);
  });
});
