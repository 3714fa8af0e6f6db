import { describe, expect, it } from '@jest/globals';
import { labels } from '@kruise/api';
import { deepFreeze, formatTime, podCondition, type Pod } from '@kruise/objects';
import { cloneSetRevisions, lifecycleStateOf, updateStateOf } from '@kruise/pods';
import { aMember, next, now, old } from '../workload.testing.ts';
import type { PodAction } from './pod-action.ts';
import { createdPod, patchedPod, podAfter, terminatingPod, type PodWriting } from './pod-after.ts';

const because = 'of a test';
const writing: PodWriting = { adapter: cloneSetRevisions(false), resources: 'BySubresource', statesOfUpdates: true };
const withGates = (pod: Pod, ...types: readonly string[]): Pod => ({
  ...pod,
  spec: { ...pod.spec, readinessGates: types.map((conditionType) => ({ conditionType })) },
});
const gated = withGates(aMember(), 'InPlaceUpdateReady');
const ungated = withGates(aMember());
const inPlaceReady = (pod: Pod): string | undefined => podCondition(pod, 'InPlaceUpdateReady')?.status;
const after = (pod: Pod, action: PodAction, more: Partial<PodWriting> = {}): Pod =>
  podAfter(deepFreeze(pod), action, { ...writing, ...more }, now);

describe('a Pod that is updated in place', () => {
  const toImage = (pod: Pod): PodAction => ({
    kind: 'UpdatePodInPlace',
    pod,
    spec: { revision: next.metadata.name, containerImages: { main: 'app:2' } },
    because,
  });
  const toCpu = (pod: Pod): PodAction => ({
    kind: 'UpdatePodInPlace',
    pod,
    spec: { revision: next.metadata.name, containerResources: { main: { requests: { cpu: '2' } } } },
    because,
  });

  it('has the new image, the update revision and the state of the update', () => {
    const pod = after(aMember(), toImage(aMember()));
    expect(pod.spec.containers[0]?.image).toBe('app:2');
    expect(pod.metadata.labels?.[labels.controllerRevisionHash]).toBe(next.metadata.name);
    expect(updateStateOf(pod)).toMatchObject({ kind: 'Parsed', value: { revision: next.metadata.name, updateTimestamp: formatTime(now) } });
  });

  it.each<{ name: string; pod: Pod; action: (pod: Pod) => PodAction; writes?: Partial<PodWriting>; state?: string; ready: string }>([
    { name: 'leaves service if it has the readiness gate', pod: gated, action: toImage, ready: 'False' },
    { name: 'stays in service without the readiness gate', pod: ungated, action: toImage, ready: 'True' },
    { name: 'stays in service while only its cpu changes', pod: gated, action: toCpu, ready: 'True' },
    {
      name: 'leaves service for its cpu if resources are not resized in place',
      pod: gated,
      action: toCpu,
      writes: { resources: 'Ignored' },
      ready: 'False',
    },
    {
      name: 'keeps its lifecycle state if updates write none',
      pod: gated,
      action: toImage,
      writes: { statesOfUpdates: false },
      state: 'Normal',
      ready: 'False',
    },
  ])('$name', ({ pod, action, writes, state = 'Updating', ready }) => {
    const changed = after(pod, action(pod), writes);
    expect([lifecycleStateOf(changed), inPlaceReady(changed)]).toEqual([state, ready]);
  });
});

describe('a Pod that changes its lifecycle state', () => {
  const key = { userAgent: 'Lifecycle', key: 'preDeleteHook' };
  const to = { metadata: { labels: { [labels.lifecycleState]: 'PreparingDelete' }, annotations: {} } };
  const marked = (pod: Pod, kind: 'AddKey' | 'RemoveKey'): PodAction => ({
    kind: 'SetLifecycle',
    pod,
    transition: { to: 'PreparingDelete', readiness: { kind, key }, patch: to, because },
    because,
  });
  const ready = (pod: Pod): string | undefined => podCondition(pod, 'KruisePodReady')?.status;
  const serving = (): Pod => {
    const pod = aMember();
    const conditions = [...(pod.status?.conditions ?? []), { type: 'KruisePodReady', status: 'True' } as const];
    return withGates({ ...pod, status: { ...pod.status, conditions } }, 'KruisePodReady');
  };

  it('has the labels of the state, and is not ready until the key is removed', () => {
    const leaving = after(serving(), marked(serving(), 'AddKey'));
    expect([lifecycleStateOf(leaving), ready(leaving)]).toEqual(['PreparingDelete', 'False']);
    expect(ready(after(leaving, marked(leaving, 'RemoveKey')))).toBe('True');
  });

  it('keeps its conditions if the state has no key', () => {
    const pod = serving();
    const changed = after(pod, { kind: 'SetLifecycle', pod, transition: { to: 'PreparingDelete', patch: to, because }, because });
    expect([lifecycleStateOf(changed), changed.status]).toEqual(['PreparingDelete', pod.status]);
  });

  it('keeps its metadata if only a key is stale', () => {
    const pod = after(serving(), marked(serving(), 'AddKey'));
    const transition = { to: 'Normal', readiness: { kind: 'RemoveKey', key }, because } as const;
    const changed = after(pod, { kind: 'SetLifecycle', pod, transition, because });
    expect([changed.metadata, ready(changed)]).toEqual([pod.metadata, 'True']);
  });
});

describe('a Pod whose update continues', () => {
  const seen = aMember();
  const step: Pod = { ...seen, status: { ...seen.status, phase: 'Running', message: 'of the step' } };
  const alongside = { labels: { [labels.lifecycleState]: 'Updated' }, annotations: {} };

  it('is the Pod of the step', () => {
    expect(after(seen, { kind: 'RefreshPod', pod: seen, step: { kind: 'SetReady', pod: step }, because })).toEqual(step);
  });

  it('has the lifecycle state that is written together with the step', () => {
    const changed = after(seen, { kind: 'RefreshPod', pod: seen, step: { kind: 'SetReady', pod: step }, alongside, because });
    expect([lifecycleStateOf(changed), changed.status?.message]).toEqual(['Updated', 'of the step']);
  });
});

describe('a Pod whose metadata or resources change', () => {
  it('keeps the labels that are not named', () => {
    const pod = aMember({ labels: { team: 'blue' } });
    const { metadata } = after(pod, { kind: 'LabelPod', pod, labels: { tier: 'web' }, because });
    expect(metadata.labels).toEqual({ ...pod.metadata.labels, tier: 'web' });
  });

  it('has exactly the owners that a release leaves', () => {
    const pod = aMember({ of: old });
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'o1' };
    expect(after(pod, { kind: 'ReleasePod', pod, ownerReferences: [other], because }).metadata.ownerReferences).toEqual([other]);
  });

  it('has the amounts of a resize, and is the same Pod if it has them already', () => {
    const pod = aMember();
    const resize = (of: Pod): PodAction => ({
      kind: 'ResizePod',
      pod: of,
      revision: old.metadata.name,
      resources: { main: { limits: { cpu: '3' } } },
      because,
    });
    const resized = after(pod, resize(pod));
    expect(resized.spec.containers[0]?.resources).toMatchObject({ limits: { cpu: '3' } });
    expect(after(resized, resize(resized))).toBe(resized);
  });

  it('is the same Pod after a patch that the API server refuses', () => {
    const pod = aMember();
    expect(patchedPod(pod, { spec: { containers: [{ image: 'without-name:1' }] } })).toBe(pod);
  });
});

it('a created Pod is pending, and has the time and the uid of its creation', () => {
  const pod = createdPod(aMember(), 'uid-1', now);
  expect(pod.metadata).toMatchObject({ uid: 'uid-1', creationTimestamp: formatTime(now) });
  expect(pod.status).toEqual({ phase: 'Pending' });
});

it('a Pod that is being deleted has the time of its deletion, and runs until its node has ended it', () => {
  const seen = aMember();
  const pod = terminatingPod(seen, now);
  expect(pod.metadata.deletionTimestamp).toBe(formatTime(now));
  expect(pod.status).toBe(seen.status);
});
