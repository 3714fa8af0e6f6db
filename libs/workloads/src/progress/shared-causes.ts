/** Causes that all workloads report with the same message, and the order in which Pods are examined. */
import type { Lifecycle } from '@kruise/api';
import { counted, type Node } from '@kruise/objects';
import type { PodCause } from './blocked-condition.ts';
import type { BlockingCause } from './blocking-cause.ts';
import {
  clockSkew,
  containerFaults,
  nodeLost,
  notReady,
  resizePending,
  unschedulable,
  waitingForHook,
  type FaultContext,
} from './pod-causes.ts';

/** The input of the rules besides a Pod. */
export interface Surroundings extends FaultContext {
  /** The known nodes of the Pods, by name. */
  readonly nodes: ReadonlyMap<string, Node>;
  readonly lifecycle: Lifecycle | undefined;
}

/** Returns rules for the faults of a Pod or its node, and for hooks that hold it: they are reported immediately. */
export const podFaults = ({ nodes, lifecycle, ...context }: Surroundings): readonly PodCause[] => [
  (pod) => containerFaults(pod, context),
  unschedulable,
  (pod) => nodeLost(pod, nodes),
  resizePending,
  (pod) => waitingForHook(pod, lifecycle),
];

/** Returns rules for what takes longer than it should. */
export const podDelays = (minReadySeconds: number, context: Parameters<typeof notReady>[1]): readonly PodCause[] => [
  (pod) => clockSkew(pod, minReadySeconds, context.now),
  (pod) => notReady(pod, context),
];

/** Reports that Pods are updated when a user deletes them. @param old Pods of other revisions */
export const updatedOnDelete = (old: number): BlockingCause => ({
  reason: 'OnDelete',
  message: `${counted(old, 'Pod of an older revision is updated only when a user deletes it', 'Pods of older revisions are updated only when a user deletes them')} (update strategy OnDelete)`,
});

/** Reports that the update is paused. @param waiting Pods that would be updated */
export const updatePaused = (waiting: number): BlockingCause => ({
  reason: 'Paused',
  message: `the update is paused; ${counted(waiting, 'Pod waits', 'Pods wait')} for it`,
});
