/** The view of a Pod, and when time alone changes it. @see spec/inplace-update.md 9.4 */
import { describe, expect, it } from '@jest/globals';
import { formatTime, instant, type Pod } from '@kruise/objects';
import { cloneSetRevisions, daemonSetRevisions } from '@kruise/pods';
import { availabilityWait } from '../updates/availability-wait.ts';
import { activePods, isAvailable, isPreparingDelete, isReadyNow, podViewOf } from './pod-view.ts';
import { isOf } from '../workload.ts';
import { aMember, next, now, old, type MemberShape } from '../workload.testing.ts';

/** Returns a Pod that is ready, or not, since this many seconds; undefined when the condition has no time. */
function since(seconds: number | undefined, shape: MemberShape = {}): Pod {
  const pod = aMember(shape);
  const conditions = (pod.status?.conditions ?? []).map(({ lastTransitionTime, ...rest }) => ({
    ...rest,
    ...(rest.type !== 'Ready'
      ? { lastTransitionTime }
      : seconds === undefined
        ? {}
        : { lastTransitionTime: formatTime(instant(now - seconds * 1000)) }),
  }));
  return { ...pod, status: { ...pod.status, conditions } };
}

describe('the view of a Pod', () => {
  it.each<[string, Pod, object]>([
    ['of a plain one', aMember(), { isActive: true, state: 'Normal', isServing: true, isAtRest: true, isMarkedForDeletion: false }],
    ['without a state', aMember({ state: '' }), { state: '' }],
    ['of one that ended', aMember({ phase: 'Failed' }), { isActive: false, isServing: false }],
    ['of one that goes', aMember({ terminating: true }), { isActive: false }],
    ['of one that is not ready', aMember({ ready: false }), { isActive: true, isServing: false }],
    ['of one in an update', aMember({ inPlaceReady: 'False' }), { isServing: false, isAtRest: false }],
    ['of one without the condition', aMember({ inPlaceReady: 'absent' }), { isServing: true, isAtRest: false }],
    [
      'of one that is marked, whatever the value',
      aMember({ labels: { 'apps.kruise.io/specified-delete': '' } }),
      { isMarkedForDeletion: true },
    ],
    ['of one without labels', { ...aMember(), metadata: { name: 'a' } }, { isMarkedForDeletion: false, state: '' }],
    ['of one without conditions', { ...aMember(), status: { phase: 'Running' } }, { isServing: false, readySince: undefined }],
    ['of one that says since when', since(3), { readySince: now - 3000 }],
    ['of one that does not', since(undefined), { readySince: undefined }],
  ])('%s', (_name, pod, then) => {
    expect(podViewOf(structuredClone(pod))).toMatchObject(then);
  });

  it('is computed once for each object', () => {
    const pod = aMember();
    expect(podViewOf(pod)).toBe(podViewOf(pod));
    expect(podViewOf({ ...pod })).not.toBe(podViewOf(pod));
  });

  it('shows active Pods and those that wait for their preDelete hook', () => {
    const [active, ended, waiting] = [aMember(), aMember({ phase: 'Succeeded' }), aMember({ state: 'PreparingDelete' })];
    expect(activePods([active, ended, waiting])).toEqual([active, waiting]);
    expect([active, ended, waiting].map(isPreparingDelete)).toEqual([false, false, true]);
  });
});

describe('available is', () => {
  it.each<[string, Pod, number, boolean]>([
    ['one that is ready', since(0), 0, true],
    ['one without a state', since(0, { state: '' }), 0, true],
    ['one that is ready for longer than asked', since(11), 10, true],
    ['not one that is ready for just as long', since(10), 10, false],
    ['not one that has not said since when', since(undefined), 10, false],
    ['one that has not said since when, if nobody asks', since(undefined), 0, true],
    ['one of a workload that asks for less than nothing', since(0), -1, true],
    ['not one that is not ready', since(100, { ready: false }), 0, false],
    ['not one whose hook waits', since(100, { state: 'PreparingUpdate' }), 0, false],
    ['not one that is not Normal yet', since(100, { state: 'PreparingNormal' }), 0, false],
    ['not one in an update', since(100, { inPlaceReady: 'False' }), 0, false],
  ])('%s', (_name, pod, minReadySeconds, then) => {
    expect(isAvailable(structuredClone(pod), { minReadySeconds, now })).toBe(then);
  });

  it('the same now, independently of the time', () => {
    expect([since(0), since(undefined), since(0, { ready: false }), since(0, { state: 'Updating' })].map(isReadyNow)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('the wait for the next Pod to become available', () => {
  it.each<[string, readonly Pod[], number, number | undefined]>([
    ['is none without Pods', [], 10, undefined],
    ['is none without minReadySeconds', [since(0, { state: 'PreparingNormal' })], 0, undefined],
    ['is a moment longer than what is left', [since(3)], 10, 7050],
    ['is that of the Pod that waited longest', [since(2), since(6), since(4)], 10, 4050],
    ['is a moment for a Pod that waited just long enough', [since(10)], 10, 50],
    ['is none when all are available', [since(11)], 10, undefined],
    ['is none for Pods that are not ready', [since(2, { ready: false })], 10, undefined],
    ['is none for Pods that say no time', [since(undefined)], 10, undefined],
    ['is that of another when one is kept from being available', [since(100, { state: 'PreparingNormal' }), since(7)], 10, 3050],
    ['is none when others have ended and time changes nothing', [since(100, { state: 'PreparingNormal' })], 10, undefined],
    ['counts while a hook waits', [since(4, { state: 'PreparingNormal' })], 10, 6050],
  ])('%s', (_name, pods, minReadySeconds, then) => {
    const wait = availabilityWait(structuredClone(pods), { minReadySeconds, now });
    expect(wait).toBe(then);
  });

  it('is over when the Pod is available', () => {
    const pod = since(3);
    const later = instant(now + (availabilityWait([pod], { minReadySeconds: 10, now }) ?? 0));
    expect([now, later].map((at) => isAvailable(pod, { minReadySeconds: 10, now: at }))).toEqual([false, true]);
  });
});

it('a Pod is of a revision as its kind writes it', () => {
  const short = old.metadata.name.slice('web-'.length);
  const pods = [aMember({ of: old }), aMember({ labels: { 'controller-revision-hash': short } }), aMember({ of: next })];
  const reported = [cloneSetRevisions(false), daemonSetRevisions].map((adapter) =>
    pods.map((pod) => isOf({ adapter }, pod, old.metadata.name)),
  );
  expect(reported).toEqual([
    [true, true, false],
    [true, false, false],
  ]);
});
