import { afterEach, expect, it, jest } from '@jest/globals';
import type { TreeNode } from '@kruise/insight';
import { displayWidth } from './display-width.ts';
import { drawTree } from './draw-tree.ts';

const node = (kind: string, name: string, children: readonly TreeNode[] = []): TreeNode => ({
  kind,
  name,
  health: 'Good',
  state: 'Ready',
  facts: [{ name: 'node', text: 'node-1' }],
  children,
});

/** Returns a Pod three levels below the root. */
const tree = (pod: string): TreeNode => node('CloneSet', 'web', [node('Revision', 'web-b', [node('Pod', pod)]), node('Revision', 'web-a')]);

afterEach(() => void jest.restoreAllMocks());

it('measures texts of ASCII without the segmenter, in whatever depth they are', () => {
  const segment = jest.spyOn(Intl.Segmenter.prototype, 'segment');
  expect(drawTree(tree('web-1'), { columns: 120, color: false })[2]).toBe('│  └─ Pod web-1  Ready, node-1');
  expect(segment).not.toHaveBeenCalled();
});

it.each(['web-1', '节点'])('cuts the line of Pod %s where the terminal ends, in every width', (pod) => {
  const [, , whole = ''] = drawTree(tree(pod), { columns: undefined, color: false });
  for (let columns = 8; columns <= displayWidth(whole); columns++) {
    const [, , line = ''] = drawTree(tree(pod), { columns, color: false });
    expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    if (columns === displayWidth(whole)) expect(line).toBe(whole);
    else expect(line).not.toBe(whole);
  }
});
