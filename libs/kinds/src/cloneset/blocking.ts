/**
 * What prevents progress of a CloneSet, in words: the first cause, faults before hooks before what the user requested. It is shown as condition
 * `Blocked`, which is there while, and only while, something blocks; a Pod that merely takes its time to start does not.
 */
import type { CloneSet, CloneSetStatus } from '@kruise/api';
import { counted, earliest, type Milliseconds, type Pod } from '@kruise/objects';
import {
  firstCauseOf,
  heldCauseOf,
  isReadyNow,
  patienceEnds,
  podDelays,
  podFaults,
  isViewAvailable,
  podViewOf,
  podViewsOf,
  updatedOnDelete,
  updatePaused,
  type BlockingCause,
} from '@kruise/workloads';
import { isSpecifiedDelete } from './pods/pod-facts.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { isOnDelete, isPaused, maxSurgeOf, maxUnavailableOf, minReadySecondsOf, partitionOf, replicasOf } from './snapshot/strategy.ts';

/** What keeps the scaling of a pass from doing all it should. */
export interface ScalingObstacles {
  /** Pods that can be recreated only after the Pods with the same names are deleted. */
  readonly waitingForNames: readonly string[];
  /** How many Pods `scaleStrategy.maxUnavailable` lets be created now; undefined when it holds none back. */
  readonly limitedTo: number | undefined;
}

export interface BlockingInput {
  readonly cloneSet: CloneSet;
  /** Active and claimed, by name. */
  readonly pods: readonly Pod[];
  readonly nodes: Snapshot['nodes'];
  /** With its counters computed. */
  readonly status: CloneSetStatus;
  readonly scaling: ScalingObstacles;
}

export interface Blocking {
  readonly cause?: BlockingCause;
  /** When a Pod's time to get ready is over. */
  readonly requeueAfter?: Milliseconds;
}

function scalingObstacle({ waitingForNames, limitedTo }: ScalingObstacles): BlockingCause | undefined {
  if (waitingForNames.length > 0)
    return {
      reason: 'WaitingForNames',
      message: `terminating Pods hold the names that new Pods need: ${waitingForNames.join(', ')}`,
    };
  return limitedTo === 0
    ? { reason: 'ScaleLimited', message: 'no Pod may be created: scaleStrategy.maxUnavailable is used up by Pods that are not available' }
    : undefined;
}

/** Updates that could be done and are not begun, because the user said so. */
function heldBack(cloneSet: CloneSet, missing: number): BlockingCause | undefined {
  if (missing <= 0) return undefined;
  if (isPaused(cloneSet)) return updatePaused(missing);
  return maxUnavailableOf(cloneSet) === 0 && maxSurgeOf(cloneSet) === 0
    ? {
        reason: 'UpdateLimited',
        message: `${counted(missing, 'Pod waits', 'Pods wait')} for the update, but maxUnavailable and maxSurge resolve to 0 Pods; raise one of them`,
      }
    : undefined;
}

/** A ready Pod that is marked for replacement, while the limits allow no ready Pod to be deleted. */
function markedInVain(cloneSet: CloneSet, pods: readonly Pod[]): BlockingCause | undefined {
  if (maxUnavailableOf(cloneSet) > 0 || maxSurgeOf(cloneSet) > 0) return undefined;
  const marked = pods.filter((pod) => isSpecifiedDelete(cloneSet, pod) && isReadyNow(pod));
  const [first] = marked;
  const rest = isPaused(cloneSet) ? ' while the update is paused; resume it, or raise maxUnavailable' : '; raise one of them';
  return first === undefined
    ? undefined
    : {
        reason: 'UpdateLimited',
        message: `${counted(marked.length, 'Pod waits', 'Pods wait')} to be replaced, Pod ${first.metadata.name} first, but maxUnavailable and maxSurge resolve to 0 Pods${rest}`,
      };
}

/** A Pod that was prepared for an update before the partition was raised: nothing else returns it to service. */
const preparedInVain = (pods: readonly Pod[]): string => {
  const pod = pods.find((one) => podViewOf(one).state === 'PreparingUpdate');
  return pod === undefined
    ? ''
    : `; Pod ${pod.metadata.name} stays in PreparingUpdate until the partition is lowered or the template rolled back`;
};

/** What the user requested, which stops updates as long as there is something to update. */
function wanted({ cloneSet, status, pods }: BlockingInput): BlockingCause | undefined {
  const { updatedReplicas, replicas, updatedAvailableReplicas = 0, expectedUpdatedReplicas = 0 } = status;
  const old = replicas - updatedReplicas;
  if (old <= 0 || status.currentRevision === status.updateRevision) return undefined;
  if (isOnDelete(cloneSet)) return updatedOnDelete(old);
  const held = heldBack(cloneSet, expectedUpdatedReplicas - updatedReplicas);
  if (held !== undefined) return held;
  return expectedUpdatedReplicas < replicasOf(cloneSet) && expectedUpdatedReplicas <= updatedAvailableReplicas
    ? {
        reason: 'PartitionReached',
        message: `the partition is reached: ${counted(partitionOf(cloneSet), 'Pod keeps an older revision', 'Pods keep older revisions')}${preparedInVain(pods)}`,
      }
    : undefined;
}

function unavailable(cloneSet: CloneSet, pods: readonly Pod[], { now }: Context): readonly Pod[] {
  const limit = { minReadySeconds: minReadySecondsOf(cloneSet), now };
  const views = podViewsOf(cloneSet.metadata, pods);
  const found: Pod[] = [];
  for (let index = 0; index < pods.length; index++) if (!isViewAvailable(views[index]!, limit)) found.push(pods[index]!);
  return found;
}

/** What blocks the CloneSet, judged by its objects; {@link withBlocking} adds what the API server refuses. */
export function findBlocking(input: BlockingInput, context: Context): Blocking {
  const { cloneSet, pods, nodes, status, scaling } = input;
  const waiting = status.availableReplicas === pods.length ? [] : unavailable(cloneSet, pods, context);
  const held = heldCauseOf(cloneSet);
  const faults = podFaults({ nodes, lifecycle: cloneSet.spec.lifecycle, held, now: context.now });
  const delays = podDelays(minReadySecondsOf(cloneSet), context);
  const cause =
    firstCauseOf(waiting, faults, held) ??
    scalingObstacle(scaling) ??
    firstCauseOf(waiting, delays, held) ??
    markedInVain(cloneSet, pods) ??
    wanted(input);
  // A cause of less weight gives way to a Pod that is not ready for too long.
  return { ...(cause === undefined ? {} : { cause }), ...earliest([patienceEnds(waiting, context.now)]) };
}
