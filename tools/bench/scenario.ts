/** What a scenario of the benchmark gets and returns. Pure. */
import type { CellTable } from './results/results.ts';
import type { Row } from './table.ts';

/** Options with a number, and what they count. */
export const sizeNames = {
  pods: 'Pods',
  nodes: 'nodes',
  namespaces: 'namespaces',
  reviews: 'Pods reviewed',
  minutes: 'length in minutes',
  rate: 'changes a second',
  stored: 'Pods in the store',
} as const;
export type SizeName = keyof typeof sizeNames;
export type Sizes = Readonly<Record<SizeName, number>>;

export type Cells = Pick<CellTable, 'columns' | 'cells'>;

/** One run of a scenario. */
export interface ScenarioRun {
  /** Of the command line, or the defaults of the scenario. */
  readonly sizes: Sizes;
  readonly progress: (line: string) => void;
  /** Keeps numbers for `--json`, also those that no row shows. */
  readonly record: (numbers: unknown) => void;
  /** Adds a further table of the page. */
  readonly addTable: (name: string, table: Cells) => void;
  /** For files of this run; it is removed afterwards. */
  readonly folder: string;
  /** Builds the manager once for all scenarios. @returns its main file */
  readonly managerProgram: () => Promise<string>;
  readonly profileFolder: string | undefined;
}

/** What the file of a scenario exports as `measure`. */
export type Measure = (run: ScenarioRun) => Promise<readonly Row[]>;
