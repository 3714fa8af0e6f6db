/** Runs one tier of tests with Jest and counts them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runProgram } from './run-program.ts';
import { countOnly, failedFiles, type JestOutcome, oneFailure, type Report, skippedTests, sum, tallyOf } from './tally.ts';
import { filesOfTry, isOpen, tries, verdictOf } from './tries.ts';

export interface Tier {
  readonly env?: Readonly<Record<string, string>>;
  /** Configuration from the root; the project's own unless told. */
  readonly config?: string;
  /** Only test files whose path fits one of them; all when there is none. With patterns a tier may have nothing to run. */
  readonly patterns: readonly string[];
  /** Files that run side by side. */
  readonly workers: number;
  /** Of the first run, and again of all tries together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Up to so many failed files are tried again, for tests against real servers. None in a tier that has no accidents. */
  readonly mayBeUnsteady: number;
}

/** One run of Jest. */
export interface JestRun {
  /** 1 when it took too long. */
  readonly code: number;
  /** Undefined when Jest ended before it could write it; it has said why. */
  readonly outcome: JestOutcome | undefined;
}

/** Runs Jest with these arguments; what Jest reports while it runs goes to stderr. */
export type RunJest = (args: readonly string[], timeoutMs: number) => Promise<JestRun>;

function readOutcome(path: string): JestOutcome | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JestOutcome;
  } catch {
    return undefined;
  }
}

const jestOf =
  (tier: Tier): RunJest =>
  async (args, timeoutMs) => {
    const folder = mkdtempSync(join(tmpdir(), 'kruise-tests-'));
    const result = join(folder, 'result.json');
    try {
      const { code, timedOut } = await runProgram({
        file: 'node_modules/jest/bin/jest.js',
        nodeFlags: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
        args: [
          ...['--json', '--outputFile', result, '--config', tier.config ?? 'jest.config.mjs', '--maxWorkers', String(tier.workers)],
          ...args,
        ],
        env: { ...tier.env },
        passOn: true,
        timeoutMs,
        signal: tier.signal,
      });
      if (timedOut) console.error(`Jest did not end within ${Math.round(timeoutMs / 60_000)} minutes and was ended.`);
      return { code: timedOut ? 1 : code, outcome: readOutcome(result) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

/** @returns what the tries have shown in the place of what the first run has */
async function tryAgain(tier: Tier, first: JestOutcome, run: RunJest): Promise<Pick<Report, 'tally' | 'unsteady'>> {
  const files = filesOfTry(first, tier.workers);
  const deadline = performance.now() + tier.timeoutMs;
  const outcomes: JestOutcome[] = [];
  let strangeEnds = 0;
  while (isOpen(first, outcomes) && !tier.signal.aborted) {
    console.error(
      `${failedFiles(first).length} failed files are tried again, ${outcomes.length + 1} of ${tries}, as part of\n${files.join('\n')}`,
    );
    const args = ['--testSequencer', join(root, 'tools/tasks/jest-sequencer.ts'), '--runTestsByPath', ...files];
    const { code, outcome } = await run(args, Math.max(1, deadline - performance.now()));
    if (outcome === undefined) break;
    outcomes.push(outcome);
    if (code !== 0 && failedFiles(outcome).length === 0) strangeEnds += 1;
  }
  const { tally, unsteady } = verdictOf(first, outcomes);
  return { tally: strangeEnds > 0 ? sum([tally, oneFailure]) : tally, unsteady };
}

/** A run that takes too long is ended and counts as failed; failed files are tried again as {@link filesOfTry} tells. */
export async function runJest(tier: Tier, run: RunJest = jestOf(tier)): Promise<Report> {
  const { patterns, mayBeUnsteady, signal } = tier;
  const mayBeEmpty = patterns.length > 0;
  const { code, outcome } = await run([...(mayBeEmpty ? ['--passWithNoTests'] : []), ...patterns], tier.timeoutMs);
  const tally = tallyOf(outcome, code, mayBeEmpty);
  if (outcome === undefined) return countOnly(tally);
  const skipped = skippedTests(outcome);
  const failed = failedFiles(outcome).length;
  const isTriedAgain = failed > 0 && failed <= mayBeUnsteady && !signal.aborted;
  return { skipped, ...(isTriedAgain ? await tryAgain(tier, outcome, run) : { tally, unsteady: [] }) };
}
