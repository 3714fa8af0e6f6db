/** Runs scenarios one after the other. */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchCommand } from './arguments.ts';
import { describeMachine, type Machine } from './machine.ts';
import { buildProgram } from './program.ts';
import type { ResultTable } from './results/results.ts';
import { sizeNames, type Cells, type Measure, type Sizes } from './scenario.ts';
import { scenarioOf, type ScenarioName } from './scenarios.ts';
import type { Row } from './table.ts';

interface Measured {
  readonly rows: readonly Row[];
  /** Every number, for `--json`. */
  readonly details: readonly unknown[];
  /** Further tables of the page. */
  readonly tables: Readonly<Record<string, Cells>>;
}

export interface BenchRun {
  readonly measuredAt: string;
  readonly machine: Machine;
  readonly results: Partial<Record<ScenarioName, Measured>>;
  /** A message for each scenario that could not be measured. */
  readonly failures: readonly string[];
}

/** Of a size that the scenario does not read: it has no default. */
const noSizes = Object.fromEntries(Object.keys(sizeNames).map((name) => [name, 0])) as Sizes;
const newFolder = (): ReturnType<typeof mkdtempDisposable> => mkdtempDisposable(join(tmpdir(), 'kruise-bench-'));

export async function runScenarios(command: BenchCommand, progress: (line: string) => void): Promise<BenchRun> {
  await using shared = await newFolder();
  const [machine, measuredAt] = [describeMachine(), new Date().toISOString()];
  let built: Promise<string> | undefined;
  const managerProgram = (): Promise<string> => (built ??= buildProgram('manager', shared.path));
  const results: BenchRun['results'] = {};
  const failures: string[] = [];
  for (const name of command.scenarios) {
    const [details, tables]: [unknown[], Record<string, Cells>] = [[], {}];
    const sizes = { ...noSizes, ...scenarioOf(name).sizes, ...command.sizes };
    const [record, addTable] = [(numbers: unknown) => void details.push(numbers), (id: string, table: Cells) => void (tables[id] = table)];
    try {
      await using folder = await newFolder();
      const { measure } = (await import(`./scenarios/${name}.ts`)) as { readonly measure: Measure };
      const run = { sizes, progress, record, addTable, folder: folder.path, managerProgram, profileFolder: command.profileFolder };
      results[name] = { rows: await measure(run), details, tables };
    } catch (error) {
      failures.push(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { measuredAt, machine, results, failures };
}

/** The sizes as arguments of the command. @param read names those that count; all when absent */
export const optionsFor = (sizes: Partial<Sizes>, read = Object.keys(sizes)): readonly string[] =>
  Object.entries(sizes).flatMap(([name, value]) => (read.includes(name) ? [`--${name}`, String(value)] : []));

/** The tables of a run as they are recorded: of each scenario its rows, under its name, and the further tables that it has. Pure. */
export function tablesOf({ measuredAt, machine, results }: BenchRun, sizes: Partial<Sizes>): Readonly<Record<string, ResultTable>> {
  const recordedAt = measuredAt.slice(0, '2026-01-01'.length);
  const { loadAtStart } = machine;
  const optionsOf = (name: ScenarioName): readonly string[] => optionsFor(sizes, Object.keys(scenarioOf(name).sizes ?? {}));
  const entries = Object.entries(results).flatMap(([name, { rows, tables }]): (readonly [string, ResultTable])[] => [
    [name, { recordedAt, machine, options: [name, ...optionsOf(name as ScenarioName)], loadAtStart, rows }],
    ...Object.entries(tables).map(([id, table]) => [id, { recordedAt, machine, ...table }] as const),
  ]);
  return Object.fromEntries<ResultTable>(entries);
}
