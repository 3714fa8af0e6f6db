import { describe, expect, it } from '@jest/globals';
import { instant } from '@kruise/objects';
import { type BlockingCause } from '../progress/blocking-cause.ts';
import { LastingCauses } from './lasting-causes.ts';

const budget: BlockingCause = { reason: 'BudgetRefuses', message: 'Pod a may not be updated now' };
const hook: BlockingCause = { reason: 'WaitingForHook', message: 'Pod a is held' };
const paused: BlockingCause = { reason: 'Paused', message: 'the update is paused' };
const quota: BlockingCause = { reason: 'QuotaExceeded', message: 'exceeded quota' };

/** One pass: when, and what it finds. */
type Pass = readonly [ms: number, found: BlockingCause | undefined, isSettled?: boolean];

/** What the condition names after each pass, and how long until it may change by itself. */
function named(passes: readonly Pass[]): readonly string[] {
  const causes = new LastingCauses();
  let held: BlockingCause | undefined;
  return passes.map(([ms, found, isSettled = false]) => {
    const conditions = held === undefined ? [] : [{ type: 'Blocked', status: 'True', ...held }];
    const object = { metadata: { name: 'web', uid: 'a' }, status: { conditions } };
    const { cause, requeueAfter } = causes.after(object, found, { isSettled, now: instant(ms) });
    held = cause;
    return [cause?.reason ?? 'none', ...(requeueAfter === undefined ? [] : [requeueAfter])].join(' ');
  });
}

describe('a cause that is a moment of a rollout', () => {
  it.each<{ name: string; passes: readonly Pass[]; then: readonly string[] }>([
    {
      name: 'is named once it has lasted 2 seconds',
      passes: [
        [1000, budget],
        [1500, budget],
        [3000, budget],
      ],
      then: ['none 2000', 'none 1500', 'BudgetRefuses'],
    },
    {
      name: 'is not named when it ends before',
      passes: [
        [1000, budget],
        [1500, undefined],
        [3500, budget],
      ],
      then: ['none 2000', 'none', 'none 2000'],
    },
    {
      name: 'waits by itself: another one before it does not count',
      passes: [
        [1000, hook],
        [2000, budget],
        [3000, budget],
        [4000, budget],
      ],
      then: ['none 2000', 'none 2000', 'none 1000', 'BudgetRefuses'],
    },
    {
      name: 'stays until it was absent for 2 seconds',
      passes: [
        [1000, budget],
        [3000, budget],
        [4000, undefined],
        [5000, budget],
        [6000, undefined],
        [8000, undefined],
      ],
      then: ['none 2000', 'BudgetRefuses', 'BudgetRefuses 2000', 'BudgetRefuses', 'BudgetRefuses 2000', 'none'],
    },
    {
      name: 'does not stay when nothing is left to do',
      passes: [
        [1000, budget],
        [3000, budget],
        [3100, undefined, true],
      ],
      then: ['none 2000', 'BudgetRefuses', 'none'],
    },
    {
      name: 'takes the place of another at once, as the condition is there already',
      passes: [
        [1000, paused],
        [1100, hook],
        [1200, quota],
      ],
      then: ['Paused', 'WaitingForHook', 'QuotaExceeded'],
    },
    {
      name: 'begins to wait again when the clock is set back',
      passes: [
        [9000, budget],
        [1000, budget],
        [3000, budget],
      ],
      then: ['none 2000', 'none 2000', 'BudgetRefuses'],
    },
  ])('$name', ({ passes, then }) => {
    expect(named(passes)).toEqual(then);
  });

  it('is forgotten with the object', () => {
    const causes = new LastingCauses();
    const object = { metadata: { name: 'web', uid: 'a' } };
    causes.after(object, budget, { isSettled: false, now: instant(0) });
    causes.forget('a');
    expect(causes.after(object, budget, { isSettled: false, now: instant(2000) })).toEqual({ requeueAfter: 2000 });
  });
});

it('a refusal, and what the user requested, is named and forgotten immediately', () => {
  expect(
    named([
      [0, quota],
      [1, undefined],
      [2, paused],
      [3, undefined],
    ]),
  ).toEqual(['QuotaExceeded', 'none', 'Paused', 'none']);
});
