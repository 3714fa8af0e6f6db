/** Measures as rows, and tables as Markdown: those that the benchmark prints are those of the page. Pure. */

/** One measure. What is undefined is not recorded. */
export interface Row {
  /** What was measured, with its unit: `heap of 10,000 pods (MB)`. */
  readonly what: string;
  /** Absent when it could not be measured; `note` says why. */
  readonly ours?: number | undefined;
  /** The peer and its value. */
  readonly peer?: { readonly name: string; readonly value: number } | undefined;
  /** The most that may be reached. */
  readonly limit?: number | undefined;
  /** What `limit` is held against: by default `ours / peer` where there is a peer, else `ours`. */
  readonly limitOf?: 'ratio' | 'ours' | undefined;
  readonly note?: string | undefined;
  /** Where its parts were recorded with fewer digits than the ratio itself. */
  readonly ratio?: number;
}

type Measured = Omit<Row, 'what'>;

/** @returns a row for each measure, whose name begins with `about` @param measures by name; a number alone has neither peer nor limit */
export const rowsAbout = (about: string, measures: Readonly<Record<string, number | Measured>>): readonly Row[] =>
  Object.entries(measures).map(([what, measured]) => ({
    what: `${about} ${what}`,
    ...(typeof measured === 'number' ? { ours: measured } : measured),
  }));

const isOfRatio = ({ peer, limitOf }: Row): boolean => peer !== undefined && limitOf !== 'ours';

const ratioOf = ({ ours, peer, ratio }: Row): number | undefined =>
  ratio ?? (ours === undefined || peer === undefined ? undefined : ours / peer.value);

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

type Align = 'left' | 'right';
export interface Column {
  readonly head: string;
  readonly align: Align;
  readonly cells: readonly string[];
}

export const escaped = (text: string): string => text.replaceAll('|', '\\|');

/** As the formatter of the project aligns it. */
export function markdownTable(columns: readonly Column[]): string {
  const widths = columns.map(({ head, cells }) => Math.max(3, ...[head, ...cells].map((cell) => cell.length)));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const pad = (text: string, at: number): string =>
    columns[at]?.align === 'right' ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
  const rule = columns.map(({ align }, at) => (align === 'right' ? `${'-'.repeat((widths[at] ?? 0) - 1)}:` : '-'.repeat(widths[at] ?? 0)));
  const rows = (columns[0]?.cells ?? []).map((_, row) => line(columns.map(({ cells }, at) => pad(cells[row] ?? '', at))));
  return [line(columns.map(({ head }, at) => pad(head, at))), line(rule), ...rows].join('\n');
}

const numberOf = (value: number | undefined): string => (value === undefined ? '' : formatNumber(value));
const limitText = (row: Row): string => (row.limit === undefined ? '' : `${isOfRatio(row) ? 'ratio ' : ''}≤ ${formatNumber(row.limit)}`);

const measureColumns: readonly (Omit<Column, 'cells'> & { readonly of: (row: Row) => string })[] = [
  { head: 'measure', align: 'left', of: ({ what, note }) => escaped(note === undefined ? what : `${what} [${note}]`) },
  { head: 'ours', align: 'right', of: ({ ours }) => (ours === undefined ? '-' : formatNumber(ours)) },
  { head: 'peer', align: 'right', of: ({ peer }) => (peer === undefined ? '' : escaped(`${formatNumber(peer.value)} ${peer.name}`)) },
  { head: 'ratio', align: 'right', of: (row) => numberOf(ratioOf(row)) },
  { head: 'target', align: 'left', of: limitText },
  { head: 'met', align: 'left', of: (row) => ({ true: 'yes', false: '**no**', undefined: '' })[`${isMet(row)}`] },
];

/** A column without any cell is omitted. */
export const measureTable = (rows: readonly Row[]): string =>
  markdownTable(
    measureColumns
      .map(({ of, ...column }) => ({ ...column, cells: rows.map(of) }))
      .filter(({ cells }) => cells.some((cell) => cell !== '')),
  );
