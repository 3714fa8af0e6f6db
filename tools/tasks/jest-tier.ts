/** Runs one tier of tests with Jest and counts them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';
import { type JestOutcome, type Tally, tallyOf } from './tally.ts';

export interface Tier {
  readonly env?: Readonly<Record<string, string>>;
  /** Configuration from the root; the project's own unless told. */
  readonly config?: string;
  /** Only test files whose path fits one of them; all when there is none. With patterns a tier may have nothing to run. */
  readonly patterns: readonly string[];
  readonly args?: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

function readOutcome(path: string): JestOutcome | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JestOutcome;
  } catch {
    return undefined; // Jest ended before it could write it; it has said why
  }
}

/** What Jest reports while it runs goes to stderr. A run that takes too long is ended and counts as failed. */
export async function runJest(tier: Tier): Promise<Tally> {
  const { config = 'jest.config.mjs', args = [], patterns } = tier;
  const mayBeEmpty = patterns.length > 0;
  const folder = mkdtempSync(join(tmpdir(), 'kruise-tests-'));
  const result = join(folder, 'result.json');
  try {
    const { code, timedOut } = await runProgram({
      file: 'node_modules/jest/bin/jest.js',
      nodeFlags: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      args: ['--json', '--outputFile', result, '--config', config, ...args, ...(mayBeEmpty ? ['--passWithNoTests'] : []), ...patterns],
      env: { ...tier.env },
      passOn: true,
      timeoutMs: tier.timeoutMs,
      signal: tier.signal,
    });
    if (timedOut) console.error(`Jest did not end within ${tier.timeoutMs / 60_000} minutes and was ended.`);
    return tallyOf(readOutcome(result), timedOut ? 1 : code, mayBeEmpty);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
