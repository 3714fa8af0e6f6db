import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isInUse, missingOf, subsetStatus, type SubsetInput } from './status.ts';
import { aSpreadPod, later, timeOf, type SubsetStatus } from '../testing.ts';

const pod = (name: string, more: Parameters<typeof aSpreadPod>[0] = {}) => aSpreadPod({ name, subset: 'a', ...more });
const old = (more: Partial<SubsetStatus>): SubsetStatus => ({ name: 'a', replicas: 0, missingReplicas: 0, ...more });
const of = (input: Partial<SubsetInput>, at = 0) =>
  subsetStatus({ name: 'a', limit: 3, pods: [], old: undefined, isLast: false, ...input }, undefined, later(at));

describe('the counters of a subset', () => {
  it.each<{ name: string; input: Partial<SubsetInput>; at?: number; then: Partial<SubsetStatus> }>([
    { name: 'begin with nothing', input: {}, then: { replicas: 0, missingReplicas: 3 } },
    { name: 'hold its active Pods', input: { pods: [pod('x'), pod('y')] }, then: { replicas: 2, missingReplicas: 1 } },
    {
      name: 'do not hold those that have ended or go',
      input: { pods: [pod('x', { phase: 'Succeeded' }), pod('y', { terminating: true }), pod('z')] },
      then: { replicas: 1, missingReplicas: 2 },
    },
    {
      name: 'miss none where there are too many',
      input: { pods: ['1', '2', '3', '4'].map((name) => pod(name)) },
      then: { replicas: 4, missingReplicas: 0 },
    },
    { name: 'miss -1 without a limit', input: { limit: -1, pods: [pod('x')] }, then: { replicas: 1, missingReplicas: -1 } },
    {
      name: 'keep what was promised',
      input: { pods: [pod('x')], old: old({ creatingPods: { y: timeOf(0) } }) },
      at: 29_999,
      then: { replicas: 1, missingReplicas: 1, creatingPods: { y: timeOf(0) } },
    },
    {
      name: 'let go of a promise once the Pod is there, ended or not',
      input: {
        pods: [pod('x'), pod('y', { phase: 'Failed' }), pod('z', { uidInSubset: 'u' })],
        old: old({ creatingPods: { x: timeOf(0), y: timeOf(0), u: timeOf(0) } }),
      },
      then: { replicas: 2, missingReplicas: 1 },
    },
    {
      name: 'add a place for one that is to go',
      input: { pods: [pod('x'), pod('y'), pod('z')], old: old({ deletingPods: { x: timeOf(0) } }) },
      at: 14_999,
      then: { replicas: 3, missingReplicas: 1, deletingPods: { x: timeOf(0) } },
    },
    {
      name: 'forget that of a deleted one',
      input: { pods: [pod('x', { terminating: true })], old: old({ deletingPods: { x: timeOf(0), y: timeOf(0) } }) },
      then: { replicas: 0, missingReplicas: 3 },
    },
    {
      name: 'forget a promise without a time',
      input: { old: old({ creatingPods: { y: null as never } }) },
      then: { replicas: 0, missingReplicas: 3 },
    },
    {
      name: 'forget a promise of a time that cannot be read',
      input: { old: old({ creatingPods: { y: 'noon' } }) },
      then: { replicas: 0, missingReplicas: 3 },
    },
  ])('$name', ({ input, at, then }) => {
    expect(of(input, at).status).toEqual({ name: 'a', ...then });
  });

  it('give up a Pod that was not created after 30 s, and report it (20)', () => {
    const { status, notes, waits } = of({ old: old({ creatingPods: { x: timeOf(0), y: timeOf(10_000) } }) }, 30_000);
    expect(status).toEqual({ name: 'a', replicas: 0, missingReplicas: 2, creatingPods: { y: timeOf(10_000) } });
    expect([notes, waits]).toEqual([[{ kind: 'CreatePodFailed', subset: 'a', pod: 'x' }], [10_000]]);
  });

  it('keep a Pod that was not deleted after 15 s, and report it', () => {
    const { status, notes } = of({ pods: [pod('x'), pod('y')], old: old({ deletingPods: { x: timeOf(0) } }) }, 15_000);
    expect(status).toEqual({ name: 'a', replicas: 2, missingReplicas: 1 });
    expect(notes).toEqual([{ kind: 'DeletePodFailed', subset: 'a', pod: 'x' }]);
  });

  it('are never below nothing, nor above the limit', () => {
    const count = fc.nat(6);
    fc.assert(
      fc.property(count, count, count, count, (limit, active, going, creating) => {
        const deleting = Math.min(going, active);
        const missing = missingOf(limit, { active, deleting, creating });
        expect(missing).toBeGreaterThanOrEqual(0);
        expect(missing).toBeLessThanOrEqual(limit);
        // Those that stay, those that come, and those that may come after them are never too many by what is promised here.
        expect(Math.max(active - deleting, 0) + creating + missing).toBeLessThanOrEqual(
          Math.max(limit, Math.max(active - deleting, 0) + creating),
        );
      }),
    );
    expect(missingOf(-1, { active: 5, deleting: 1, creating: 1 })).toBe(-1);
  });
});

it('a version is of interest while it has Pods, was promised some, or must not use a subset', () => {
  const closed = { type: 'Schedulable', status: 'False', reason: 'PodUnschedulable', message: '', lastTransitionTime: timeOf(0) } as const;
  const states: readonly Partial<SubsetStatus>[] = [
    {},
    { replicas: 1 },
    { creatingPods: { x: timeOf(0) } },
    { deletingPods: { x: timeOf(0) } },
    { conditions: [closed] },
    { conditions: [{ ...closed, status: 'True' }] },
  ];
  expect(states.map((more) => isInUse([old({}), old(more)]))).toEqual([false, true, true, true, true, false]);
});
