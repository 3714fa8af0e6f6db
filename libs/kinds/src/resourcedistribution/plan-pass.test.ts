/** @see spec/resourcedistribution.md 3, 5 */
import { describe, expect, it } from '@jest/globals';
import type { DistributionCondition, ResourceDistributionStatus } from '@kruise/api';
import { instant, milliseconds, type Milliseconds, type StageResult } from '@kruise/objects';
import { conclude, planPass, type Results, type Seen } from './plan-pass.ts';
import type { Action, Plan } from './plan.ts';
import type { Problem } from './status.ts';
import { aDistribution, aNamespace, list, wantedOf } from './testing.ts';

const now = instant(Date.UTC(2026, 0, 2));
const distribution = aDistribution({ includedNamespaces: list('a', 'b') });

/** `CONDITION NAMESPACES: REASON` of each condition that is True. */
const failed = (status: ResourceDistributionStatus | undefined): readonly string[] =>
  (status?.conditions ?? [])
    .filter(({ status: of }) => of === 'True')
    .map(({ type, failedNamespaces = [], reason }) => `${type} ${failedNamespaces.join()}: ${String(reason)}`);

describe('a pass', () => {
  const pass = (seen: Seen) => planPass(seen, now);

  it('says for every target why the resource cannot be read, and waits for a change', () => {
    const { status, distribute, failure, requeueAfter } = pass({ kind: 'Faulty', distribution, why: 'empty', targets: ['a', 'b'] });
    expect([failed(status), distribute, failure, requeueAfter]).toEqual([['GetResourceFailed a,b: empty'], [], undefined, undefined]);
  });

  it('leaves the status alone while the first list of the copies may still come', () => {
    const planned = pass({ kind: 'Listing', distribution, left: milliseconds(300) });
    expect([planned.status, planned.distribute, planned.requeueAfter]).toEqual([undefined, [], 300]);
  });

  it('says for every target why the copies cannot be listed, and fails', () => {
    const error = new Error('denied');
    const { status, distribute, failure } = pass({ kind: 'Unlisted', distribution, error, targets: ['a'] });
    expect([failed(status), distribute, failure]).toEqual([['GetResourceFailed a: denied'], [], error]);
  });

  it('plans the copies where they are known, and leaves the status to their results', () => {
    const snapshot = { wanted: wantedOf(distribution), namespaces: ['a', 'b'].map((name) => aNamespace(name)), copies: new Map() };
    const { distribute, status } = pass({ kind: 'Readable', distribution, snapshot });
    expect([distribute.map(({ kind, namespace }) => `${kind} ${namespace}`), status]).toEqual([['Create a', 'Create b'], undefined]);
  });
});

describe('the results of a pass', () => {
  const create = (namespace: string): Action => ({ kind: 'Create', namespace, because: 'x' });
  const remove = (namespace: string): Action => ({ kind: 'Delete', namespace, copy: { metadata: { name: 'x' } } as never, because: 'x' });
  const plan: Plan = { distribute: [create('a'), create('b')], clean: [remove('c')], desired: 2, problems: [] };

  interface Given {
    /** Namespaces whose action failed, and the condition of the call. */
    readonly failing?: Readonly<Record<string, DistributionCondition | 'Unknown'>>;
    readonly begun?: boolean;
    readonly notes?: readonly Problem[];
    readonly pauses?: Readonly<Record<string, Milliseconds>>;
  }

  function resultsOf({ failing = {}, begun = true, notes = [], pauses = {} }: Given): Results {
    const conditions = new Map<Error, DistributionCondition>();
    const stage = (actions: readonly Action[]): StageResult<Action> => {
      const failures = actions.flatMap((action) => {
        const condition = failing[action.namespace];
        const error = new Error(`no ${action.namespace}`);
        if (condition !== undefined && condition !== 'Unknown') conditions.set(error, condition);
        return condition === undefined ? [] : [{ action, error }];
      });
      const done = actions.length - failures.length;
      return { done, wrote: done, failures, allRefused: [] };
    };
    const stages = new Map([['distribute', stage(plan.distribute)], ...(begun ? [['clean', stage(plan.clean)] as const] : [])]);
    return { stages, notes, pauses: new Map(Object.entries(pauses)), conditionOf: (error) => conditions.get(error) };
  }

  it.each<{ name: string; given: Given; counts: readonly (number | undefined)[]; conditions: readonly string[]; again?: number }>([
    { name: 'count every copy as succeeded', given: {}, counts: [2, 2, undefined], conditions: [] },
    {
      name: 'show a failed call in its condition',
      given: { failing: { b: 'CreateResourceFailed' } },
      counts: [2, 1, 1],
      conditions: ['CreateResourceFailed b: no b'],
    },
    {
      name: 'show a failure that is no answer of the API server as one of reading',
      given: { failing: { b: 'Unknown' } },
      counts: [2, 1, 1],
      conditions: ['GetResourceFailed b: no b'],
    },
    {
      name: 'show a copy that could not be deleted, and count it as no failure',
      given: { failing: { c: 'DeleteResourceFailed' } },
      counts: [2, 2, undefined],
      conditions: ['DeleteResourceFailed c: no c'],
    },
    {
      name: 'show what a write came upon, and look for its end after a minute',
      given: { notes: [{ namespace: 'a', condition: 'ConflictOccurred', reason: 'taken' }] },
      counts: [2, 1, 1],
      conditions: ['ConflictOccurred a: taken'],
      again: 60_000,
    },
    {
      name: 'requeue when the first copy that is left alone is due',
      given: { pauses: { a: milliseconds(4000), other: milliseconds(2000) } },
      counts: [2, 1, 1],
      conditions: [expect.stringMatching(/^UpdateResourceFailed a: /) as unknown as string],
      again: 2000,
    },
  ])('$name', ({ given, counts, conditions, again }) => {
    const { status, requeueAfter } = conclude(distribution, plan, resultsOf(given), now);
    expect([status?.desired, status?.succeeded, status?.failed]).toEqual(counts);
    expect([failed(status), requeueAfter]).toEqual([conditions, again]);
  });

  it('leave the status alone where actions were not begun', () => {
    expect(conclude(distribution, plan, resultsOf({ begun: false }), now)).toEqual({});
  });
});
