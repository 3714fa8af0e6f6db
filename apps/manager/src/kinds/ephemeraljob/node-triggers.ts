/** The jobs that a lost or returning node enqueues. @see spec/ephemeraljob.md 5 step 10 */
import type { EphemeralJob } from '@kruise/api';
import type { StoreEvent, StoreReader } from '@kruise/kube';
import { isNodeLost, keyOf, type Node, type ObjectKey, type Pod } from '@kruise/objects';
import { podsByNode } from '@kruise/workloads';

interface Stores {
  readonly jobs: StoreReader<EphemeralJob>;
  readonly pods: StoreReader<Pod>;
}

/** The jobs that are not over in the namespaces of the node's Pods. */
export function jobsOfNode(event: StoreEvent<Node>, { jobs, pods }: Stores): readonly ObjectKey[] {
  if (event.kind !== 'Updated' || isNodeLost(event.object) === isNodeLost(event.previous) || jobs.size === 0) return [];
  const found = pods.byIndex(podsByNode, event.object.metadata.name);
  const namespaces = new Set(found.map(({ metadata }) => metadata.namespace ?? ''));
  return [...namespaces].flatMap((namespace) =>
    jobs
      .list({ namespace })
      .filter(({ status }) => status?.completionTime === undefined)
      .map(keyOf),
  );
}
