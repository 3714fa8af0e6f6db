/** What a scenario of the benchmark is. Pure. */
import type { CellTable } from './results/results.ts';
import type { Row } from './table.ts';

/** Options with a number. */
export const sizeNames = ['pods', 'nodes', 'namespaces', 'reviews', 'minutes', 'rate', 'stored'] as const;
export type SizeName = (typeof sizeNames)[number];
export type Sizes = Readonly<Record<SizeName, number>>;

export interface Measured {
  readonly rows: readonly Row[];
  /** Every number, for `--json`. */
  readonly details?: unknown;
  /** Further tables of the page. */
  readonly tables?: Readonly<Record<string, Pick<CellTable, 'columns' | 'cells'>>>;
}

/** One run of a scenario. */
export interface ScenarioRun {
  /** Of the command line, or the defaults of the scenario. */
  readonly sizes: Sizes;
  readonly progress: (line: string) => void;
  /** For files of this run; it is removed afterwards. */
  readonly folder: string;
  /** Builds the manager once for all scenarios. @returns its main file */
  readonly managerProgram: () => Promise<string>;
  readonly profileFolder?: string;
}

export type Measure = (run: ScenarioRun) => Promise<Measured>;

export interface Scenario {
  /** For `--help`. */
  readonly what: string;
  /** The sizes that it reads, and their defaults. */
  readonly sizes?: Partial<Sizes>;
  /** It takes an hour, or needs more than this program starts with. */
  readonly onlyNamed?: true;
  readonly load: () => Promise<{ readonly measure: Measure }>;
}
