/** What one pass over a DaemonSet looks at: plain data, read once, in a stated order. */
import type { DaemonSet, Gates, ImagePullJob } from '@kruise/api';
import type { ControllerRevision, Instant, LabelMatcher, Milliseconds, Node, Pod } from '@kruise/objects';
import type { ResourceWriting } from '@kruise/pods';
import { type RefusedBefore } from '@kruise/workloads';

export interface Snapshot {
  readonly set: DaemonSet;
  /** The parsed `spec.selector`. */
  readonly selector: LabelMatcher;
  /** Every Pod that this DaemonSet controls, and every Pod without a controller that it selects; by name. */
  readonly pods: readonly Pod[];
  /** Every node, by name. */
  readonly nodes: readonly Node[];
  /** The history, oldest first: revisions that it controls, and revisions without a controller that its selector matches. */
  readonly revisions: readonly ControllerRevision[];
  /** Every revision of the namespace, also those that are not of the history. */
  readonly heldRevisions: { readonly get: (name: string) => ControllerRevision | undefined };
  /** Names of Pods in the namespace. */
  readonly takenNames: { readonly has: (name: string) => boolean };
  /** The uid of the Pod that was the last to go from a node; '' when none is known. */
  readonly lastDeletedFrom: (node: string) => string;
  /** Nodes for which the API server has refused to create, change or delete a Pod lately. */
  readonly refused: RefusedBefore;
  /** How long a Pod of this node that has failed has to stay still; 0: it may go. */
  readonly failedPodStays: (node: string) => Milliseconds;
  /** The ImagePullJobs that this DaemonSet controls and that are not terminating, by name; absent when images are not pulled ahead. */
  readonly imagePullJobs?: readonly ImagePullJob[];
}

/** What else decides: time, gates and flags. */
export interface Context {
  readonly now: Instant;
  readonly gates: Gates;
  readonly resources: ResourceWriting;
  /** Flag `--assign-pods-by-scheduler`: else Pods are bound as they are created. */
  readonly placedByScheduler: boolean;
}
