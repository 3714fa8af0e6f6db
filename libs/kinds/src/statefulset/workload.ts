import type { Workload } from '@kruise/workloads';
import { statefulSetRevisions } from '@kruise/pods';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { graceSecondsOf, isOnDelete, minReadySecondsOf, podUpdatePolicyOf } from './snapshot/strategy.ts';

/** The StatefulSet as the rules that all workloads share see it. @param updateRevision name of the revision to update to */
export const workloadOf = (
  { set, revisions }: Pick<Snapshot, 'set' | 'revisions'>,
  updateRevision: string,
  { now, gates, resources }: Context,
): Workload => ({
  metadata: set.metadata,
  now,
  gates,
  adapter: statefulSetRevisions,
  resources,
  minReadySeconds: minReadySecondsOf(set),
  lifecycle: set.spec.lifecycle,
  waitsForNode: false,
  podUpdatePolicy: podUpdatePolicyOf(set),
  graceSeconds: graceSecondsOf(set),
  isOnDelete: isOnDelete(set),
  updateRevision,
  revisions,
});
