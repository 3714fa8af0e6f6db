/** The stores from which kinds that own Pods read. */
import type { ImagePullJob } from '@kruise/api';
import type { StoreReader } from '@kruise/kube';
import type { ControllerRevision, Node, PersistentVolumeClaim, Pod } from '@kruise/objects';

/** Of a kind that keeps revisions of the template of its Pods. */
export interface PodStores {
  readonly pods: StoreReader<Pod>;
  readonly revisions: StoreReader<ControllerRevision>;
  readonly nodes: StoreReader<Node>;
  /** Absent when images are not pulled ahead. */
  readonly imagePullJobs?: StoreReader<ImagePullJob>;
}

/** Of a kind whose Pods also have claims. */
export interface ClaimStores extends PodStores {
  readonly claims: StoreReader<PersistentVolumeClaim>;
}
