/** Rollouts of generated workloads, for tests of what passes remember of Pods. */
import { memberAt, type Pod } from '@kruise/objects';
import fc from 'fast-check';
import { kindOf, type AnyObject } from '../seen.ts';
import { settled, templateOf, typed, withSpec, type RunningSet } from './fixtures.testing.ts';
import { changed, runKinds, startOf } from './plan-workload.ts';
import type { WorkloadRun } from './run/workload-run.ts';

/** A workload before its rollout, and the rollout. */
export interface Rollout {
  readonly kind: 'CloneSet' | 'StatefulSet' | 'DaemonSet';
  readonly size: number;
  /** How many Pods may be unavailable. */
  readonly limit: number;
  readonly isRecreated: boolean;
  readonly hasClaims: boolean;
  readonly isOrdered: boolean;
  readonly minReadySeconds: number;
  readonly lifecycle: object | undefined;
  /** What is wrong with Pods before the rollout, by position. */
  readonly states: readonly ('Good' | 'Marked' | 'NotReady' | 'Terminating' | 'NotSelected' | 'Orphan' | 'Preparing')[];
}

export const aRollout: Rollout = {
  kind: 'CloneSet',
  size: 3,
  limit: 1,
  isRecreated: false,
  hasClaims: false,
  isOrdered: false,
  minReadySeconds: 0,
  lifecycle: undefined,
  states: [],
};

export const rollouts: fc.Arbitrary<Rollout> = fc.record({
  kind: fc.constantFrom('CloneSet', 'StatefulSet', 'DaemonSet'),
  size: fc.integer({ min: 1, max: 6 }),
  limit: fc.constantFrom(1, 2),
  isRecreated: fc.boolean(),
  hasClaims: fc.boolean(),
  isOrdered: fc.boolean(),
  minReadySeconds: fc.constantFrom(0, 0, 10),
  lifecycle: fc.constantFrom(
    undefined,
    undefined,
    { inPlaceUpdate: { finalizersHandler: ['example.com/hook'] } },
    { preDelete: { labelsHandler: { held: 'yes' } } },
  ),
  states: fc.array(fc.constantFrom('Good', 'Good', 'Good', 'Marked', 'NotReady', 'Terminating', 'NotSelected', 'Orphan', 'Preparing')),
});

const claimTemplate = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };

function specOf({ kind, size, limit, hasClaims, isOrdered, minReadySeconds, lifecycle }: Rollout): object {
  const policy = kind === 'DaemonSet' ? { rollingUpdateType: 'InPlaceIfPossible' } : { podUpdatePolicy: 'InPlaceIfPossible' };
  return {
    selector: { matchLabels: { app: 'sample' } },
    replicas: size,
    minReadySeconds,
    lifecycle,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { ...policy, minReadySeconds, maxUnavailable: limit } },
    ...(kind === 'StatefulSet' ? { podManagementPolicy: isOrdered ? 'OrderedReady' : 'Parallel' } : {}),
    ...(kind !== 'DaemonSet' && hasClaims ? { volumeClaimTemplates: [claimTemplate] } : {}),
  };
}

const nodesOf = ({ kind, size }: Rollout): readonly AnyObject[] =>
  Array.from({ length: kind === 'DaemonSet' ? size : 0 }, (_, index) =>
    typed('v1', 'Node', {
      metadata: { name: `node-${index}` },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    }),
  );

const labelled = (pod: Pod, labels: Readonly<Record<string, string>>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } },
});

const conditionsOf = ({ status }: Pod): readonly object[] =>
  (status?.conditions ?? []).map((condition) => (condition.type === 'Ready' ? { ...condition, status: 'False' } : condition));

const changes: Readonly<Record<Rollout['states'][number], (pod: Pod) => object>> = {
  Good: (pod) => pod,
  Marked: (pod) => labelled(pod, { 'apps.kruise.io/specified-delete': 'true' }),
  NotReady: (pod) => ({ ...pod, status: { ...pod.status, conditions: conditionsOf(pod) } }),
  Terminating: (pod) => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:59:00Z' } }),
  NotSelected: (pod) => labelled(pod, { app: 'other' }),
  Orphan: (pod) => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } }),
  Preparing: (pod) => labelled(pod, { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' }),
};

/** The workload with its Pods before the rollout. */
function before(rollout: Rollout): RunningSet {
  const spec = { ...specOf({ ...rollout, limit: rollout.size, isOrdered: false }), ...templateOf('app:1') };
  const metadata = { name: 'sample', namespace: 'default', uid: 'set-uid', generation: 1 };
  const { set, facts } = settled(typed('apps.kruise.io/v1beta1', rollout.kind, { metadata, spec }), ...nodesOf(rollout));
  let position = 0;
  const objects = facts.objects.map((one) => {
    const state = one.kind === 'Pod' ? rollout.states[position++] : undefined;
    return state === undefined ? one : typed('v1', 'Pod', changes[state](one as unknown as Pod));
  });
  return { set, facts: { ...facts, objects } };
}

/** Returns a run of the rollout. @param seen changes Pods before the run begins */
export function runOf(rollout: Rollout, seen: (pod: AnyObject) => AnyObject = (pod) => pod): WorkloadRun {
  const { set, facts } = before(rollout);
  const template = templateOf('app:2', rollout.isRecreated ? { workingDir: '/srv' } : {});
  const after = changed(set, withSpec(set, { ...specOf(rollout), ...template }), true);
  const objects = facts.objects.map((one) => (one.kind === 'Pod' ? seen(one) : one));
  return runKinds[kindOf(after)]!.start({ ...after, status: memberAt(set, 'status') }, startOf(after, set, { ...facts, objects }));
}
