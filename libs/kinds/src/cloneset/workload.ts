import type { Workload } from '@kruise/workloads';
import { adapterOf } from './pods/pod-facts.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { graceSecondsOf, isOnDelete, minReadySecondsOf, podUpdatePolicyOf } from './snapshot/strategy.ts';

/** The CloneSet as the rules that all workloads share see it. @param updateRevision name of the revision to update to */
export const workloadOf = (
  { cloneSet, revisions }: Pick<Snapshot, 'cloneSet' | 'revisions'>,
  updateRevision: string,
  context: Context,
): Workload => ({
  metadata: cloneSet.metadata,
  now: context.now,
  gates: context.gates,
  adapter: adapterOf(context),
  resources: context.resources,
  minReadySeconds: minReadySecondsOf(cloneSet),
  lifecycle: cloneSet.spec.lifecycle,
  waitsForNode: true,
  podUpdatePolicy: podUpdatePolicyOf(cloneSet),
  graceSeconds: graceSecondsOf(cloneSet),
  isOnDelete: isOnDelete(cloneSet),
  updateRevision,
  revisions,
});
