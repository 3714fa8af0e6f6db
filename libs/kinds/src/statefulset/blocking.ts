/**
 * What prevents progress of a StatefulSet, in words: the first cause, faults before hooks before what the user requested. It is shown as condition
 * `Blocked`, which is there while, and only while, something blocks; a Pod that merely takes its time to start does not.
 */
import type { StatefulSet, StatefulSetStatus } from '@kruise/api';
import { counted, earliest, type Milliseconds, type Pod } from '@kruise/objects';
import {
  firstCauseOf,
  heldCauseOf,
  patienceEnds,
  podDelays,
  podFaults,
  podViewOf,
  podViewsOf,
  updatedOnDelete,
  updatePaused,
  type BlockingCause,
} from '@kruise/workloads';
import { isViewAvailable } from './pods/pod-facts.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { isOnDelete, isPaused, minReadySecondsOf, partitionOf, replicasOf } from './snapshot/strategy.ts';

/** What keeps a pass from doing all it should. */
interface Obstacles {
  /** Claims that have to vanish before Pods can be made that need them. */
  readonly waitingForClaims: readonly string[];
  /** Terminating Pods of other owners whose names will be reused. */
  readonly waitingForPods: readonly string[];
  /** Whether `scaleStrategy.maxUnavailable` holds Pods back. */
  readonly isScalingLimited: boolean;
  /** Name of the Pod that is not available and ends an ordered pass, where the update would bring it to another revision. */
  readonly outdated?: string;
  /** A claim that is being resized, in words. */
  readonly resizing?: string;
}

export interface BlockingInput {
  readonly seen: Pick<Snapshot, 'set' | 'nodes'>;
  /** Claimed, in the order in which they are named. */
  readonly pods: readonly Pod[];
  /** With its counters computed. */
  readonly status: StatefulSetStatus;
  readonly obstacles: Obstacles;
}

export interface Blocking {
  readonly cause?: BlockingCause;
  /** When a Pod's time to get ready is over. */
  readonly requeueAfter?: Milliseconds;
}

const waitingFor = (what: string, names: readonly string[]): BlockingCause => ({
  reason: 'WaitingForNames',
  message: `${what} that are being deleted hold the names that new Pods need: ${names.join(', ')}`,
});

function obstacleCause({ waitingForClaims, waitingForPods, isScalingLimited }: Obstacles): BlockingCause | undefined {
  if (waitingForPods.length > 0) return waitingFor('Pods', waitingForPods);
  if (waitingForClaims.length > 0) return waitingFor('claims', waitingForClaims);
  return isScalingLimited
    ? {
        reason: 'ScaleLimited',
        message: 'no more Pods may be created: scaleStrategy.maxUnavailable is used up by Pods that are not available',
      }
    : undefined;
}

/** What the user requested, which stops updates as long as there is something to update. */
function wanted(
  set: StatefulSet,
  { updatedReplicas, replicas, updatedAvailableReplicas = 0, ...status }: StatefulSetStatus,
): BlockingCause | undefined {
  const old = replicas - updatedReplicas;
  if (old <= 0 || status.currentRevision === status.updateRevision) return undefined;
  if (isOnDelete(set)) return updatedOnDelete(old);
  const expected = Math.max(replicasOf(set) - partitionOf(set), 0);
  const missing = expected - updatedReplicas;
  if (missing > 0 && isPaused(set)) return updatePaused(missing);
  return missing <= 0 && partitionOf(set) > 0 && expected <= updatedAvailableReplicas
    ? {
        reason: 'PartitionReached',
        message: `the partition is reached: ${counted(partitionOf(set), 'Pod keeps an older revision', 'Pods keep older revisions')}`,
      }
    : undefined;
}

/** A Pod that is marked for replacement, while the settings allow no Pod to be replaced. */
function markedInVain(set: StatefulSet, pods: readonly Pod[]): BlockingCause | undefined {
  if (!isOnDelete(set) && !isPaused(set)) return undefined;
  const pod = pods.find((one) => podViewOf(one).isMarkedForDeletion && podViewOf(one).isActive);
  if (pod === undefined) return undefined;
  const why = isOnDelete(set) ? 'which update strategy OnDelete ignores' : 'which waits while the update is paused';
  const message = `Pod ${pod.metadata.name} is marked for deletion, ${why}; delete the Pod itself to replace it now`;
  return { reason: isOnDelete(set) ? 'OnDelete' : 'Paused', message };
}

/** Faults of a Pod that no time and no change of the template end where Pods are ordered. */
const faultsOfPods: ReadonlySet<BlockingCause['reason']> = new Set([
  'ImageCannotBePulled',
  'ContainerCannotStart',
  'ContainerCrashes',
  'Unschedulable',
  'NotReady',
]);

/** An ordered update never gets to a Pod that is not available: users who have corrected the template have to delete it. */
function withNextStep(cause: BlockingCause | undefined, { outdated }: Obstacles): BlockingCause | undefined {
  if (cause === undefined || outdated === undefined || !faultsOfPods.has(cause.reason)) return cause;
  const why = 'with podManagementPolicy OrderedReady the update does not replace a Pod that is not available';
  const next = `delete Pod ${outdated}, or recreate the StatefulSet with podManagementPolicy Parallel`;
  return { ...cause, message: `${cause.message}; ${why}: ${next}` };
}

/** What blocks the StatefulSet, judged by its objects; the controller adds what the API server refuses. */
export function findBlocking({ seen, pods, status, obstacles }: BlockingInput, context: Context): Blocking {
  const { set, nodes } = seen;
  const views = podViewsOf(set.metadata, pods);
  const waiting = pods.filter((_, index) => !isViewAvailable(set, views[index]!, context.now));
  const held = heldCauseOf(set);
  const faults = podFaults({ nodes, lifecycle: set.spec.lifecycle, held, now: context.now });
  const delays = podDelays(minReadySecondsOf(set), context);
  const cause =
    withNextStep(firstCauseOf(waiting, faults, held), obstacles) ??
    obstacleCause(obstacles) ??
    withNextStep(firstCauseOf(waiting, delays, held), obstacles) ??
    resizingCause(obstacles) ??
    markedInVain(set, pods) ??
    wanted(set, status);
  // A cause of less weight gives way to a Pod that is not ready for too long.
  return { ...(cause === undefined ? {} : { cause }), ...earliest([patienceEnds(waiting, context.now)]) };
}

const resizingCause = ({ resizing }: Obstacles): BlockingCause | undefined =>
  resizing === undefined ? undefined : { reason: 'ResizePending', message: resizing };
