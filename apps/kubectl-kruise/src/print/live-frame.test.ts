/** Frames through a terminal emulator, widths of texts, and lines of changes. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TreeNode } from '@kruise/insight';
import { instant } from '@kruise/objects';
import { cutToWidth, displayWidth, plainText } from './display-width.ts';
import { changeLine, drawTree } from './draw-tree.ts';
import { EmulatedTerminal } from './emulated-terminal.testing.ts';
import { frameUpdate, linesThatFit } from './live-frame.ts';

describe('a frame', () => {
  const frames = [['a', 'b', 'c'], ['a', 'B', 'c'], ['a'], ['a', 'x', 'y', 'z'], ['1', 'x', 'y', '2'], [], ['last']];

  let terminal: EmulatedTerminal;
  beforeEach(() => {
    terminal = new EmulatedTerminal({ columns: 20, rows: 6 });
  });
  afterEach(() => terminal.dispose());

  it('turns the screen into the next lines, whatever was there', async () => {
    let shown: readonly string[] = [];
    for (const lines of frames) {
      await terminal.write(frameUpdate(shown, lines));
      expect(terminal.screen()).toEqual(lines);
      shown = lines;
    }
  });

  it('keeps what is above it on a screen that is full', async () => {
    await terminal.write('$ ls\r\nfile\r\n$ tree\r\n');
    let shown: readonly string[] = [];
    for (const lines of frames) {
      await terminal.write(frameUpdate(shown, lines));
      expect(terminal.screen().slice(-lines.length || undefined)).toEqual(lines.length === 0 ? ['$ tree'] : lines);
      shown = lines;
    }
  });

  it('writes only the lines that changed', () => {
    expect(frameUpdate(['a', 'b', 'c'], ['a', 'B', 'c'])).toBe('\u001B[2A\u001B[2KB\r\n\u001B[1B');
    expect(frameUpdate(['a', 'b'], ['a', 'b'])).toBe('');
  });

  it('is cut to the rows of the terminal, and says so', () => {
    expect(linesThatFit(['a', 'b', 'c', 'd'], 4)).toEqual(['a', 'b', '… 2 more lines']);
    expect(linesThatFit(['a', 'b', 'c'], 4)).toEqual(['a', 'b', 'c']);
  });
});

describe('a text', () => {
  it.each([
    ['web', 3],
    ['容器', 4],
    ['né', 2],
    ['e\u0301', 1],
    ['🚀', 2],
    ['├─ …', 4],
  ])('%s takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  it.each([
    ['container', 9, 'container'],
    ['container', 5, 'cont…'],
    ['容器容器', 5, '容器…'],
    ['容器容器', 6, '容器…'],
  ])('%s is cut to %i columns', (text, columns, then) => {
    expect(cutToWidth(text, columns)).toBe(then);
  });

  it('has no control characters', () => {
    expect(plainText('a\u001B[31m\r\nb')).toBe('a [31m b');
  });
});

describe('a tree', () => {
  const node = (name: string, state: string, children: readonly TreeNode[] = []): TreeNode => ({
    kind: 'Pod',
    name,
    health: 'Good',
    state,
    facts: [{ name: 'message', text: '无法拉取镜像' }],
    children,
  });
  const tree = node('web', 'Ready', [node('a', 'Ready', [node('deep', '')]), { ...node('b, c', 'Ready'), count: 2 }]);

  it('has a line for each node', () => {
    expect(drawTree(tree, { columns: undefined, color: false })).toEqual([
      'Pod web  Ready, 无法拉取镜像',
      '├─ Pod a  Ready, 无法拉取镜像',
      '│  └─ Pod deep  无法拉取镜像',
      '└─ 2 Pods b, c  Ready, 无法拉取镜像',
    ]);
  });

  it.each([10, 20, 40])('fits %i columns, colors aside', (columns) => {
    for (const line of drawTree(tree, { columns, color: true }))
      expect(displayWidth(line.replaceAll(/\u001B\[\d*m/g, ''))).toBeLessThanOrEqual(columns);
  });

  it('colors the state', () => {
    expect(drawTree(node('web', 'Ready'), { columns: 40, color: true })).toEqual(['Pod web  \u001B[32mReady, 无法拉取镜像\u001B[0m']);
  });

  it('has changes as single lines', () => {
    const [before, after] = [node('a', 'Pending'), node('a', 'Ready\n')];
    const now = instant(Date.parse('2026-01-01T00:00:00Z'));
    const path = ['Pod a'];
    expect(changeLine({ path, before, after }, now)).toBe('2026-01-01T00:00:00Z Pod a: Pending, 无法拉取镜像 -> Ready , 无法拉取镜像');
    expect(changeLine({ path, before: undefined, after: before }, now)).toBe('2026-01-01T00:00:00Z Pod a: + Pending, 无法拉取镜像');
    expect(changeLine({ path, before, after: undefined }, now)).toBe('2026-01-01T00:00:00Z Pod a: - removed');
  });
});
