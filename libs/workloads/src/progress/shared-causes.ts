/** Causes that all workloads tell in the same words, and the order in which Pods are asked for theirs. */
import type { Lifecycle } from '@kruise/api';
import type { Node } from '@kruise/objects';
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

/** What the rules ask Pods with. */
export interface Surroundings extends FaultContext {
  /** Those that Pods run on, by name; only those that are known. */
  readonly nodes: ReadonlyMap<string, Node>;
  readonly lifecycle: Lifecycle | undefined;
}

/** What is wrong with a Pod, or with its node, and hooks that hold it: worth a word at once. */
export const podFaults = ({ nodes, lifecycle, ...context }: Surroundings): readonly PodCause[] => [
  (pod) => containerFaults(pod, context),
  unschedulable,
  (pod) => nodeLost(pod, nodes),
  resizePending,
  (pod) => waitingForHook(pod, lifecycle),
];

/** What takes longer than it should. */
export const podDelays = (minReadySeconds: number, context: Parameters<typeof notReady>[1]): readonly PodCause[] => [
  (pod) => clockSkew(pod, minReadySeconds, context.now),
  (pod) => notReady(pod, context),
];

/** @param old Pods of other revisions */
export const updatedOnDelete = (old: number): BlockingCause => ({
  reason: 'OnDelete',
  message: `${old} Pods of older revisions are updated when somebody deletes them (update strategy OnDelete)`,
});

/** @param waiting Pods that would be updated */
export const updatePaused = (waiting: number): BlockingCause => ({
  reason: 'Paused',
  message: `the update is paused, ${waiting} Pods wait for it`,
});
