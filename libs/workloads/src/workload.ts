/** The parts of a workload that the shared rules need. Each kind fills it in once a pass from its own spec. */
import type { Lifecycle } from '@kruise/api';
import type { ControllerRevision, Instant, Pod } from '@kruise/objects';
import { isOfRevision, type InPlaceGates, type ResourceWriting, type RevisionAdapter } from '@kruise/pods';

/** Whether a Pod of another revision is changed in place, replaced, or left unchanged when it cannot be changed in place. */
export type PodUpdatePolicy = 'ReCreate' | 'InPlaceIfPossible' | 'InPlaceOnly';

/** One workload in one pass. The shared rules read nothing else of its kind. */
export interface Workload {
  /** The object's `metadata`: views of its Pods are kept as long as it exists, see `podViewsOf`. */
  readonly metadata: object;
  readonly now: Instant;
  readonly gates: InPlaceGates;
  /** How the kind names revisions on its Pods. */
  readonly adapter: RevisionAdapter;
  /** How resources of running containers are changed on this API server, if at all. */
  readonly resources: ResourceWriting;
  /** Seconds that a Pod must have been ready to count as available; 0 or more. */
  readonly minReadySeconds: number;
  readonly lifecycle: Lifecycle | undefined;
  /** Whether a Pod without a preNormal hook stays PreparingNormal until it is on a node. */
  readonly waitsForNode: boolean;
  readonly podUpdatePolicy: PodUpdatePolicy;
  /** Seconds between taking a Pod out of service and changing its containers; 0 or more. */
  readonly graceSeconds: number;
  /** Whether Pods are updated only when a user deletes them. */
  readonly isOnDelete: boolean;
  /** Id of the revision to update Pods to, as `revisionId` returns it. */
  readonly updateRevision: string;
  /** The history, in which the revision of a Pod is looked up; any order. */
  readonly revisions: readonly ControllerRevision[];
}

/** Returns whether the Pod is of the revision with this id. */
export const isOf = ({ adapter }: Pick<Workload, 'adapter'>, pod: Pod, revision: string): boolean => isOfRevision(adapter, pod, revision);
