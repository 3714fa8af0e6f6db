/** Reads the stores into a snapshot. The only place that knows which index holds what. */
import type { BroadcastJob } from '@kruise/api';
import type { StoreReader } from '@kruise/kube';
import { byName, controllerOf, type Node, type Pod } from '@kruise/objects';
import { byOwner } from '@kruise/workloads';
import { nodesInUse } from '../../workloads/nodes-in-use.ts';
import type { Seen } from '../../workloads/passes/workload-controller.ts';
import { labelsOf, type Snapshot } from '@kruise/kinds/broadcastjob';

export interface Known {
  readonly pods: StoreReader<Pod>;
  readonly nodes: StoreReader<Node>;
}

/** Pods are the job's by label and by owner. */
export function observe({ pods, nodes }: Known, job: BroadcastJob, { refusals }: Pick<Seen, 'refusals'>): Snapshot {
  const { uid = '', namespace = '' } = job.metadata;
  const wanted = Object.entries(labelsOf(job));
  const own = pods
    .byIndex(byOwner, uid, { namespace })
    .filter((pod) => controllerOf(pod)?.uid === uid && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value))
    .sort(byName);
  return {
    job,
    pods: own,
    nodes: nodes.list({ sorted: true }),
    takenNames: { has: (pod) => pods.get({ namespace, name: pod }) !== undefined },
    refused: refusals.of(uid, () => nodesInUse(nodes, own)),
  };
}
