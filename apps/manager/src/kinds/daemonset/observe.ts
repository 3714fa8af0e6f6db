/** Reads the stores into a snapshot. The only place that knows which index holds what. */
import type { DaemonSet } from '@kruise/api';
import type { StoreReader } from '@kruise/kube';
import { byName, isControlledBy, type ControllerRevision } from '@kruise/objects';
import { listRevisions } from '@kruise/pods';
import { byController } from '@kruise/workloads';
import { nodesInUse } from '../../workloads/nodes-in-use.ts';
import type { PodStores } from '../../workloads/pod-stores.ts';
import type { Seen, WellFormed } from '../../workloads/passes/workload-controller.ts';
import type { FailedPods, Snapshot } from '@kruise/kinds/daemonset';
import type { DeletedPods } from './deleted-pods.ts';

interface Stores extends PodStores {
  readonly sets: StoreReader<DaemonSet>;
}

/** Stores, and memories of former passes. */
export interface Known extends Stores {
  readonly failedPods: FailedPods;
  readonly deletedPods: DeletedPods;
}

export function observe(
  { failedPods, deletedPods, ...stores }: Known,
  set: DaemonSet,
  { selector, refusals, now }: Seen & Pick<WellFormed, 'selector'>,
): Snapshot {
  const { uid = '', namespace = '' } = set.metadata;
  const orphans = stores.pods.byIndex(byController, '', { namespace, selector: (labels) => selector.matches(labels) });
  const held = (controller: string): readonly ControllerRevision[] => stores.revisions.byIndex(byController, controller, { namespace });
  const jobs = stores.imagePullJobs?.byIndex(byController, uid, { namespace });
  const generation = set.status?.observedGeneration ?? 0;
  const pods = [...stores.pods.byIndex(byController, uid, { namespace }), ...orphans].sort(byName);
  return {
    set,
    selector,
    pods,
    nodes: stores.nodes.list({ sorted: true }),
    revisions: listRevisions([...held(''), ...held(uid)], { uid, selects: (carried) => selector.matches(carried) }),
    heldRevisions: { get: (revision) => stores.revisions.get({ namespace, name: revision }) },
    takenNames: { has: (pod) => stores.pods.get({ namespace, name: pod }) !== undefined },
    lastDeletedFrom: (node) => deletedPods.lastFrom(uid, node),
    refused: refusals.of(uid, () => nodesInUse(stores.nodes, pods)),
    failedPodStays: (node) => failedPods.left({ uid, generation, node }, now),
    ...(jobs === undefined
      ? {}
      : { imagePullJobs: jobs.filter((job) => isControlledBy(job, uid) && job.metadata.deletionTimestamp === undefined).sort(byName) }),
  };
}
