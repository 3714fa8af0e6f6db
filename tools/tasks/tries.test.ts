import { describe, expect, it } from '@jest/globals';
import type { FileOutcome, JestOutcome } from './tally.ts';
import { aFile } from './tally.testing.ts';
import { filesOfTry, isOpen, verdictOf } from './tries.ts';

const passed = (name: string, from?: number, to?: number): FileOutcome => file('passed', name, from, to);
const failed = (name: string, from?: number, to?: number): FileOutcome => file('failed', name, from, to);

function file(result: string, name: string, from?: number, to?: number): FileOutcome {
  const message = result === 'failed' ? `${name} has failed` : '';
  return aFile({ name, results: ['passed', result], message, ...(from === undefined || to === undefined ? {} : { span: [from, to] }) });
}

const outcome = (...testResults: readonly FileOutcome[]): JestOutcome => ({ testResults });

describe('a try', () => {
  it.each<{ name: string; workers: number; given: readonly FileOutcome[]; then: readonly string[] }>([
    {
      name: 'has the files that ran beside the failed one, in the order in which they began',
      workers: 3,
      given: [
        passed('before', 0, 9),
        passed('early', 5, 12),
        failed('x', 10, 30),
        passed('whole', 1, 40),
        passed('late', 29, 50),
        passed('after', 30, 60),
      ],
      then: ['whole', 'early', 'x', 'late'],
    },
    {
      name: 'has no company when a file failed alone, as it was then',
      workers: 3,
      given: [passed('a', 0, 9), failed('x', 9, 30)],
      then: ['x'],
    },
    {
      name: 'has the company of each failed file once',
      workers: 2,
      given: [failed('x', 0, 10), passed('a', 0, 20), failed('y', 10, 30), passed('b', 40, 50)],
      then: ['x', 'a', 'y'],
    },
    {
      name: 'of one worker has the file right before',
      workers: 1,
      given: [passed('a', 0, 10), passed('b', 10, 20), failed('x', 20, 30), passed('c', 30, 40)],
      then: ['b', 'x'],
    },
    { name: 'of one worker has nothing before the first file', workers: 1, given: [failed('x', 0, 30), passed('c', 30, 40)], then: ['x'] },
    {
      name: 'of one worker keeps the order of files that tell no time',
      workers: 1,
      given: [passed('a', 0, 10), failed('x'), failed('y'), failed('z', 30, 40)],
      then: ['a', 'x', 'y', 'z'],
    },
    {
      name: 'takes what ended around a file that tells no time for its company',
      workers: 2,
      given: [passed('a', 0, 10), passed('b', 0, 20), passed('c', 10, 30), failed('x'), passed('d', 30, 50), passed('e', 50, 60)],
      then: ['c', 'x', 'd'],
    },
  ])('$name', ({ workers, given, then }) => {
    expect(filesOfTry(outcome(...given), workers)).toEqual(then);
  });
});

describe('the verdict', () => {
  const first = outcome(passed('a'), failed('x'), passed('b'));
  const good = outcome(passed('a'), passed('x'));
  const bad = outcome(passed('a'), failed('x'));

  it.each<{ name: string; outcomes: readonly JestOutcome[] }>([
    { name: 'fails once in three tries', outcomes: [good, bad, good] },
    { name: 'fails in the last of three tries', outcomes: [good, good, bad] },
    { name: 'passes in fewer than three tries', outcomes: [good, good] },
    { name: 'is in no outcome of a try', outcomes: [good, good, outcome(passed('a'))] },
    { name: 'was never tried again', outcomes: [] },
  ])('a file that $name has failed', ({ outcomes }) => {
    expect(verdictOf(first, outcomes)).toEqual({ tally: { passed: 5, failed: 1, skipped: 0 }, unsteady: [] });
  });

  it('a file that passes three times has passed, and is named with its first failure; its company counts once', () => {
    expect(verdictOf(first, [good, good, good])).toEqual({
      tally: { passed: 6, failed: 0, skipped: 0 },
      unsteady: [{ file: 'x', failure: 'x has failed' }],
    });
  });

  it('company that fails in a try is unsteady, once, and counts as it did before', () => {
    const other = outcome(failed('a'), passed('x'));
    expect(verdictOf(first, [other, good, other])).toEqual({
      tally: { passed: 6, failed: 0, skipped: 0 },
      unsteady: [
        { file: 'x', failure: 'x has failed' },
        { file: 'a', failure: 'a has failed' },
      ],
    });
  });

  it('each failed file is judged on its own', () => {
    const two = outcome(failed('x'), failed('y'));
    const again = outcome(passed('x'), failed('y'));
    expect(verdictOf(two, [again, again, again])).toEqual({
      tally: { passed: 3, failed: 1, skipped: 0 },
      unsteady: [{ file: 'x', failure: 'x has failed' }],
    });
  });
});

describe('tries go on', () => {
  const first = outcome(failed('x'), failed('y'));
  it.each<{ name: string; outcomes: readonly JestOutcome[]; then: boolean }>([
    { name: 'at first', outcomes: [], then: true },
    { name: 'while one file has not failed again', outcomes: [outcome(failed('x'), passed('y'))], then: true },
    { name: 'until each has', outcomes: [outcome(failed('x'), passed('y')), outcome(passed('x'), failed('y'))], then: false },
    { name: 'until there were three', outcomes: Array.from({ length: 3 }, () => outcome(passed('x'), passed('y'))), then: false },
  ])('$name', ({ outcomes, then }) => {
    expect(isOpen(first, outcomes)).toBe(then);
  });
});
