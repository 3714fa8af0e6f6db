import { describe, expect, it } from '@jest/globals';
import { failedFiles, type JestOutcome, nothing, oneFailure, sum, summaryLine, tallyOf, withoutFailedFiles } from './tally.ts';

const outcome = (given: Partial<JestOutcome>): JestOutcome => ({
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numRuntimeErrorTestSuites: 0,
  testResults: [],
  ...given,
});

describe('tallyOf', () => {
  it.each([
    {
      name: 'tests that passed',
      given: outcome({ numPassedTests: 3, numPendingTests: 2 }),
      code: 0,
      then: { passed: 3, failed: 0, skipped: 2 },
    },
    {
      name: 'a failed test',
      given: outcome({ numPassedTests: 3, numFailedTests: 1 }),
      code: 1,
      then: { passed: 3, failed: 1, skipped: 0 },
    },
    {
      name: 'a file that does not load counts as a failure',
      given: outcome({ numPassedTests: 3, numFailedTests: 1, numRuntimeErrorTestSuites: 2 }),
      code: 1,
      then: { passed: 3, failed: 3, skipped: 0 },
    },
    {
      name: 'an exit code without a failed test is a failure',
      given: outcome({ numPassedTests: 3 }),
      code: 1,
      then: { passed: 3, failed: 1, skipped: 0 },
    },
    { name: 'no test at all is a failure', given: outcome({}), code: 0, then: { passed: 0, failed: 1, skipped: 0 } },
    { name: 'Jest that ended without a result is a failure', given: undefined, code: 0, then: oneFailure },
  ])('$name', ({ given, code, then }) => {
    expect(tallyOf(given, code)).toEqual(then);
  });
});

it('nothing to run is no failure where that may be', () => {
  expect(tallyOf(outcome({}), 0, true)).toEqual(nothing);
});

describe('a second try', () => {
  const file = (name: string, status: string, ...results: readonly string[]): JestOutcome['testResults'][number] => ({
    name,
    status,
    assertionResults: results.map((result) => ({ status: result })),
  });
  const first = outcome({
    numPassedTests: 3,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 1,
    testResults: [file('a', 'passed', 'passed', 'pending'), file('b', 'failed', 'passed', 'failed', 'passed'), file('c', 'failed')],
  });

  it('is for the files in which something failed', () => {
    expect(failedFiles(first)).toEqual(['b', 'c']);
  });

  it('replaces what these files counted before', () => {
    expect(withoutFailedFiles(first)).toEqual({ passed: 1, failed: 0, skipped: 1 });
  });
});

describe('the summary', () => {
  it('adds up and is one line', () => {
    expect(summaryLine(sum([nothing, { passed: 2, failed: 1, skipped: 5 }, { passed: 40, failed: 0, skipped: 0 }]))).toBe(
      '42 passed, 1 failed',
    );
  });
});
