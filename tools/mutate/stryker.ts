/** Runs Stryker over the files of one scope, in a copy of the tree that it makes and removes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../tasks/run-program.ts';
import type { MutationReport } from './results.ts';
import type { Scope } from './scopes.ts';

const here = (name: string): string => join(import.meta.dirname, name);

/** What no test of pure rules reads, so that the copy is small. */
const notCopied = ['dist', '.nx', 'charts', 'deploy', 'e2e', 'coverage'];

/** The runs of a whole scope; a mutant that never ends is ended by its own limit. */
const longestMs = 4 * 60 * 60_000;

function configuration(folder: string, { files, tests }: Scope, jobs: number): object {
  writeFileSync(join(folder, 'tests.json'), JSON.stringify(tests));
  return {
    mutate: files,
    testRunner: 'mutant-runner',
    mutantRunner: { testFilesFrom: join(folder, 'tests.json') },
    plugins: [here('mutant-runner.ts'), here('prose-ignorer.ts')],
    ignorers: ['prose'],
    testRunnerNodeArgs: ['--import', here('resolve-hooks.ts')],
    coverageAnalysis: 'perTest',
    concurrency: jobs,
    timeoutMS: 20_000,
    timeoutFactor: 4,
    // Modules that were loaded again for mutants of module scope stay in memory.
    maxTestRunnerReuse: 500,
    reporters: ['json'],
    jsonReporter: { fileName: join(folder, 'report.json') },
    tempDirName: join(folder, 'copies'),
    cleanTempDir: 'always',
    ignorePatterns: notCopied,
    warnings: false,
    logLevel: 'warn',
    allowConsoleColors: false,
  };
}

/** @throws with what Stryker printed when it wrote no report, as when a test fails without any mutant */
export async function mutateScope(scope: Scope, jobs: number, signal: AbortSignal): Promise<MutationReport> {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-mutate-'));
  try {
    const file = join(folder, 'stryker.json');
    writeFileSync(file, JSON.stringify(configuration(folder, scope, jobs)));
    const program = 'node_modules/@stryker-mutator/core/bin/stryker.js';
    const { code, output } = await runProgram({ file: program, args: ['run', file], passOn: false, timeoutMs: longestMs, signal });
    try {
      return JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as MutationReport;
    } catch {
      throw new Error(`Stryker ended with code ${code} and without a report:\n${output.trim().slice(-4000)}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
