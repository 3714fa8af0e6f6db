/** Draws a tree as lines. */
import { summaryOf, type Health, type TreeChange, type TreeNode } from '@kruise/insight';
import { formatTime, type Instant } from '@kruise/objects';
import { cutToWidth, displayWidth, plainText } from './display-width.ts';

/** How lines are drawn. */
export interface Drawing {
  /** Longer lines are cut; undefined for no limit. */
  readonly columns: number | undefined;
  readonly color: boolean;
}

const colors: Readonly<Record<Health, string>> = { Good: '32', Busy: '33', Faulty: '31', Done: '2' };

function titleOf({ kind, name, count }: TreeNode): string {
  if (kind === 'More') return `… ${count ?? 0} more`;
  if (kind === 'Container') return name;
  return count === undefined ? `${kind} ${name}` : `${count} ${kind}s ${name}`;
}

/** Returns one line; the state has the color of the health. @param prefix of characters that take one column each */
function drawLine(prefix: string, node: TreeNode, { columns, color }: Drawing): string {
  const title = plainText(titleOf(node));
  const head = `${prefix}${title}`;
  // The prefix is not ASCII: measured with the title, it would need the segmenter in every line.
  const headWidth = prefix.length + displayWidth(title);
  const text = plainText(summaryOf(node));
  const width = columns ?? Infinity;
  const cut = text === '' ? '' : cutToWidth(text, Math.max(1, width - headWidth - 2));
  const shown = color && cut !== '' ? `\u001B[${colors[node.health]}m${cut}\u001B[0m` : cut;
  return headWidth + 3 > width ? cutToWidth(head, width) : `${head}${shown === '' ? '' : `  ${shown}`}`;
}

/** Returns the lines of a tree, the root first. */
export function drawTree(tree: TreeNode, drawing: Drawing): readonly string[] {
  const lines: string[] = [];
  const draw = (node: TreeNode, first: string, rest: string): void => {
    lines.push(drawLine(first, node, drawing));
    node.children.forEach((child, index) => {
      const isLast = index === node.children.length - 1;
      draw(child, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`);
    });
  };
  draw(tree, '', '');
  return lines;
}

const before = (node: TreeNode | undefined): string => (node === undefined ? '' : summaryOf(node) || 'exists');

/** Returns a change as one line without escape sequences. */
export function changeLine({ path, before: old, after }: TreeChange, now: Instant): string {
  const what = path.filter((part) => part !== '').join(' / ');
  const change = old === undefined ? `+ ${before(after)}` : after === undefined ? '- removed' : `${before(old)} -> ${before(after)}`;
  return plainText(`${formatTime(now)} ${what}: ${change}`);
}
