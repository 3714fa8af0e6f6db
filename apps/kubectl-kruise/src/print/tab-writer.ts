/** Aligns columns as Go's text/tabwriter does with spaces, which kubectl prints its texts with. */

/** Widths of one column where it is contiguous: consecutive lines that have a cell after it share a width. */
function alignColumn(lines: string[][], column: number, padding: number): void {
  for (let start = 0; start < lines.length;) {
    if ((lines[start]?.length ?? 0) <= column + 1) {
      start++;
      continue;
    }
    let end = start;
    while ((lines[end]?.length ?? 0) > column + 1) end++;
    const block = lines.slice(start, end);
    const width = Math.max(...block.map((cells) => cells[column]?.length ?? 0));
    // A column of empty cells takes no space.
    for (const cells of block) cells[column] = width === 0 ? '' : (cells[column] ?? '').padEnd(width + padding);
    start = end;
  }
}

/**
 * @param text lines with cells that end with tabs
 * @returns the text without tabs
 */
export function alignTabs(text: string, padding = 2): string {
  const lines = text.split('\n').map((line) => line.split('\t'));
  const columns = Math.max(...lines.map((cells) => cells.length));
  for (let column = 0; column + 1 < columns; column++) alignColumn(lines, column, padding);
  return lines.map((cells) => cells.join('')).join('\n');
}

/** A table with upper-case headers, as `kubectl get` prints it: three spaces, no tab. */
export const tableText = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  alignTabs([header, ...rows].map((cells) => `${cells.join('\t')}\t\n`).join(''), 3).replaceAll(/ +$/gm, (spaces) => spaces);
