import { describe, expect, it } from '@jest/globals';
import {
  countOnly,
  failedFiles,
  type FileOutcome,
  failedStep,
  joined,
  nothing,
  oneFailure,
  skippedTests,
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

  it('accepts that there is nothing to run where that is allowed', () => {
    expect(tallyOf({ testResults: [] }, 0, true)).toEqual(nothing);
  });
});

it('a file has failed whatever of it failed', () => {
  const files = [tests('a', 'passed'), tests('b', 'passed', 'failed'), aFile({ name: 'c', status: 'failed' })];
  expect(failedFiles({ testResults: files }).map(({ name }) => name)).toEqual(['b', 'c']);
});

it('a skipped test is reported with its file and its name', () => {
  const files = [tests('a', 'passed', 'pending', 'failed'), tests('b', 'todo')];
  expect(skippedTests({ testResults: files })).toEqual([
    { file: 'a', name: 'a test 2' },
    { file: 'b', name: 'b test 1' },
  ]);
});

describe('the sum of several reports', () => {
  it('keeps the order of stages and adds up their tests', () => {
    const stage = (name: string, passed: number) => ({ ...countOnly({ passed, failed: 0, skipped: 0 }), stages: [{ name, ms: 1 }] });
    const all = joined([stage('static', 0), stage('unit', 40), failedStep('removal', 'a mount is left')]);
    expect(all.stages.map(({ name }) => name)).toEqual(['static', 'unit']);
    expect(totalOf(all)).toEqual({ passed: 40, failed: 1, skipped: 0 });
  });

  it.each([
    { name: 'a disk is full (skipped: needs root)', failed: 0 },
    { name: 'a disk is full (skipped: )', failed: 1 },
  ])('has $failed failures for the skipped test "$name"', ({ name, failed }) => {
    const report = { ...countOnly({ passed: 3, failed: 0, skipped: 1 }), skipped: [{ file: 'a', name }] };
    expect(totalOf(report)).toEqual({ passed: 3, failed, skipped: 1 });
  });
});
