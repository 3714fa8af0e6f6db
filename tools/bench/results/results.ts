/** The measured numbers of docs/benchmarks.md, as data: `docs/benchmarks/results.json`, one table for each measurement. Pure. */
import type { Machine } from '../machine.ts';
import type { Row } from '../table.ts';

interface Measurement {
  /** The day, e.g. `2026-11-21`. */
  readonly recordedAt: string;
  /** Absent: that of {@link Results}. */
  readonly machine?: Machine;
  /** Arguments of `npm run bench`. */
  readonly options?: readonly string[];
  readonly loadAtStart?: number;
}

/** Measures that `npm run bench` prints. */
interface MeasureTable extends Measurement {
  readonly rows: readonly Row[];
}

/** Everything else: the numbers of several phases or runs side by side. The first column names the row. */
export interface CellTable extends Measurement {
  readonly columns: readonly string[];
  readonly cells: readonly (readonly (string | number)[])[];
}

export type ResultTable = MeasureTable | CellTable;

export interface Results {
  /** On which everything was measured that names no other machine. */
  readonly machine: string;
  /** By the name in the page. A table that is named after a scenario holds its rows. */
  readonly tables: Readonly<Record<string, ResultTable>>;
}

/** @returns the results with `measured` in the place of the earlier tables of the same name */
export const withTables = (results: Results, measured: Readonly<Record<string, ResultTable>>): Results => ({
  ...results,
  tables: { ...results.tables, ...measured },
});

/** One line for each row, so that a difference shows what was measured again. */
export function resultsText({ machine, tables }: Results): string {
  const list = (rows: readonly unknown[]): string => `[\n${rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]`;
  const text = ([name, table]: readonly [string, ResultTable]): string => {
    const members = Object.entries(table).map(([key, value]: [string, unknown]) =>
      key === 'rows' || key === 'cells' ? `"${key}": ${list(value as readonly unknown[])}` : `"${key}": ${JSON.stringify(value)}`,
    );
    return ` ${JSON.stringify(name)}: {\n  ${members.join(',\n  ')}\n }`;
  };
  return `{\n"machine": ${JSON.stringify(machine)},\n"tables": {\n${Object.entries(tables).map(text).join(',\n')}\n}\n}\n`;
}
