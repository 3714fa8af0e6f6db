/** What one pass over a CloneSet looks at: plain data, read once, in a stated order. */
import type { CloneSet, Gates, ImagePullJob } from '@kruise/api';
import type { ControllerRevision, Instant, LabelMatcher, Node, PersistentVolumeClaim, Pod } from '@kruise/objects';
import type { ResourceWriting } from '@kruise/pods';
import type { RefusedBefore } from '@kruise/workloads';

export interface Snapshot {
  readonly cloneSet: CloneSet;
  /** The parsed `spec.selector`. */
  readonly selector: LabelMatcher;
  /** Every Pod with an owner reference to this CloneSet, by name; finished and terminating ones included. */
  readonly pods: readonly Pod[];
  /** Every claim owned by this CloneSet that is not terminating, by name. */
  readonly claims: readonly PersistentVolumeClaim[];
  /** The history, oldest first. */
  readonly revisions: readonly ControllerRevision[];
  /** Every revision of the namespace by name, also those that are not of the history: with other labels, or of another owner. */
  readonly heldRevisions: Pick<ReadonlyMap<string, ControllerRevision>, 'get'>;
  /** The nodes that Pods of this CloneSet run on, by name; only those that are known. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** Names that this CloneSet would use but that Pods of other owners in the namespace have. */
  readonly takenNames: Pick<ReadonlySet<string>, 'has'>;
  /** The Pods of the namespace that mount a claim, by its name; Pods of other owners and ended ones included. */
  readonly mounts: Pick<ReadonlyMap<string, readonly Pod[]>, 'get'>;
  /**
   * What was refused lately: by uid of a Pod, and by the instance id of a Pod whose creation failed or got no answer, as long as its claims are
   * there and it is not.
   */
  readonly refused: RefusedBefore;
  /** The uid of the Pod that vanished last, as far as this process saw one go. */
  readonly lastVanished?: string;
  /** The ImagePullJobs that this CloneSet controls and that are not terminating, by name; absent when images are not pulled ahead. */
  readonly imagePullJobs?: readonly ImagePullJob[];
}

/** What else decides: time, gates and flags. */
export interface Context {
  readonly now: Instant;
  readonly gates: Gates;
  /** `--cloneset-scaling-exclude-preparing-delete`. */
  readonly excludePreparingDelete: boolean;
  readonly resources: ResourceWriting;
}
