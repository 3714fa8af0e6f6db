/** The table that the benchmark prints. Pure. */

/** One measure. A row of the store's part is one of these, too. */
export interface Row {
  /** What was measured, with its unit: `heap of 10,000 pods (MB)`. */
  readonly what: string;
  /** Absent when it could not be measured; `note` says why. */
  readonly ours?: number;
  /** The peer and its value. */
  readonly peer?: { readonly name: string; readonly value: number };
  /** The most that may be reached. */
  readonly limit?: number;
  /** What `limit` is held against: by default `ours / peer` where there is a peer, else `ours`. */
  readonly limitOf?: 'ratio' | 'ours';
  readonly note?: string;
}

export const isOfRatio = ({ peer, limitOf }: Row): boolean => peer !== undefined && limitOf !== 'ours';

export const ratioOf = ({ ours, peer }: Row): number | undefined =>
  ours === undefined || peer === undefined ? undefined : ours / peer.value;

/** Undefined where there is no limit or nothing was measured. */
export function isMet(row: Row): boolean | undefined {
  const reached = isOfRatio(row) ? ratioOf(row) : row.ours;
  return row.limit === undefined || reached === undefined ? undefined : reached <= row.limit;
}

/** Three significant digits, whole numbers in full. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

function cellsOf(row: Row): readonly string[] {
  const ratio = ratioOf(row);
  const met = isMet(row);
  return [
    row.note === undefined ? row.what : `${row.what} [${row.note}]`,
    row.ours === undefined ? '-' : formatNumber(row.ours),
    row.peer === undefined ? '' : `${formatNumber(row.peer.value)} ${row.peer.name}`,
    ratio === undefined ? '' : formatNumber(ratio),
    row.limit === undefined ? '' : `${isOfRatio(row) ? 'ratio ' : ''}<= ${formatNumber(row.limit)}`,
    met === undefined ? '' : met ? 'yes' : 'NO',
  ];
}

const heads = ['measure', 'ours', 'peer', 'ratio', 'target', 'met'];

/** Columns as wide as their widest cell. */
export function renderTable(rows: readonly Row[]): string {
  const cells = [heads, ...rows.map(cellsOf)];
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
