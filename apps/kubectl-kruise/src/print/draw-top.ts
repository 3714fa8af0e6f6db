/** Draws the rows of `top` as a table. */
import type { TopRow } from '@kruise/insight';
import { cutToWidth, plainText } from './display-width.ts';
import type { Drawing } from './draw-tree.ts';
import { tableText } from './tab-writer.ts';

/** What the table has besides the columns of every table. */
export interface TopColumns {
  readonly namespaces: boolean;
  readonly use: boolean;
}

const colors: Readonly<Record<TopRow['health'], string>> = { Good: '32', Busy: '33', Faulty: '31', Done: '2' };

const ofDesired = (count: number | undefined, desired: number | undefined): string =>
  count === undefined || desired === undefined ? '-' : `${count}/${desired}`;

const stateText = ({ state, blocked }: TopRow): string => plainText([state, blocked].filter((text) => text !== '').join(', '));

interface Column {
  readonly title: string;
  readonly cell: (row: TopRow) => string;
  /** Omitted, the last one first, when the terminal is too narrow. */
  readonly optional?: boolean;
}

const columnsOf = ({ namespaces, use }: TopColumns): readonly Column[] => [
  ...(namespaces ? [{ title: 'NAMESPACE', cell: ({ namespace }: TopRow) => namespace }] : []),
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'READY', cell: ({ ready, desired }) => ofDesired(ready, desired) },
  { title: 'UPDATED', cell: ({ updated, desired }) => ofDesired(updated, desired), optional: true },
  { title: 'RESTARTS', cell: ({ restarts }) => String(restarts), optional: true },
  ...(use ? useColumns : []),
];

const useColumns: readonly Column[] = [
  { title: 'CPU(cores)', cell: ({ use }) => (use === undefined ? '-' : `${Math.ceil(use.cpuCores * 1000)}m`), optional: true },
  { title: 'MEMORY(bytes)', cell: ({ use }) => (use === undefined ? '-' : `${Math.ceil(use.memoryBytes / 2 ** 20)}Mi`), optional: true },
];

/** The state of a row is cut rather than a column omitted, down to this width. */
const leastState = 12;

/** Returns the lines of a table without the state, its header first, each of the same width. */
function alignedLines(rows: readonly TopRow[], columns: readonly Column[]): readonly string[] {
  const header = columns.map(({ title }) => title);
  const text = tableText(
    header,
    rows.map((row) => columns.map(({ cell }) => cell(row))),
  );
  const lines = text.trimEnd().split('\n');
  const width = Math.max(...lines.map((line) => line.trimEnd().length)) + 3;
  return lines.map((line) => line.trimEnd().padEnd(width));
}

function linesThatFit(rows: readonly TopRow[], all: readonly Column[], columns: number): readonly string[] {
  const lines = alignedLines(rows, all);
  const dropped = all.findLast(({ optional }) => optional === true);
  const isTooWide = (lines[0]?.length ?? 0) + leastState > columns;
  return isTooWide && dropped !== undefined
    ? linesThatFit(
        rows,
        all.filter((column) => column !== dropped),
        columns,
      )
    : lines;
}

/** Returns the header and a line for each row, with the state last; on a narrow terminal columns are omitted and lines cut. */
export function drawTop(rows: readonly TopRow[], shown: TopColumns, { columns = Infinity, color }: Drawing): readonly string[] {
  const [head = '', ...lines] = linesThatFit(rows, columnsOf(shown), columns);
  const joined = (start: string, state: string, code: string | undefined): string => {
    const left = columns - start.length;
    if (left < 1) return cutToWidth(start.trimEnd(), columns);
    const cut = cutToWidth(state, left);
    return code === undefined || !color || cut === '' ? `${start}${cut}`.trimEnd() : `${start}\u001B[${code}m${cut}\u001B[0m`;
  };
  return [joined(head, 'STATE', undefined), ...rows.map((row, at) => joined(lines[at] ?? '', stateText(row), colors[row.health]))];
}
