/** When a pass requests the next one although nothing may change: what time alone brings about. @see spec/cloneset.md 5.2 step 14 */
import { describe, expect, it } from '@jest/globals';
import { formatTime, instant, type Pod } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { planned, type MemberShape, type Situation } from './situation.testing.ts';

const now = epoch + 3_600_000;
const conditionAt =
  (status: string, milliseconds: number | undefined) =>
  (pod: Pod): Pod => {
    const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
    const time = milliseconds === undefined ? {} : { lastTransitionTime: formatTime(instant(now + milliseconds)) };
    return { ...pod, status: { ...pod.status, conditions: [...others, { type: 'Ready', status, ...time }] } };
  };
/** Ready since this many seconds. */
const readyFor = (seconds: number | undefined): MemberShape => ({
  with: conditionAt('True', seconds === undefined ? undefined : -seconds * 1000),
});
const set = (minReadySeconds: number, replicas: number, more: object = {}): Situation['set'] => ({
  replicas,
  rollingUpdate: { paused: true },
  spec: { minReadySeconds, ...more },
});

describe('a moment after minReadySeconds', () => {
  it.each<{ name: string; given: Situation; then: number | undefined }>([
    {
      name: 'of the Pod that has waited longest',
      given: { set: set(10, 3), pods: { a: readyFor(2), b: readyFor(6), c: readyFor(4) } },
      then: 4050,
    },
    { name: 'of a Pod that becomes ready just now', given: { set: set(10, 1), pods: { a: readyFor(0) } }, then: 10_050 },
    {
      name: 'of a Pod that has just waited long enough, as later than that is meant',
      given: { set: set(10, 1), pods: { a: readyFor(10) } },
      then: 50,
    },
    { name: 'but not when all are available', given: { set: set(10, 1), pods: { a: readyFor(11) } }, then: undefined },
    {
      name: 'but not without minReadySeconds',
      given: { set: set(0, 1), pods: { a: readyFor(0), b: { state: 'PreparingNormal', ...readyFor(0) } } },
      then: undefined,
    },
    {
      name: 'but not for Pods that are not ready',
      given: { set: set(10, 1), pods: { a: { with: conditionAt('False', -2000) } } },
      then: 58_000,
    },
    {
      name: 'but not for Pods that say nothing of being ready',
      given: { set: set(10, 1), pods: { a: { with: (pod) => ({ ...pod, status: { phase: 'Pending' } }) } } },
      then: undefined,
    },
    { name: 'but not for Pods of which no time is known', given: { set: set(10, 1), pods: { a: readyFor(undefined) } }, then: undefined },
    {
      name: 'but not for a Pod that other things keep from being available, long after',
      given: {
        set: set(10, 1, { lifecycle: { preNormal: { labelsHandler: { gone: 'yes' } } } }),
        pods: { a: { state: 'PreparingNormal', ...readyFor(100) } },
      },
      then: undefined,
    },
    {
      name: 'of another Pod although one is kept from being available',
      given: {
        set: set(10, 2, { lifecycle: { preNormal: { labelsHandler: { gone: 'yes' } } } }),
        pods: { a: { state: 'PreparingNormal', ...readyFor(100) }, b: readyFor(7) },
      },
      then: 3050,
    },
  ])('$name', ({ given, then }) => {
    expect(planned(given).requeueAfter).toBe(then);
  });

  it('which is when the Pod counts as available', () => {
    const given: Situation = { set: set(10, 1), pods: { a: readyFor(3) } };
    const wait = planned(given).requeueAfter ?? 0;
    expect(wait).toBe(7050);
    const later = planned({ ...given, context: { now: instant(now + wait) } });
    expect(later.requeueAfter).toBeUndefined();
  });
});

describe('the earliest of what is waited for', () => {
  const progressing = {
    replicas: 2,
    readyReplicas: 0,
    availableReplicas: 0,
    updatedReplicas: 2,
    updatedReadyReplicas: 0,
    conditions: [
      { type: 'Progressing', status: 'True' as const, reason: 'CloneSetUpdated', lastUpdateTime: formatTime(instant(now - 10_000)) },
    ],
  };
  it.each<{ name: string; deadline: number; ready: number; then: number }>([
    { name: 'the deadline of the rollout', deadline: 12, ready: 1, then: 3000 },
    { name: 'availability', deadline: 60, ready: 1, then: 9050 },
  ])('$name', ({ deadline, ready, then }) => {
    const given: Situation = {
      set: { replicas: 2, spec: { minReadySeconds: 10, progressDeadlineSeconds: deadline }, status: progressing },
      pods: { a: readyFor(ready), b: readyFor(100) },
    };
    expect(planned(given).requeueAfter).toBe(then);
  });

  it('the grace period of an update', () => {
    const given: Situation = {
      set: {
        replicas: 1,
        rollingUpdate: { maxUnavailable: 1, inPlaceUpdateStrategy: { gracePeriodSeconds: 4 } },
        spec: { progressDeadlineSeconds: 60 },
      },
      revisions: 2,
      current: 1,
      pods: { a: { of: 1 } },
    };
    expect(planned(given).requeueAfter).toBe(4000);
  });

  it('the patience with a Pod that is not ready', () => {
    const given: Situation = { set: set(100, 2), pods: { a: { with: conditionAt('False', -30_000) }, b: readyFor(1) } };
    expect(planned(given).requeueAfter).toBe(30_000);
  });
});
