/** The tables of docs/benchmarks.md: each is between two comments that name it, and is written from the recorded results. Pure. */
import { formatNumber, isMet, isOfRatio, ratioOf } from '../table.ts';
import type { RecordedRow, ResultTable, Results } from './results.ts';

const end = '<!-- end of results -->';
const region = /<!-- results: (\S+) -->\n[\s\S]*?<!-- end of results -->/g;

type Align = 'left' | 'right';
interface Column {
  readonly head: string;
  readonly align: Align;
  readonly cells: readonly string[];
}

const escaped = (text: string): string => text.replaceAll('|', '\\|');

/** As the formatter of the project aligns it. */
function markdownTable(columns: readonly Column[]): string {
  const widths = columns.map(({ head, cells }) => Math.max(3, ...[head, ...cells].map((cell) => cell.length)));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const pad = (text: string, at: number): string =>
    columns[at]?.align === 'right' ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
  const rule = columns.map(({ align }, at) => (align === 'right' ? `${'-'.repeat((widths[at] ?? 0) - 1)}:` : '-'.repeat(widths[at] ?? 0)));
  const rows = (columns[0]?.cells ?? []).map((_, row) => line(columns.map(({ cells }, at) => pad(cells[row] ?? '', at))));
  return [line(columns.map(({ head }, at) => pad(head, at))), line(rule), ...rows].join('\n');
}

function limitText(row: RecordedRow): string {
  if (row.limit === undefined) return '';
  return `${isOfRatio(row) ? 'ratio ' : ''}≤ ${formatNumber(row.limit)}`;
}

function metText(row: RecordedRow): string {
  const met = row.ratio !== undefined && isOfRatio(row) && row.limit !== undefined ? row.ratio <= row.limit : isMet(row);
  return met === undefined ? '' : met ? 'yes' : '**no**';
}

const numberOf = (value: number | undefined): string => (value === undefined ? '' : formatNumber(value));

/** Of a row of measures; a column without any cell is left out. */
const measureColumns: readonly (Omit<Column, 'cells'> & { readonly of: (row: RecordedRow) => string })[] = [
  { head: 'measure', align: 'left', of: ({ what, note }) => escaped(note === undefined ? what : `${what} [${note}]`) },
  { head: 'ours', align: 'right', of: ({ ours }) => (ours === undefined ? '-' : formatNumber(ours)) },
  { head: 'peer', align: 'right', of: ({ peer }) => (peer === undefined ? '' : escaped(`${formatNumber(peer.value)} ${peer.name}`)) },
  { head: 'ratio', align: 'right', of: (row) => numberOf(row.ratio ?? ratioOf(row)) },
  { head: 'target', align: 'left', of: limitText },
  { head: 'met', align: 'left', of: metText },
];

function columnsOf(table: ResultTable): readonly Column[] {
  if ('rows' in table)
    return measureColumns
      .map(({ of, ...column }) => ({ ...column, cells: table.rows.map(of) }))
      .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const texts = table.cells.map((row) => row.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : escaped(cell))));
  return table.columns.map((head, at) => ({
    head: escaped(head),
    align: at > 0 && texts.every((row) => /^(\d|$)/.test(row[at] ?? '')) ? 'right' : 'left',
    cells: texts.map((row) => row[at] ?? ''),
  }));
}

/** How, when and where, as far as it was recorded. */
function measurementText({ recordedAt, machine, options, loadAtStart }: ResultTable): string {
  const parts = [
    options === undefined ? '' : `\`npm run bench -- ${options.join(' ')}\``,
    recordedAt,
    machine === undefined ? '' : `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, Kubernetes ${machine.kubernetes}`,
    loadAtStart === undefined ? '' : `load at start ${formatNumber(loadAtStart)}`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** @returns the page with every table as in `results` @throws for results that have no place in the page */
export function renderPage(page: string, results: Results): string {
  const named = new Set<string>();
  const text = page.replace(region, (_, name: string) => {
    if (name === 'machine') return `<!-- results: machine -->\n\n${results.machine}.\n\n${end}`;
    const table = results.tables[name];
    named.add(name);
    if (table === undefined) return `<!-- results: ${name} -->\n\nNo numbers are recorded yet.\n\n${end}`;
    return `<!-- results: ${name} -->\n\n${measurementText(table)}\n\n${markdownTable(columnsOf(table))}\n\n${end}`;
  });
  const absent = Object.keys(results.tables).filter((name) => !named.has(name));
  if (absent.length > 0) throw new Error(`the page has no place for the results of ${absent.join(', ')}`);
  return text;
}
