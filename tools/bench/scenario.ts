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

/** One run of a scenario. */
export interface ScenarioRun {
  /** Of the command line, or the defaults of the scenario. */
  readonly sizes: Sizes;
  readonly progress: (line: string) => void;
  /** For files of this run; it is removed afterwards. */
  readonly folder: string;
  /** Builds the manager once for all scenarios. @returns its main file */
  readonly managerProgram: () => Promise<string>;
  readonly profileFolder: string | undefined;
}

export interface Measured {
  readonly rows: readonly Row[];
  /** Every number, for `--json`. */
  readonly details?: unknown;
  /** Further tables of the page. */
  readonly tables?: Readonly<Record<string, Pick<CellTable, 'columns' | 'cells'>>>;
}

/** What the file of a scenario exports as `measure`. */
export type Measure = (run: ScenarioRun) => Promise<Measured>;
