import { describe, expect, it } from '@jest/globals';
import type { Pod, PodCondition } from '@kruise/objects';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import { isLeftBehind, planFirstCondition, planReset } from './plan.ts';

/** A Pod with the gate and these conditions, without containers that run. */
function gated(conditions: readonly PodCondition[] = [], shape: PodShape = {}, statuses = false): Pod {
  const pod = aPod({ name: 'web', ...shape });
  const status = { phase: 'Pending', conditions, ...(statuses ? { containerStatuses: pod.status?.containerStatuses ?? [] } : {}) };
  return { ...pod, spec: { ...pod.spec, readinessGates: [{ conditionType: 'KruisePodReady' }] }, status };
}
const kruisePodReady = (status: string): PodCondition => ({ type: 'KruisePodReady', status });

describe('the first KruisePodReady condition', () => {
  it('is True, with the time, for this very Pod', () => {
    expect(planFirstCondition(gated(), epoch)).toEqual({
      metadata: { uid: 'uid-web' },
      status: {
        conditions: [{ type: 'KruisePodReady', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    });
  });

  it('is written to a Pod that has neither labels nor a status yet, on any version', () => {
    const { labels: _labels, ...metadata } = gated().metadata;
    const { status: _status, ...pod } = gated();
    expect(planFirstCondition({ ...pod, metadata }, epoch)?.metadata).toEqual({ uid: 'uid-web' });
  });

  it.each<{ name: string; pod: Pod }>([
    { name: 'True', pod: gated([kruisePodReady('True')]) },
    { name: 'False', pod: gated([kruisePodReady('False')]) },
    { name: 'nonsense', pod: gated([kruisePodReady('Perhaps')]) },
    { name: 'missing, but the Pod terminates', pod: gated([], { terminating: true }) },
    { name: 'missing, and so is the gate', pod: aPod() },
  ])('is not written when it is $name', ({ pod }) => {
    expect(planFirstCondition(pod, epoch)).toBeUndefined();
  });

  it.each<{ name: string; pod: Pod; exact: boolean }>([
    { name: 'a Pod that only starts: any version', pod: gated([{ type: 'PodScheduled', status: 'True' }]), exact: false },
    { name: 'containers that could be recreated', pod: gated([], {}, true), exact: true },
    { name: 'a deletion asked for', pod: gated([], { labels: { 'apps.kruise.io/specified-delete': 'true' } }), exact: true },
    { name: 'a deletion prepared', pod: gated([], { labels: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' } }), exact: true },
    { name: 'an update prepared', pod: gated([], { labels: { 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' } }), exact: true },
  ])('$name', ({ pod, exact }) => {
    expect(planFirstCondition(pod, epoch)?.metadata).toEqual({ uid: 'uid-web', ...(exact ? { resourceVersion: '1' } : {}) });
  });
});

describe('a condition that is False', () => {
  const saying = (message: string | undefined, shape: PodShape = {}): Pod =>
    gated([{ type: 'KruisePodReady', status: 'False', ...(message === undefined ? {} : { message }) }], shape);

  it.each<{ name: string; pod: Pod; left: boolean }>([
    { name: 'with a key has an owner', pod: saying('[{"userAgent":"Lifecycle","key":"preUpdateHook"}]'), left: false },
    { name: 'with an empty list has none', pod: saying('[]'), left: true },
    { name: 'with no message has none', pod: saying(undefined), left: true },
    { name: 'with other words has none', pod: saying('by hand'), left: true },
    {
      name: 'is left to a workload that prepares the deletion',
      pod: saying('[]', { labels: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' } }),
      left: false,
    },
    {
      name: 'is left to a workload that prepares an update',
      pod: saying('[]', { labels: { 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' } }),
      left: false,
    },
    { name: 'of a Pod that goes does not matter', pod: saying('[]', { terminating: true }), left: false },
    { name: 'without the gate does not matter', pod: { ...saying('[]'), spec: aPod().spec }, left: false },
    { name: 'that is not there is none', pod: gated(), left: false },
    { name: 'that is True is none', pod: gated([kruisePodReady('True')]), left: false },
  ])('$name', ({ pod, left }) => {
    expect(isLeftBehind(pod)).toBe(left);
  });

  it('is turned on again on exactly the version seen', () => {
    expect(planReset(saying('[]'), epoch)).toEqual({
      metadata: { uid: 'uid-web', resourceVersion: '1' },
      status: { conditions: [{ type: 'KruisePodReady', status: 'True', message: '[]', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    });
  });
});
