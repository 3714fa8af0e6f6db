import { describe, expect, it } from '@jest/globals';
import {
  countOnly,
  failedFiles,
  type FileOutcome,
  joined,
  lastLines,
  nothing,
  oneFailure,
  type Report,
  skippedTests,
  sum,
  tallyOf,
  totalOf,
} from './tally.ts';
import { aFile } from './tally.testing.ts';

const tests = (name: string, ...results: readonly string[]): FileOutcome => aFile({ name, results });

describe('tallyOf', () => {
  it.each<{ name: string; given: readonly FileOutcome[] | undefined; code: number; then: typeof nothing }>([
    {
      name: 'tests that passed or did not run',
      given: [tests('a', 'passed', 'pending'), tests('b', 'passed', 'passed', 'todo')],
      code: 0,
      then: { passed: 3, failed: 0, skipped: 2 },
    },
    { name: 'a failed test', given: [tests('a', 'passed', 'failed', 'passed')], code: 1, then: { passed: 2, failed: 1, skipped: 0 } },
    {
      name: 'a file that does not load counts as a failure',
      given: [tests('a', 'passed', 'failed'), aFile({ name: 'b', status: 'failed' }), aFile({ name: 'c', status: 'failed' })],
      code: 1,
      then: { passed: 1, failed: 3, skipped: 0 },
    },
    {
      name: 'a file that leaves something open counts as a failure beside its tests that passed',
      given: [aFile({ name: 'a', status: 'failed', results: ['passed', 'passed'] })],
      code: 1,
      then: { passed: 2, failed: 1, skipped: 0 },
    },
    {
      name: 'an exit code without a failed test is a failure',
      given: [tests('a', 'passed')],
      code: 1,
      then: { passed: 1, failed: 1, skipped: 0 },
    },
    { name: 'no test at all is a failure', given: [], code: 0, then: { passed: 0, failed: 1, skipped: 0 } },
    {
      name: 'nothing but skipped tests is a failure',
      given: [tests('a', 'pending')],
      code: 0,
      then: { passed: 0, failed: 1, skipped: 1 },
    },
    { name: 'Jest that ended without a result is a failure', given: undefined, code: 0, then: oneFailure },
  ])('$name', ({ given, code, then }) => {
    expect(tallyOf(given && { testResults: given }, code)).toEqual(then);
  });

  it('takes nothing to run for no failure where that may be', () => {
    expect(tallyOf({ testResults: [] }, 0, true)).toEqual(nothing);
  });
});

it('a file has failed whatever of it failed', () => {
  const files = [tests('a', 'passed'), tests('b', 'passed', 'failed'), aFile({ name: 'c', status: 'failed' })];
  expect(failedFiles({ testResults: files }).map(({ name }) => name)).toEqual(['b', 'c']);
});

it('a skipped test is told with its file and its name', () => {
  const files = [tests('a', 'passed', 'pending', 'failed'), tests('b', 'todo')];
  expect(skippedTests({ testResults: files })).toEqual([
    { file: 'a', name: 'a test 2' },
    { file: 'b', name: 'b test 1' },
  ]);
});

describe('the end of the output', () => {
  const report = (given: Partial<Report>): Report => ({ ...countOnly({ passed: 40, failed: 0, skipped: 0 }), ...given });
  const unsteady = (count: number): Report['unsteady'] =>
    Array.from({ length: count }, (_, n) => ({ file: `/p/${n}`, failure: `why ${n}` }));
  const linesOf = (given: Partial<Report>): readonly string[] => lastLines(report(given), (file) => file.replace('/p/', ''));

  it('is one line that adds up when there is nothing else to say', () => {
    const sums = sum([nothing, { passed: 2, failed: 1, skipped: 0 }, { passed: 40, failed: 0, skipped: 0 }]);
    expect(linesOf({ tally: sums })).toEqual(['42 passed, 1 failed']);
  });

  it('names each skipped test with its reason, and counts them', () => {
    const skipped = [{ file: '/p/a', name: 'a disk is full (skipped: needs root)' }];
    expect(linesOf({ skipped, tally: { passed: 3, failed: 0, skipped: 1 } })).toEqual([
      'SKIPPED a: a disk is full (skipped: needs root)',
      '3 passed, 0 failed, 1 skipped',
    ]);
  });

  it('says that a test was skipped without a reason, which fails the run', () => {
    expect(
      linesOf({ skipped: [{ file: '/p/a', name: 'a disk is full (skipped: )' }], tally: { passed: 3, failed: 0, skipped: 1 } }),
    ).toEqual([
      'SKIPPED a: a disk is full (skipped: )',
      '1 skipped without a reason (see skipUnless of @kruise/testing): the run has failed',
      '3 passed, 1 failed, 1 skipped',
    ]);
  });

  it('shows of an unsteady file what it failed with, 30 lines at most, without colours', () => {
    const failure = ['', '\u001b[31m● it works\u001b[39m', '', ...Array.from({ length: 40 }, (_, n) => `    line ${n}`)].join('\n');
    const lines = linesOf({ unsteady: [{ file: '/p/a', failure }] });
    expect(lines.slice(0, 3)).toEqual([
      'UNSTEADY a: it fails in some runs and passes in others; it failed with',
      '  | ● it works',
      '  |     line 0',
    ]);
    expect(lines).toHaveLength(1 + 30 + 1);
    expect(lines.at(-1)).toBe('40 passed, 0 failed');
  });

  it.each([
    { count: 2, then: 0 },
    { count: 3, then: 1 },
  ])('with $count unsteady files there are $then failures: two are the most in all tiers together', ({ count, then }) => {
    const all = joined([report({ unsteady: unsteady(1) }), report({ unsteady: unsteady(count - 1) })]);
    expect(totalOf(all)).toEqual({ passed: 80, failed: then, skipped: 0 });
    const lines = lastLines(all, (file) => file);
    expect(lines.includes('3 unsteady files, more than 2: the run has failed')).toBe(then === 1);
    expect(lines.at(-1)).toBe(`80 passed, ${then} failed`);
  });
});
