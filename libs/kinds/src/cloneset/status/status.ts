/**
 * The status of a CloneSet, counted over its active, claimed Pods.
 * @see spec/cloneset.md 5.8
 */
import { conditionTypes, type CloneSet, type CloneSetStatus } from '@kruise/api';
import {
  deepEqual,
  formatLabelMatcher,
  removeCondition,
  setCondition,
  type ControllerRevision,
  type Instant,
  type LabelMatcher,
  type Milliseconds,
  type Pod,
} from '@kruise/objects';
import { withConditions, type PacedStatus, type KstatusCounts } from '@kruise/workloads';
import { planProgressing, type Conditions } from './progressing.ts';
import type { Context } from '../snapshot/snapshot.ts';
import { legalPartitionOf, replicasOf } from '../snapshot/strategy.ts';
import { countPods } from './pod-counts.ts';

export interface StatusInput {
  readonly cloneSet: CloneSet;
  readonly selector: LabelMatcher;
  /** Active and claimed. */
  readonly pods: readonly Pod[];
  readonly update: ControllerRevision;
  readonly current: ControllerRevision;
}

export interface StatusResult {
  readonly status: CloneSetStatus;
  readonly requeueAfter?: Milliseconds;
}

type Counters = Pick<
  CloneSetStatus,
  'replicas' | 'readyReplicas' | 'availableReplicas' | 'updatedReplicas' | 'updatedReadyReplicas' | 'updatedAvailableReplicas'
>;

function count({ cloneSet, pods, update }: StatusInput, context: Context): Counters {
  const { updated, old } = countPods(pods, { cloneSet, updateRevision: update.metadata.name }, context, 'Update');
  return {
    replicas: pods.length,
    readyReplicas: updated.ready + old.ready,
    availableReplicas: updated.available + old.available,
    updatedReplicas: updated.total,
    updatedReadyReplicas: updated.ready,
    updatedAvailableReplicas: updated.available,
  };
}

/** How many Pods the rollout is to bring to the update revision; none when the partition cannot be read. */
function expectedUpdated(cloneSet: CloneSet): number {
  const replicas = replicasOf(cloneSet);
  const partition = legalPartitionOf(cloneSet);
  return partition === undefined ? 0 : replicas - partition;
}

/** The current revision moves on once every Pod is of the update revision, ready or not. */
export function computeStatus(input: StatusInput, context: Context): StatusResult {
  const { cloneSet, update, current, selector } = input;
  const counters = count(input, context);
  const isRolledOut = counters.updatedReplicas === counters.replicas && counters.replicas === replicasOf(cloneSet);
  const status: CloneSetStatus = {
    ...cloneSet.status,
    ...counters,
    observedGeneration: cloneSet.metadata.generation ?? 0,
    updateRevision: update.metadata.name,
    currentRevision: isRolledOut ? update.metadata.name : current.metadata.name,
    expectedUpdatedReplicas: expectedUpdated(cloneSet),
    labelSelector: formatLabelMatcher(selector),
    collisionCount: cloneSet.status?.collisionCount ?? 0,
  };
  const { conditions, requeueAfter } = planProgressing(cloneSet, status, context.now);
  return { status: withConditions(status, conditions), ...(requeueAfter === undefined ? {} : { requeueAfter }) };
}

/** What went wrong in a pass; absent when that part of it went well. */
export interface Failures {
  readonly scale?: { readonly message: string };
  readonly update?: { readonly message: string };
}

const nothingYet = { replicas: 0, readyReplicas: 0, availableReplicas: 0, updatedReplicas: 0, updatedReadyReplicas: 0 };

/** The stored status, for a pass that ended before it counted: the caller adds only conditions. */
export const heldStatus = ({ status }: CloneSet): CloneSetStatus => ({ ...nothingYet, ...status });

/**
 * The status of a pass whose update revision could not be written: Pods are counted, but no status names a revision that is not there, and
 * the spec does not count as observed.
 */
export const withoutUpdateRevision = (
  cloneSet: CloneSet,
  { replicas, readyReplicas, availableReplicas }: CloneSetStatus,
): CloneSetStatus => ({
  ...heldStatus(cloneSet),
  replicas,
  readyReplicas,
  availableReplicas,
});

/** Sets the conditions FailedScale and FailedUpdate to what stopped the last pass; a pass without that error removes them. */
export function withFailures(status: CloneSetStatus, failures: Failures, now: Instant): CloneSetStatus {
  const apply = (conditions: Conditions, type: string, failure: Failures['scale']): Conditions =>
    failure === undefined
      ? removeCondition(conditions, type)
      : setCondition<Conditions[number]>(conditions, { type, status: 'True', message: failure.message }, now);
  const scaled = apply(status.conditions ?? [], conditionTypes.failedScale, failures.scale);
  return withConditions(status, apply(scaled, conditionTypes.failedUpdate, failures.update));
}

/** Counters that the original omits while they are 0. */
const omittedZeros = { updatedAvailableReplicas: 0, expectedUpdatedReplicas: 0, collisionCount: 0 };

/** Whether the status has to be written. */
export const isStatusChanged = (cloneSet: CloneSet, status: CloneSetStatus): boolean =>
  !deepEqual({ ...omittedZeros, ...cloneSet.status }, { ...omittedZeros, ...status });

/** The counters of Pods. */
const podCounters: ReadonlySet<string> = new Set<keyof CloneSetStatus>([
  'replicas',
  'readyReplicas',
  'availableReplicas',
  'updatedReplicas',
  'updatedReadyReplicas',
  'updatedAvailableReplicas',
]);

export const pacedStatus: PacedStatus<CloneSetStatus> = {
  withoutNumbers: (status) => Object.fromEntries(Object.entries(status).filter(([name]) => !podCounters.has(name))),
  isSettled: ({ replicas, readyReplicas, availableReplicas, updatedReplicas, updatedAvailableReplicas }) =>
    replicas > 0 && [readyReplicas, availableReplicas, updatedReplicas, updatedAvailableReplicas].every((count) => count === replicas),
};

/** What is left of a rollout. */
export const kstatusCounts = (cloneSet: CloneSet, status: CloneSetStatus): KstatusCounts => ({
  desired: replicasOf(cloneSet),
  present: status.replicas,
  available: status.availableReplicas,
  updated: status.updatedReplicas,
});
