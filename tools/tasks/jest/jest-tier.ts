/** Runs one tier of tests with Jest and reports what it has shown. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptLogs } from '../stages/kept-logs.ts';
import { readQuarantine, withoutQuarantined, type Quarantine } from '../quarantine.ts';
import { runProgram } from '../run-program.ts';
import {
  failedFiles,
  failedStep,
  joined,
  type JestOutcome,
  type LogEnd,
  type Report,
  skippedTests,
  tallyOf,
  timesOfFiles,
} from '../stages/tally.ts';

export interface Tier {
  /** As its stage is named in reports. */
  readonly name: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Path of the configuration from the root. The default is the project's own. */
  readonly config?: string;
  /** Only test files whose path matches one of them; all when there is none. With patterns a tier may have nothing to run. */
  readonly patterns: readonly string[];
  /** Number of files that run at the same time. */
  readonly workers: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** One run of Jest. */
export interface JestRun {
  /** 1 when it took too long. */
  readonly code: number;
  /** Undefined when Jest ended before it could write it; Jest has printed why. */
  readonly outcome: JestOutcome | undefined;
}

/** Runs Jest with these arguments and variables; what Jest prints while it runs goes to stderr. */
export type RunJest = (args: readonly string[], env: Readonly<Record<string, string>>) => Promise<JestRun>;

function readOutcome(path: string): JestOutcome | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JestOutcome;
  } catch {
    return undefined;
  }
}

const jestOf =
  (tier: Tier): RunJest =>
  async (args, env) => {
    const folder = mkdtempSync(join(tmpdir(), 'kruise-tests-'));
    const result = join(folder, 'result.json');
    const { config = 'jest.config.mjs', workers, timeoutMs, signal } = tier;
    try {
      const { code, timedOut } = await runProgram({
        file: 'node_modules/jest/bin/jest.js',
        nodeFlags: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
        args: ['--json', '--outputFile', result, '--config', config, '--maxWorkers', String(workers), ...args],
        env: { ...tier.env, ...env },
        passOn: true,
        timeoutMs,
        signal,
      });
      if (timedOut) console.error(`Jest did not end within ${Math.round(timeoutMs / 60_000)} minutes and was ended.`);
      return { code: timedOut ? 1 : code, outcome: readOutcome(result) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

/** Returns what a run of Jest has shown. `logsOf` returns the ends of a file's logs. */
function reportOf(
  { name, patterns }: Pick<Tier, 'name' | 'patterns'>,
  { code, outcome }: JestRun,
  ms: number,
  logsOf: (file: string) => readonly LogEnd[],
): Report {
  const tally = tallyOf(outcome, code, patterns.length > 0);
  const failures = outcome === undefined ? [] : failedFiles(outcome).map((file) => ({ ...file, logs: logsOf(file.name) }));
  const noFile = { name, message: `Jest ended with code ${code}; its output above shows why`, logs: [] };
  return {
    tally,
    skipped: outcome === undefined ? [] : skippedTests(outcome),
    failures: tally.failed > 0 && failures.length === 0 ? [noFile] : failures.map(({ name, message, logs }) => ({ name, message, logs })),
    quarantined: [],
    files: outcome === undefined ? [] : timesOfFiles(outcome),
    stages: [{ name, ms }],
  };
}

/** Runs the tests of a tier, once. A run that takes longer than `timeoutMs` is ended and counts as failed. */
export async function runJest(tier: Tier, run: RunJest = jestOf(tier), quarantine: Quarantine = readQuarantine()): Promise<Report> {
  const logs = new KeptLogs();
  const began = performance.now();
  try {
    const args = [...(tier.patterns.length > 0 ? ['--passWithNoTests'] : []), ...tier.patterns];
    const { code, outcome } = await run(args, logs.env);
    const ended = outcome === undefined ? { code, outcome, quarantined: [] } : withoutQuarantined(outcome, code, quarantine.entries);
    const report = reportOf(tier, ended, performance.now() - began, (file) => logs.endsOf(file));
    const wrong = quarantine.problems.map((problem) => failedStep('quarantine', problem));
    return joined([{ ...report, quarantined: ended.quarantined }, ...wrong]);
  } finally {
    logs.dispose();
  }
}
