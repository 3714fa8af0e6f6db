/** Runs scenarios one after the other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchCommand } from './arguments.ts';
import { describeMachine, type Machine } from './machine.ts';
import { buildProgram } from './program.ts';
import type { ResultTable } from './results/results.ts';
import { sizeNames, type Measure, type Measured, type Sizes } from './scenario.ts';
import { scenarioOf, type ScenarioName } from './scenarios.ts';

export interface BenchRun {
  readonly measuredAt: string;
  readonly machine: Machine;
  readonly results: Partial<Record<ScenarioName, Measured>>;
  /** A message for each scenario that could not be measured. */
  readonly failures: readonly string[];
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'kruise-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of a size that the scenario does not read: it has no default. */
const noSizes = Object.fromEntries(Object.keys(sizeNames).map((name) => [name, 0])) as Sizes;

export const runScenarios = ({ scenarios, sizes, profileFolder }: BenchCommand, progress: (line: string) => void): Promise<BenchRun> =>
  withFolder(async (shared) => {
    const [machine, measuredAt] = [describeMachine(), new Date().toISOString()];
    let built: Promise<string> | undefined;
    const managerProgram = (): Promise<string> => (built ??= buildProgram('manager', shared));
    const results: Partial<Record<ScenarioName, Measured>> = {};
    const failures: string[] = [];
    for (const name of scenarios) {
      const given = { ...noSizes, ...scenarioOf(name).sizes, ...sizes };
      try {
        const { measure } = (await import(`./scenarios/${name}.ts`)) as { readonly measure: Measure };
        results[name] = await withFolder((folder) => measure({ sizes: given, progress, folder, managerProgram, profileFolder }));
      } catch (error) {
        failures.push(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return { measuredAt, machine, results, failures };
  });

/** The tables of a run as they are recorded: of each scenario its rows, under its name, and the further tables that it has. Pure. */
export function tablesOf({ measuredAt, machine, results }: BenchRun, options: readonly string[]): Readonly<Record<string, ResultTable>> {
  const recordedAt = measuredAt.slice(0, '2026-01-01'.length);
  const { loadAtStart } = machine;
  const entries = Object.entries(results).flatMap(([name, { rows, tables = {} }]): (readonly [string, ResultTable])[] => [
    [name, { recordedAt, machine, options: [name, ...options], loadAtStart, rows }],
    ...Object.entries(tables).map(([id, table]) => [id, { recordedAt, machine, ...table }] as const),
  ]);
  return Object.fromEntries<ResultTable>(entries);
}
