/** Rewrites the lines of a terminal that have changed, and no others. */

const escape = '\u001B[';
const up = (lines: number): string => (lines > 0 ? `${escape}${lines}A` : '');
const down = (lines: number): string => (lines > 0 ? `${escape}${lines}B` : '');
const clearLine = `${escape}2K`;
const clearBelow = `${escape}J`;

/**
 * Returns what turns the previous lines into the next ones. The cursor is at the start of the line below the last one, before and after.
 *
 * @param previous lines on the screen; none before the first frame
 * @param next each no wider than the terminal, and fewer than its rows
 */
export function frameUpdate(previous: readonly string[], next: readonly string[]): string {
  let text = '';
  let row = previous.length;
  const moveTo = (target: number): void => {
    text += target < row ? up(row - target) : down(target - row);
    row = target;
  };
  for (const [index, line] of next.entries()) {
    if (previous[index] === line) continue;
    if (index < previous.length) {
      moveTo(index);
      text += `${clearLine}${line}\r\n`;
    } else {
      moveTo(index);
      text += `${line}\r\n`;
    }
    row = index + 1;
  }
  if (next.length < previous.length) {
    moveTo(next.length);
    text += clearBelow;
  }
  moveTo(next.length);
  return text;
}

/** Returns the lines that fit a terminal; the last one says how many do not. */
export const linesThatFit = (lines: readonly string[], rows: number): readonly string[] =>
  lines.length < rows ? lines : [...lines.slice(0, Math.max(1, rows - 2)), `… ${lines.length - Math.max(1, rows - 2)} more lines`];
