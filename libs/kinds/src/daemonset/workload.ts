import type { Workload } from '@kruise/workloads';
import { daemonSetRevisions } from '@kruise/pods';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { isOnDelete, minReadySecondsOf, podUpdatePolicyOf } from './snapshot/strategy.ts';

/** The DaemonSet as the rules that all workloads share see it. @param hash of the revision to update to */
export const workloadOf = (
  { set, revisions }: Pick<Snapshot, 'set' | 'revisions'>,
  hash: string,
  { now, gates, resources }: Context,
): Workload => ({
  metadata: set.metadata,
  now,
  gates,
  adapter: daemonSetRevisions,
  resources,
  minReadySeconds: minReadySecondsOf(set),
  lifecycle: set.spec.lifecycle,
  waitsForNode: false,
  podUpdatePolicy: podUpdatePolicyOf(set),
  graceSeconds: 0,
  isOnDelete: isOnDelete(set),
  updateRevision: hash,
  revisions,
});
