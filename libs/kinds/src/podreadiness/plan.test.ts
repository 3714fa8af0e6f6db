import { describe, expect, it } from '@jest/globals';
import type { Pod, PodCondition } from '@kruise/objects';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import { leftBehindOf, planFirstCondition, planReset, type LeftBehind } from './plan.ts';

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

  const inState = (state: string): PodShape => ({ labels: { 'lifecycle.apps.kruise.io/state': state } });
  const preDelete = '{"userAgent":"Lifecycle","key":"preDeleteHook"}';
  const preUpdate = '{"userAgent":"Lifecycle","key":"preUpdateHook"}';
  const request = '{"userAgent":"ContainerRecreateRequest","key":"default/restart"}';

  it.each<{ name: string; pod: Pod; left?: LeftBehind }>([
    { name: 'with the key of a request has a writer', pod: saying(`[${request}]`) },
    { name: 'with the key of the state that the Pod is in has a writer', pod: saying(`[${preUpdate}]`, inState('PreparingUpdate')) },
    { name: 'with the key of a deletion that is prepared has a writer', pod: saying(`[${preDelete}]`, inState('PreparingDelete')) },
    { name: 'with the key of a state that the Pod is not in is stale', pod: saying(`[${preDelete}]`), left: 'StaleKey' },
    { name: 'with the key of another state is stale', pod: saying(`[${preUpdate}]`, inState('PreparingDelete')), left: 'StaleKey' },
    { name: 'with such a key beside that of a request is stale', pod: saying(`[${request},${preUpdate}]`), left: 'StaleKey' },
    { name: 'with an empty list names no writer', pod: saying('[]'), left: 'NamesNoWriter' },
    { name: 'with no message names no writer', pod: saying(undefined), left: 'NamesNoWriter' },
    { name: 'with other words names no writer', pod: saying('by hand'), left: 'NamesNoWriter' },
    { name: 'is left to a workload that prepares the deletion', pod: saying('[]', inState('PreparingDelete')) },
    { name: 'is left to a workload that prepares an update', pod: saying('[]', inState('PreparingUpdate')) },
    { name: 'of a Pod that is being deleted does not matter', pod: saying('[]', { terminating: true }) },
    { name: 'without the gate does not matter', pod: { ...saying(`[${preDelete}]`), spec: aPod().spec } },
    { name: 'that is not there is none', pod: gated() },
    { name: 'that is True is none', pod: gated([kruisePodReady('True')]) },
  ])('$name', ({ pod, left }) => {
    expect(leftBehindOf(pod)).toBe(left);
  });

  it.each<{ name: string; message: string; then: object }>([
    { name: 'is turned on again', message: '[]', then: { status: 'True', message: '[]' } },
    { name: 'is turned on again without its stale keys', message: `[${preDelete},${preUpdate}]`, then: { status: 'True', message: '[]' } },
    {
      name: 'stays False for the key of a request',
      message: `[${request},${preUpdate}]`,
      then: { status: 'False', message: `[${request}]` },
    },
  ])('$name, on exactly the version seen', ({ message, then }) => {
    expect(planReset(saying(message), epoch)).toEqual({
      metadata: { uid: 'uid-web', resourceVersion: '1' },
      status: { conditions: [{ type: 'KruisePodReady', lastTransitionTime: '2026-01-01T00:00:00Z', ...then }] },
    });
  });
});
