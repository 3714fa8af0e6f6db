/** What one pass over a StatefulSet looks at: plain data, read once, in a stated order. */
import type { Gates, ImagePullJob, StatefulSet } from '@kruise/api';
import type { ControllerRevision, Instant, LabelMatcher, Node, PersistentVolumeClaim, Pod, StorageClass } from '@kruise/objects';
import type { ResourceWriting } from '@kruise/pods';
import type { RefusedBefore } from '@kruise/workloads';

/** Objects by name, looked up one by one. */
export type ByName<T> = Pick<ReadonlyMap<string, T>, 'get'>;

export interface Snapshot {
  readonly set: StatefulSet;
  /** The parsed `spec.selector`. */
  readonly selector: LabelMatcher;
  /** Every Pod that this StatefulSet controls, and every Pod without a controller that has the name of a member; by name. */
  readonly pods: readonly Pod[];
  /** Every Pod of the namespace, with any controller. */
  readonly podNamed: ByName<Pod>;
  /** Every claim of the namespace, terminating ones included. */
  readonly claims: ByName<PersistentVolumeClaim>;
  /** The history, oldest first: revisions that it controls, and revisions without a controller that its selector matches. */
  readonly revisions: readonly ControllerRevision[];
  /** Every revision of the namespace, also those that are not of the history. */
  readonly heldRevisions: ByName<ControllerRevision>;
  /** Every StorageClass; empty while claims are not resized. */
  readonly classes: ByName<StorageClass>;
  /** The nodes that Pods run on, by name; only those that are known. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** The ImagePullJobs that this StatefulSet controls and that are not terminating, by name; absent when images are not pulled ahead. */
  readonly imagePullJobs?: readonly ImagePullJob[];
}

/** What else decides: time, gates, and what was refused before. */
export interface Context {
  readonly now: Instant;
  /** Pods that go behind the others with Parallel. */
  readonly refused: RefusedBefore;
  readonly gates: Gates;
  readonly resources: ResourceWriting;
}
