import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type JestRun, runJest, type Tier } from './jest-tier.ts';
import type { FileOutcome } from './tally.ts';
import { aFile } from './tally.testing.ts';

const passed = (name: string): FileOutcome => aFile({ name, results: ['passed'] });
const failed = (name: string): FileOutcome => aFile({ name, results: ['failed'], message: `${name} has failed` });
const run = (code: number, ...testResults: readonly FileOutcome[]): JestRun => ({ code, outcome: { testResults } });

const tier = (given: Partial<Tier> = {}): Tier => ({
  patterns: [],
  workers: 1,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  mayBeUnsteady: 2,
  ...given,
});

/** Jest that ends as told, run after run; what it was asked for is kept. */
function jestThatEnds(...runs: readonly JestRun[]) {
  const asked: (readonly string[])[] = [];
  const timeouts: number[] = [];
  return {
    asked,
    timeouts,
    run: async (args: readonly string[], timeoutMs: number): Promise<JestRun> => {
      const next = runs[asked.length];
      asked.push(args);
      timeouts.push(timeoutMs);
      if (next === undefined) throw new Error('Jest was not to be run again');
      return next;
    },
  };
}

// What the runner tells while it goes on is not for the output of its own tests.
beforeEach(() => void jest.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => void jest.restoreAllMocks());

describe('a tier', () => {
  it('that passed is run once', async () => {
    const program = jestThatEnds(run(0, passed('a'), passed('b')));
    const report = await runJest(tier(), program.run);
    expect(report).toEqual({ tally: { passed: 2, failed: 0, skipped: 0 }, skipped: [], unsteady: [] });
    expect(program.asked).toEqual([[]]);
  });

  it('tries a failed file three times more, with its company, and within the time of one run in all', async () => {
    const good = run(0, passed('a'), passed('x'));
    const program = jestThatEnds(run(1, passed('a'), failed('x')), good, good, good);
    const report = await runJest(tier({ patterns: ['some'] }), program.run);
    expect(report).toEqual({
      tally: { passed: 2, failed: 0, skipped: 0 },
      skipped: [],
      unsteady: [{ file: 'x', failure: 'x has failed' }],
    });
    const again = ['--testSequencer', expect.stringMatching(/jest-sequencer\.ts$/), '--runTestsByPath', 'a', 'x'];
    expect(program.asked).toEqual([['--passWithNoTests', 'some'], again, again, again]);
    expect(program.timeouts.map((ms) => ms <= 60_000)).toEqual([true, true, true, true]);
  });

  it('stops trying a file that failed again', async () => {
    const program = jestThatEnds(run(1, failed('x')), run(0, passed('x')), run(1, failed('x')));
    expect(await runJest(tier(), program.run)).toMatchObject({ tally: { passed: 0, failed: 1 }, unsteady: [] });
    expect(program.asked).toHaveLength(3);
  });

  it('has failed when a try ends without an outcome', async () => {
    const program = jestThatEnds(run(1, failed('x')), { code: 1, outcome: undefined });
    expect(await runJest(tier(), program.run)).toMatchObject({ tally: { passed: 0, failed: 1 }, unsteady: [] });
  });

  it('has failed when a try ends badly though its tests pass', async () => {
    const good = run(0, passed('x'));
    const program = jestThatEnds(run(1, failed('x')), good, run(1, passed('x')), good);
    expect((await runJest(tier(), program.run)).tally).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it.each([
    { name: 'more files failed than may be unsteady', given: tier({ mayBeUnsteady: 1 }) },
    { name: 'none may be unsteady', given: tier({ mayBeUnsteady: 0 }) },
    { name: 'it is being ended', given: tier({ signal: AbortSignal.abort() }) },
  ])('tries nothing again when $name', async ({ given }) => {
    const program = jestThatEnds(run(1, failed('x'), failed('y')));
    expect(await runJest(given, program.run)).toMatchObject({ tally: { passed: 0, failed: 2 }, unsteady: [] });
    expect(program.asked).toHaveLength(1);
  });

  it('that ends without an outcome has one failure', async () => {
    expect(await runJest(tier(), jestThatEnds({ code: 1, outcome: undefined }).run)).toMatchObject({ tally: { passed: 0, failed: 1 } });
  });

  it('tells its skipped tests', async () => {
    const program = jestThatEnds(run(0, aFile({ name: 'a', results: ['passed', 'pending'] })));
    expect(await runJest(tier(), program.run)).toMatchObject({ tally: { skipped: 1 }, skipped: [{ file: 'a', name: 'a test 2' }] });
  });
});
