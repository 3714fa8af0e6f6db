import { describe, expect, it } from '@jest/globals';
import type { ContainerProbeState, PodProbeMarker, ProbeMarkerPolicy } from '@kruise/api';
import { deepFreeze, type Pod, type PodCondition } from '@kruise/objects';
import { planMarksPatch, planPodResults, planResultsPatch, type ResultsPatch } from './plan-results.ts';

const probe = { exec: { command: ['true'] } };
const marker = (policies: readonly ProbeMarkerPolicy[] | undefined, podConditionType?: string, name = 'm'): PodProbeMarker => ({
  metadata: { name, namespace: 'shop' },
  spec: {
    selector: {},
    probes: [
      {
        name: 'p',
        containerName: 'main',
        probe,
        ...(policies === undefined ? {} : { markerPolicy: policies }),
        ...(podConditionType === undefined ? {} : { podConditionType }),
      },
    ],
  },
});
const stateOf = (state: string, over: Partial<ContainerProbeState> = {}): ContainerProbeState =>
  ({
    name: 'm#p',
    state,
    lastProbeTime: '2026-01-01T00:00:02Z',
    lastTransitionTime: '2026-01-01T00:00:01Z',
    message: 'says',
    ...over,
  }) as ContainerProbeState;
const podWith = (metadata: object = {}, conditions: readonly PodCondition[] = []): Pod =>
  deepFreeze({
    metadata: { name: 'x', namespace: 'shop', uid: 'u', resourceVersion: '7', ...metadata },
    spec: { containers: [] },
    status: { conditions },
  });

function plan(pod: Pod, states: readonly ContainerProbeState[], ...markers: readonly PodProbeMarker[]): ResultsPatch | undefined {
  const status = { name: 'x', namespace: 'shop', uid: 'u', probeStates: states };
  return planResultsPatch(
    pod,
    planPodResults(deepFreeze(status), (name) => markers.find(({ metadata }) => metadata.name === name)),
  );
}

const condition = (type: string, status: string, message = 'says'): PodCondition => ({
  type,
  status,
  lastProbeTime: '2026-01-01T00:00:02Z',
  lastTransitionTime: '2026-01-01T00:00:01Z',
  ...(message === '' ? {} : { message }),
});

describe('conditions', () => {
  it.each([
    ['Succeeded', 'True'],
    ['Failed', 'False'],
    ['Unknown', 'False'],
  ])('%s is %s', (state, status) => {
    expect(plan(podWith(), [stateOf(state)], marker(undefined, 'c/alive'))?.status?.conditions).toEqual([condition('c/alive', status)]);
  });

  it('are not written for a later time alone', () => {
    const pod = podWith({}, [{ ...condition('c', 'True'), lastProbeTime: '2025-01-01T00:00:00Z' }]);
    expect(plan(pod, [stateOf('Succeeded')], marker(undefined, 'c'))).toBeUndefined();
  });

  it.each<{ name: string; held: PodCondition; over: Partial<ContainerProbeState>; then: object | undefined }>([
    { name: 'another result with the same words', held: condition('c', 'False'), over: {}, then: condition('c', 'True') },
    { name: 'other words about the same result', held: condition('c', 'True', 'said'), over: {}, then: condition('c', 'True') },
    { name: 'words where there were none', held: condition('c', 'True', ''), over: {}, then: condition('c', 'True') },
    { name: 'the same without words', held: condition('c', 'True', ''), over: { message: '' }, then: undefined },
    {
      name: 'another result without words as before',
      held: condition('c', 'False', ''),
      over: { message: '' },
      then: condition('c', 'True', ''),
    },
  ])('say $name', ({ held, over, then }) => {
    const patch = plan(podWith({}, [held]), [stateOf('Succeeded', over)], marker(undefined, 'c'));
    expect(patch?.status?.conditions).toStrictEqual(then === undefined ? undefined : [then]);
  });

  it('have no message that the node does not report', () => {
    const { message: _message, ...reported } = stateOf('Succeeded');
    expect(plan(podWith(), [reported], marker(undefined, 'c'))?.status?.conditions).toStrictEqual([condition('c', 'True', '')]);
  });

  it('are none for a Pod without a report', () => {
    expect(
      planPodResults({ name: 'x', namespace: 'shop', uid: 'u' }, () => marker([{ state: 'Failed', labels: { a: 'b' } }], 'c')),
    ).toEqual({
      conditions: [],
      labels: {},
      annotations: {},
    });
  });

  it('have no times that the node does not report', () => {
    const reported = stateOf('Succeeded', { lastProbeTime: undefined, lastTransitionTime: undefined } as never);
    expect(plan(podWith(), [reported], marker(undefined, 'c'))?.status?.conditions).toStrictEqual([
      { type: 'c', status: 'True', message: 'says' },
    ]);
  });

  it('lose a message that is no longer reported', () => {
    const patch = plan(podWith({}, [condition('c', 'True')]), [stateOf('Succeeded', { message: '' })], marker(undefined, 'c'));
    expect(patch?.status?.conditions).toEqual([{ ...condition('c', 'True', ''), message: null }]);
  });

  it('are held for exactly the Pod that was seen', () => {
    expect(plan(podWith(), [stateOf('Failed')], marker(undefined, 'c'))?.metadata).toEqual({ uid: 'u', resourceVersion: '7' });
  });

  it('of one type come from the first result, whose policies both hold', () => {
    const policy = (key: string): ProbeMarkerPolicy[] => [{ state: 'Succeeded', labels: { [key]: 'yes' } }];
    const patch = plan(
      podWith(),
      [stateOf('Succeeded', { message: 'first' }), stateOf('Succeeded', { name: 'n#p', message: 'second' })],
      marker(policy('a'), 'c'),
      marker(policy('b'), 'c', 'n'),
    );
    expect(patch?.status?.conditions).toEqual([condition('c', 'True', 'first')]);
    expect(patch?.metadata.labels).toEqual({ a: 'yes', b: 'yes' });
  });
});

describe('marks', () => {
  const both: readonly ProbeMarkerPolicy[] = [
    { state: 'Succeeded', labels: { up: 'yes' }, annotations: { cost: '10' } },
    { state: 'Failed', annotations: { cost: '-10', why: 'down' } },
  ];
  it.each<[string, string, readonly ProbeMarkerPolicy[], object, object | undefined]>([
    ['are set', 'Succeeded', both, {}, { labels: { up: 'yes' }, annotations: { cost: '10' } }],
    [
      'go over to the other state',
      'Failed',
      both,
      { labels: { up: 'yes' }, annotations: { cost: '10' } },
      { labels: { up: null }, annotations: { cost: '-10', why: 'down' } },
    ],
    [
      'go back from the other state',
      'Succeeded',
      both,
      { annotations: { cost: '-10', why: 'down' } },
      { labels: { up: 'yes' }, annotations: { cost: '10', why: null } },
    ],
    ['of the only policy go with the state', 'Failed', both.slice(0, 1), { labels: { up: 'yes', mine: '1' } }, { labels: { up: null } }],
    ['of the only policy go when nothing is known', 'Unknown', both.slice(0, 1), { labels: { up: 'yes' } }, { labels: { up: null } }],
    [
      'of all policies go when nothing is known',
      'Unknown',
      both,
      { labels: { up: 'yes' }, annotations: { cost: '-10', why: 'down' } },
      { labels: { up: null }, annotations: { cost: null, why: null } },
    ],
    ['that are there are not written', 'Succeeded', both, { labels: { up: 'yes' }, annotations: { cost: '10' } }, undefined],
    ['that are gone are not removed', 'Failed', both.slice(0, 1), {}, undefined],
  ])('%s', (_name, state, policies, metadata, expected) => {
    const patch = plan(podWith(metadata), [stateOf(state)], marker(policies));
    expect(patch?.metadata).toEqual(expected === undefined ? undefined : { uid: 'u', resourceVersion: '7', ...expected });
  });

  it('that a server omitted from a status patch are written on their own', () => {
    const results = planPodResults({ name: 'x', namespace: 'shop', uid: 'u', probeStates: [stateOf('Succeeded')] }, () =>
      marker(both, 'c'),
    );
    expect(planMarksPatch(podWith({}, [condition('c', 'True')]), results)).toEqual({
      metadata: { uid: 'u', resourceVersion: '7', labels: { up: 'yes' }, annotations: { cost: '10' } },
    });
    expect(planMarksPatch(podWith({ labels: { up: 'yes' }, annotations: { cost: '10' } }), results)).toBeUndefined();
  });
});

it.each<[string, ContainerProbeState, PodProbeMarker[]]>([
  ['the marker is gone', stateOf('Failed'), []],
  [
    'the marker is going',
    stateOf('Failed'),
    [{ ...marker(undefined, 'c'), metadata: { name: 'm', deletionTimestamp: '2026-01-01T00:00:00Z' } }],
  ],
  ['the probe is gone', stateOf('Failed', { name: 'm#q' }), [marker(undefined, 'c')]],
  ['there is no result yet', stateOf('', { state: undefined } as never), [marker([{ state: 'Failed', labels: { a: 'b' } }], 'c')]],
  ['the name is none', stateOf('Failed', { name: 'm' }), [marker(undefined, 'c')]],
])('counts for nothing when %s', (_name, state, markers) => {
  expect(plan(podWith(), [state], ...markers)).toBeUndefined();
});
