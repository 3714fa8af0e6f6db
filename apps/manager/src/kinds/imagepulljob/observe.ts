/** Reads the stores into a snapshot. The only place that knows which index holds what. */
import type { ImageListPullJob, ImagePullJob, NodeImage } from '@kruise/api';
import type { StoreReader } from '@kruise/kube';
import type { KubeObject, Milliseconds, Pod } from '@kruise/objects';
import { byTaskOwner, type NodeShares } from '@kruise/kinds/images';
import { nodesOfJob, workloadOf, type PullSecretReference, type Snapshot, type Terms } from '@kruise/kinds/imagepulljob';

export interface Stores {
  readonly jobs: StoreReader<ImagePullJob>;
  readonly nodeImages: StoreReader<NodeImage>;
  readonly pods: StoreReader<Pod>;
  /** By kind; those of kinds that are installed. */
  readonly workloads: ReadonlyMap<string, StoreReader>;
  /** Undefined where the kind is not installed. */
  readonly lists: StoreReader<ImageListPullJob> | undefined;
}

function workloadAt(job: ImagePullJob, { workloads }: Stores): KubeObject | undefined {
  const owner = workloadOf(job);
  if (owner === undefined) return undefined;
  const held = workloads.get(owner.kind)?.get({ namespace: job.metadata.namespace ?? '', name: owner.name });
  const found = held ?? workloads.get(owner.kind)?.get({ namespace: '', name: owner.name });
  return found?.metadata.uid === owner.uid ? found : undefined;
}

/** What a pass knows besides the stores. */
export interface Known {
  readonly terms: Terms;
  readonly references: readonly PullSecretReference[];
  readonly refused: ReadonlySet<string>;
  readonly refusedFor?: Milliseconds | undefined;
  readonly shares: NodeShares;
}

export function observe(stores: Stores, job: ImagePullJob, { terms, ...known }: Known): Snapshot {
  const nodeImages = nodesOfJob(terms.nodes, {
    nodeImages: () => stores.nodeImages.list(),
    nodeImageAt: (name) => stores.nodeImages.get({ namespace: '', name }),
    pods: () => stores.pods.list({ namespace: job.metadata.namespace ?? '' }),
    workload: workloadAt(job, stores),
  });
  return { job, terms, nodeImages, owned: stores.nodeImages.byIndex(byTaskOwner, job.metadata.uid ?? ''), ...known };
}
