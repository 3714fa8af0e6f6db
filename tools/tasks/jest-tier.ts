/** Runs one tier of tests with Jest and counts them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';
import { failedFiles, type JestOutcome, sum, type Tally, tallyOf, withoutFailedFiles } from './tally.ts';

export interface Tier {
  readonly env?: Readonly<Record<string, string>>;
  /** Configuration from the root; the project's own unless told. */
  readonly config?: string;
  /** Only test files whose path fits one of them; all when there is none. With patterns a tier may have nothing to run. */
  readonly patterns: readonly string[];
  /** Of the first run. */
  readonly args?: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** For tests against real servers, which a busy machine may disturb. */
  readonly secondTry?: boolean;
}

/** More failures than these are no accident. */
const mostTriedAgain = 4;

function readOutcome(path: string): JestOutcome | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JestOutcome;
  } catch {
    return undefined;
  }
}

interface Run {
  readonly tally: Tally;
  /** Undefined when Jest ended before it could write it; it has said why. */
  readonly outcome: JestOutcome | undefined;
}

async function runOnce(tier: Tier, args: readonly string[], mayBeEmpty: boolean): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-tests-'));
  const result = join(folder, 'result.json');
  try {
    const { code, timedOut } = await runProgram({
      file: 'node_modules/jest/bin/jest.js',
      nodeFlags: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      args: ['--json', '--outputFile', result, '--config', tier.config ?? 'jest.config.mjs', ...args],
      env: { ...tier.env },
      passOn: true,
      timeoutMs: tier.timeoutMs,
      signal: tier.signal,
    });
    if (timedOut) console.error(`Jest did not end within ${tier.timeoutMs / 60_000} minutes and was ended.`);
    const outcome = readOutcome(result);
    return { tally: tallyOf(outcome, timedOut ? 1 : code, mayBeEmpty), outcome };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * What Jest reports while it runs goes to stderr. A run that takes too long is ended and counts as failed. Of a tier with `secondTry`, up to
 * {@link mostTriedAgain} failed files are run once more, one by one: what passes then is named as unsteady, what fails twice has failed.
 */
export async function runJest(tier: Tier): Promise<Tally> {
  const { args = [], patterns, secondTry = false, signal } = tier;
  const mayBeEmpty = patterns.length > 0;
  const first = await runOnce(tier, [...args, ...(mayBeEmpty ? ['--passWithNoTests'] : []), ...patterns], mayBeEmpty);
  const again = first.outcome === undefined ? [] : failedFiles(first.outcome);
  if (!secondTry || first.outcome === undefined || again.length === 0 || again.length > mostTriedAgain || signal.aborted)
    return first.tally;
  console.error(`${again.length} test files have failed and are run once more, one by one:\n${again.join('\n')}`);
  const second = await runOnce(tier, ['--runInBand', '--runTestsByPath', ...again], false);
  const failedTwice = new Set(second.outcome === undefined ? again : failedFiles(second.outcome));
  for (const file of again) if (!failedTwice.has(file)) console.error(`UNSTEADY ${file}: it passed at its second try only`);
  return sum([withoutFailedFiles(first.outcome), second.tally]);
}
