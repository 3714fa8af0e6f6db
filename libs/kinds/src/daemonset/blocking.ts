/**
 * What prevents progress of a DaemonSet, in words: the first cause, faults before hooks before what the user requested. It is shown as condition
 * `Blocked`, which is there while, and only while, something blocks; a Pod that merely takes its time to start does not.
 */
import type { DaemonSet, DaemonSetStatus } from '@kruise/api';
import { counted, earliest, isTerminating, type Milliseconds, type Pod } from '@kruise/objects';
import {
  containerFaults,
  firstCauseOf,
  heldCauseOf,
  nodeLost,
  patienceEnds,
  podDelays,
  podViewsOf,
  unschedulable,
  updatedOnDelete,
  updatePaused,
  waitingForHook,
  type BlockingCause,
  type PodCause,
} from '@kruise/workloads';
import { isFailed, unavailablePods } from './pods/pod-facts.ts';
import type { Sites } from './nodes/sites.ts';
import type { Context } from './snapshot/snapshot.ts';
import { burstFaultOf, burstOf, isOnDelete, isPaused, minReadySecondsOf, updatedNodesOf } from './snapshot/strategy.ts';

export interface BlockingInput {
  readonly set: DaemonSet;
  readonly sites: Sites;
  /** Claimed, in the order in which they are named. */
  readonly pods: readonly Pod[];
  /** With its counters computed. */
  readonly status: DaemonSetStatus;
  /** Whether there is anything to create, delete or update. */
  readonly hasWork: boolean;
  /** Nodes with a Pod of another revision that keep it. */
  readonly kept: number;
}

export interface Blocking {
  readonly cause?: BlockingCause;
  /** When a Pod's time to get ready is over. */
  readonly requeueAfter?: Milliseconds;
}

/** What the kubelet has refused, or what was evicted: it is replaced after a while. */
function failed(pod: Pod): BlockingCause | undefined {
  if (!isFailed(pod) || isTerminating(pod)) return undefined;
  const { reason, message } = pod.status ?? {};
  const why = [reason, message].filter((text) => text !== undefined && text !== '').join(': ');
  return {
    reason: 'PodFails',
    message: `Pod ${pod.metadata.name} has failed${why === '' ? '' : ` (${why})`}; the controller replaces it after a delay`,
  };
}

function burstCause({ set, status, hasWork }: BlockingInput): BlockingCause | undefined {
  if (!hasWork || burstOf(set, status.desiredNumberScheduled) > 0) return undefined;
  return { reason: 'ScaleLimited', message: burstFaultOf(set) ?? 'burstReplicas is 0, so no Pod is created, deleted or updated' };
}

/** What the user requested, which stops updates as long as there is something to update. */
function wanted({ set, status, kept }: BlockingInput): BlockingCause | undefined {
  const old = status.currentNumberScheduled - status.updatedNumberScheduled;
  if (old <= 0) return undefined;
  if (isOnDelete(set)) return updatedOnDelete(old);
  if (isPaused(set)) return updatePaused(old);
  if (old > kept) return undefined;
  const limits = updatedNodesOf(set) === undefined ? 'the partition is' : 'partition and selector of nodes are';
  return {
    reason: 'PartitionReached',
    message: `${limits} reached: ${counted(kept, 'node keeps an older revision', 'nodes keep older revisions')}`,
  };
}

/** What blocks the DaemonSet, judged by its objects; the controller adds what the API server refuses. */
export function findBlocking(input: BlockingInput, context: Context): Blocking {
  const { set, sites, pods } = input;
  const waiting = unavailablePods(set, pods, context.now);
  const views = podViewsOf(set.metadata, pods);
  const held = heldCauseOf(set);
  const faults: readonly PodCause[] = [
    (pod) => containerFaults(pod, { held, now: context.now }),
    unschedulable,
    failed,
    (pod) => nodeLost(pod, sites.nodeNamed),
  ];
  const delays = podDelays(minReadySecondsOf(set), context);
  const cause =
    firstCauseOf(waiting, faults, held) ??
    firstCauseOf(
      pods.filter((_, index) => views[index]?.state === 'PreparingDelete'),
      [(pod) => waitingForHook(pod, set.spec.lifecycle)],
      held,
    ) ??
    burstCause(input) ??
    firstCauseOf(waiting, delays, held) ??
    wanted(input);
  // A cause of less weight gives way to a Pod that is not ready for too long.
  return { ...(cause === undefined ? {} : { cause }), ...earliest([patienceEnds(waiting, context.now)]) };
}
