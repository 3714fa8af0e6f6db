/** BroadcastJob, WorkloadSpread and ContainerRecreateRequest. @see spec/kruise-state-metrics.md 4.5, 4.6, 4.7 */
import { broadcastJobDeclaration, containerRecreateRequestDeclaration, workloadSpreadDeclaration } from '@kruise/api';
import { listAt, textAt, type KubeObject } from '@kruise/objects';
import { annotationLabels, computed, conditions, counter, created, generation, labelLabels, textLabel } from './build.ts';
import type { Family, Path } from './family.ts';
import { gaugeAt, valueAt } from './read.ts';
import { resourceKind } from './resource-kind.ts';

const status = (member: string): Path => ['status', member];
const completionPolicy = (member: string): Path => ['spec', 'completionPolicy', member];

/** A percentage has no integer value: 0, as in the original. */
function parallelismOf(object: KubeObject): number | undefined {
  const path: Path = ['spec', 'parallelism'];
  return typeof valueAt(object, path) === 'string' ? 0 : gaugeAt(object, path);
}

export const broadcastJobKind = resourceKind({
  declaration: broadcastJobDeclaration,
  prefers: 'v1alpha1',
  byDefault: true,
  families: [
    created,
    counter('status_active', 'Number of Pods that are pending or running.', status('active')),
    counter('status_succeeded', 'Number of Pods that succeeded.', status('succeeded')),
    counter('status_failed', 'Number of Pods that failed.', status('failed')),
    counter('status_desired', 'Number of nodes that should run the Pod.', status('desired')),
    conditions,
    computed('spec_parallelism', 'Number of Pods that may run at the same time; 0 for a percentage.', parallelismOf),
    generation(),
    annotationLabels,
    labelLabels,
    counter(
      'spec_strategy_activedeadline_seconds',
      'Seconds that the job may be active; 0 without a limit.',
      completionPolicy('activeDeadlineSeconds'),
    ),
    counter(
      'spec_strategy_ttl_seconds',
      'Seconds for which a finished job is kept; 0 without a limit.',
      completionPolicy('ttlSecondsAfterFinished'),
    ),
    textLabel('spec_strategy_type', 'Type of the completion policy.', { label: 'strategy_type', path: completionPolicy('type') }),
  ],
});

/** One sample for each subset. */
const ofSubsets = (name: string, help: string, { label, member }: { readonly label: string; readonly member: string }): Family => ({
  name,
  help,
  samples: (object) =>
    listAt(object, ...status('subsetStatuses')).map((subset) => {
      const value = gaugeAt(subset, [member]) ?? 0;
      const labels = [['subset', textAt(subset, 'name')] as const, [label, String(value)] as const];
      return { value, labels };
    }),
});

export const workloadSpreadKind = resourceKind({
  declaration: workloadSpreadDeclaration,
  prefers: 'v1alpha1',
  byDefault: true,
  families: [
    created,
    ofSubsets('status_subset_replicas', 'Number of Pods in each subset.', { label: 'replicas', member: 'replicas' }),
    ofSubsets('status_subset_replicas_missing', 'Number of further Pods that each subset takes; -1 without a limit.', {
      label: 'missingreplicas',
      member: 'missingReplicas',
    }),
    generation(),
    annotationLabels,
    labelLabels,
    textLabel('spec_strategy_type', 'Type of the schedule strategy.', {
      label: 'strategy_type',
      path: ['spec', 'scheduleStrategy', 'type'],
    }),
  ],
});

const containersIn = (phase: string): Family =>
  computed(
    `containers_${phase.toLowerCase()}`,
    `Number of containers in the phase ${phase}.`,
    (object) => listAt(object, ...status('containerRecreateStates')).filter((state) => textAt(state, 'phase') === phase).length,
  );

const requestIn = (phase: string): Family =>
  computed(phase.toLowerCase(), `1 when the request is in the phase ${phase}.`, (object) =>
    Number(textAt(object, ...status('phase')) === phase),
  );

export const containerRecreateRequestKind = resourceKind({
  declaration: containerRecreateRequestDeclaration,
  prefers: 'v1alpha1',
  byDefault: true,
  families: [
    annotationLabels,
    labelLabels,
    created,
    ...['Pending', 'Recreating', 'Succeeded', 'Failed'].map(containersIn),
    ...['Pending', 'Recreating', 'Completed'].map(requestIn),
  ],
});
