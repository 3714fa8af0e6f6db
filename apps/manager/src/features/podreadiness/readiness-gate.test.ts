import { describe, expect, it } from '@jest/globals';
import { deepFreeze, type OwnerReference, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { readinessGateStep, withKruisePodReadyGate } from './readiness-gate.ts';

const owner = (apiVersion: string, kind: string, controller = true): OwnerReference => ({
  apiVersion,
  kind,
  name: 'o',
  uid: 'u',
  controller,
});
const gatesOf = (pod: Pod): readonly string[] => (pod.spec.readinessGates ?? []).map(({ conditionType }) => conditionType);
const withGates = (pod: Pod, ...types: readonly string[]): Pod => ({
  ...pod,
  spec: { ...pod.spec, readinessGates: types.map((conditionType) => ({ conditionType })) },
});
const bare = ((): Pod => {
  const { readinessGates: _gates, ...spec } = aPod().spec;
  return { ...aPod(), spec };
})();

describe('the readiness gate KruisePodReady', () => {
  it.each<{ name: string; pod: Pod; gate: boolean; then: readonly string[] }>([
    {
      name: "is appended to a CloneSet Pod's gates",
      pod: withGates(aPod({ owner: owner('apps.kruise.io/v1beta1', 'CloneSet') }), 'InPlaceUpdateReady'),
      gate: false,
      then: ['InPlaceUpdateReady', 'KruisePodReady'],
    },
    {
      name: 'is given to Pods of every kind and version of ours',
      pod: withGates(aPod({ owner: owner('apps.kruise.io/v1alpha1', 'BroadcastJob') })),
      gate: false,
      then: ['KruisePodReady'],
    },
    {
      name: 'is not given twice',
      pod: withGates(aPod({ owner: owner('apps.kruise.io/v1beta1', 'CloneSet') }), 'KruisePodReady', 'Other'),
      gate: true,
      then: ['KruisePodReady', 'Other'],
    },
    { name: 'is not given to a bare Pod', pod: bare, gate: false, then: [] },
    { name: 'is given to a bare Pod with the feature gate', pod: bare, gate: true, then: ['KruisePodReady'] },
    {
      name: 'is not given to Pods of a Deployment',
      pod: withGates(aPod({ owner: owner('apps/v1', 'ReplicaSet') })),
      gate: false,
      then: [],
    },
    {
      name: 'asks for the controlling owner only',
      pod: withGates(aPod({ owner: owner('apps.kruise.io/v1beta1', 'CloneSet', false) })),
      gate: false,
      then: [],
    },
    {
      name: 'is not fooled by a group that only begins like ours',
      pod: withGates(aPod({ owner: owner('apps.kruise.io.example.com/v1', 'CloneSet') })),
      gate: false,
      then: [],
    },
  ])('$name', ({ pod, gate, then }) => {
    const gates = { KruisePodReadinessGate: gate };
    const changed = withKruisePodReadyGate(deepFreeze(pod), gates);
    expect(gatesOf(changed)).toEqual(then);
    expect(withKruisePodReadyGate(changed, gates)).toBe(changed);
  });

  it.each([
    { gate: false, then: ['kruise-workload'] },
    { gate: true, then: ['readiness-gate'] },
  ])('is given by the step, which requests $then with the feature gate $gate', async ({ gate, then }) => {
    const step = readinessGateStep({ KruisePodReadinessGate: gate });
    const needs = step.needs?.current() ?? [];
    expect(needs.map(({ reason }) => reason)).toEqual(then);
    expect(needs.map(({ condition }) => condition === undefined)).toEqual([gate]);
    const pod = aPod({ owner: owner('apps.kruise.io/v1beta1', 'CloneSet') });
    const result = await step.apply(pod, {} as never, new AbortController().signal);
    expect(result).toEqual({ kind: 'Pod', pod: withKruisePodReadyGate(pod, { KruisePodReadinessGate: gate }) });
    expect(step.name).toBe('readiness-gate');
  });
});
