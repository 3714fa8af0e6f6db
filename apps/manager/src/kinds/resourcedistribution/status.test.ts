/** @see spec/resourcedistribution.md 3, 5.2 */
import { describe, expect, it } from '@jest/globals';
import type { ResourceDistribution, ResourceDistributionStatus } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { instant } from '@kruise/objects';
import { distributeFailed } from './events.ts';
import { computeStatus, newlyFailed, waitsForOthers, type Outcomes, type Problem } from '@kruise/kinds/resourcedistribution';
import { aDistribution } from '@kruise/kinds/resourcedistribution/testing';

const now = instant(Date.UTC(2026, 0, 2));
const earlier = '2026-01-01T00:00:00Z';
const types = [
  'GetResourceFailed',
  'CreateResourceFailed',
  'UpdateResourceFailed',
  'DeleteResourceFailed',
  'ConflictOccurred',
  'NamespaceNotExists',
] as const;
const good = (at = '2026-01-02T00:00:00Z') => types.map((type) => ({ type, status: 'False', reason: 'Succeeded', lastTransitionTime: at }));
const problem = (condition: Problem['condition'], namespace: string, reason = 'no'): Problem => ({ condition, namespace, reason });
const outcomes = (more: Partial<Outcomes> = {}): Outcomes => ({ desired: 3, problems: [], leftovers: [], ...more });
const compute = (of: Outcomes, status?: ResourceDistributionStatus): ResourceDistributionStatus =>
  computeStatus({ metadata: { name: 'd', generation: 4 }, ...(status === undefined ? {} : { status }) }, of, now);

describe('a status', () => {
  it('of a distribution that is done has six conditions in their order, and no number of 0 (2)', () => {
    expect(compute(outcomes())).toEqual({ desired: 3, succeeded: 3, observedGeneration: 4, conditions: good() });
    expect(compute(outcomes({ desired: 0 }))).toEqual({ observedGeneration: 4, conditions: good() });
  });

  it('counts a namespace once, however much is wrong there', () => {
    const problems = [problem('ConflictOccurred', 'a'), problem('GetResourceFailed', 'a'), problem('NamespaceNotExists', 'b')];
    expect(compute(outcomes({ problems }))).toMatchObject({ desired: 3, succeeded: 1, failed: 2 });
    expect(compute(outcomes({ desired: 2, problems }))).not.toHaveProperty('succeeded');
  });

  it('names the failed namespaces, sorted, and the reason of the last of them', () => {
    const problems = [
      problem('CreateResourceFailed', 'b', 'quota b'),
      problem('CreateResourceFailed', 'c', 'quota c'),
      problem('CreateResourceFailed', 'a', 'quota a'),
    ];
    const { conditions = [] } = compute(outcomes({ problems }));
    expect(conditions[1]).toEqual({
      type: 'CreateResourceFailed',
      status: 'True',
      reason: 'quota c',
      failedNamespaces: ['a', 'b', 'c'],
      lastTransitionTime: '2026-01-02T00:00:00Z',
    });
    expect(compute(outcomes({ problems: problems.toReversed() })).conditions).toEqual(conditions);
  });

  it('reports leftovers only in conditions', () => {
    const status = compute(outcomes({ leftovers: [problem('DeleteResourceFailed', 'z'), problem('GetResourceFailed', 'y')] }));
    expect(status).toMatchObject({ desired: 3, succeeded: 3 });
    expect(status.conditions?.map(({ status: value }) => value)).toEqual(['True', 'False', 'False', 'True', 'False', 'False']);
    expect(status).not.toHaveProperty('failed');
  });

  it('may have a failure that is in no namespace', () => {
    const { conditions = [] } = compute(outcomes({ leftovers: [problem('GetResourceFailed', '', 'forbidden')] }));
    expect(conditions[0]).toEqual({
      type: 'GetResourceFailed',
      status: 'True',
      reason: 'forbidden',
      lastTransitionTime: '2026-01-02T00:00:00Z',
    });
  });

  it('cuts the reason that would fill it', () => {
    const { conditions = [] } = compute(outcomes({ problems: [problem('CreateResourceFailed', 'a', 'x'.repeat(9000))] }));
    expect(conditions[1]?.reason).toHaveLength(1024);
  });

  it('keeps the time of a condition whose status is the same, and moves it when that changes', () => {
    const before = { conditions: good(earlier) } as ResourceDistributionStatus;
    const { conditions = [] } = compute(outcomes({ problems: [problem('ConflictOccurred', 'a')] }), before);
    expect(conditions.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
      earlier,
      earlier,
      earlier,
      earlier,
      '2026-01-02T00:00:00Z',
      earlier,
    ]);
    expect(compute(outcomes(), before).conditions).toEqual(before.conditions);
  });

  it.each<{ name: string; held: unknown }>([
    { name: 'fewer than six', held: good(earlier).slice(0, 2) },
    { name: 'none', held: [] },
    { name: 'without times', held: good(earlier).map(({ lastTransitionTime: _time, ...rest }) => rest) },
    { name: 'in another order', held: good(earlier).toReversed() },
  ])('takes over conditions of any kind: $name', ({ held }) => {
    const { conditions = [] } = compute(outcomes(), { conditions: held } as ResourceDistributionStatus);
    expect(conditions).toHaveLength(6);
    expect(conditions.every(({ lastTransitionTime }) => lastTransitionTime !== undefined)).toBe(true);
  });
});

describe('what is new', () => {
  const failing = compute(outcomes({ problems: [problem('ConflictOccurred', 'a'), problem('NamespaceNotExists', 'b')] }));

  it('is reported once for each condition', () => {
    expect(newlyFailed(undefined, failing).map(({ type }) => type)).toEqual(['ConflictOccurred', 'NamespaceNotExists']);
    expect(newlyFailed(failing, failing)).toEqual([]);
    expect(newlyFailed(compute(outcomes()), failing)).toHaveLength(2);
    expect(newlyFailed(failing, compute(outcomes()))).toEqual([]);
  });

  it('is reported with the names, up to ten', () => {
    const reported: string[] = [];
    const recorder: EventRecorder = { event: (_object, type, reason, message) => void reported.push(`${type} ${reason} ${message}`) };
    const names = Array.from({ length: 12 }, (_, i) => `n${String(i).padStart(2, '0')}`);
    const distribution: ResourceDistribution = aDistribution({});
    distributeFailed(recorder, distribution, { type: 'CreateResourceFailed', status: 'True', reason: 'quota', failedNamespaces: names });
    distributeFailed(recorder, distribution, {
      type: 'ConflictOccurred',
      status: 'True',
      reason: 'conflict',
      failedNamespaces: ['a', 'b'],
    });
    distributeFailed(recorder, distribution, { type: 'GetResourceFailed', status: 'True', reason: 'forbidden' });
    expect(reported).toEqual([
      `Warning DistributeFailed CreateResourceFailed in ${names.slice(0, 10).join(', ')} and 2 more: quota`,
      'Warning DistributeFailed ConflictOccurred in a, b: conflict',
      'Warning DistributeFailed GetResourceFailed: forbidden',
    ]);
  });
});

it.each(types)('a look from time to time is needed for what others have to mend: %s', (condition) => {
  expect(waitsForOthers({ problems: [problem(condition, 'a')] })).toBe(
    condition === 'ConflictOccurred' || condition === 'NamespaceNotExists',
  );
  expect(waitsForOthers({ problems: [] })).toBe(false);
});
