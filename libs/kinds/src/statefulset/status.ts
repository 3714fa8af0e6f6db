/** The status of a StatefulSet, counted over its claimed Pods. @see spec/statefulset.md 5.8 */
import { conditionTypes, type StatefulSet, type StatefulSetStatus } from '@kruise/api';
import {
  deepEqual,
  earliest,
  formatLabelMatcher,
  removeCondition,
  setCondition,
  type ControllerRevision,
  type Instant,
  type Milliseconds,
  type Pod,
} from '@kruise/objects';
import { podViewsOf, withConditions, type PassFailures, type PacedStatus, type KstatusCounts } from '@kruise/workloads';
import type { Arrangement } from './snapshot/arrangement.ts';
import { countClaims } from './claims/claim-resize.ts';
import { availableIn, isViewAvailable } from './pods/pod-facts.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { isRollingUpdate, minReadySecondsOf, replicasOf, rollingUpdateOf } from './snapshot/strategy.ts';

export interface StatusInput {
  readonly seen: Snapshot;
  /** Claimed. */
  readonly pods: readonly Pod[];
  readonly arrangement: Arrangement;
  readonly update: ControllerRevision;
  readonly current: ControllerRevision;
}

export interface StatusResult {
  readonly status: StatefulSetStatus;
  /** When time alone changes a counter. */
  readonly requeueAfter?: Milliseconds;
}

/** Terminating Pods count as replicas, ready and available, but as those of no revision. */
function count({ seen: { set }, pods, update, current }: StatusInput, { now }: Context) {
  const [updateName, currentName] = [update.metadata.name, current.metadata.name];
  const counters = { replicas: pods.length, ...noPods };
  for (const view of podViewsOf(set.metadata, pods)) {
    const isUpdated = view.revisionLabel === updateName;
    const isAvailable = isViewAvailable(set, view, now);
    if (view.isReadyRunning) counters.readyReplicas++;
    if (isAvailable) counters.availableReplicas++;
    if (!view.isTerminating && view.revisionLabel === currentName) counters.currentReplicas++;
    if (!view.isTerminating && isUpdated) counters.updatedReplicas++;
    if (isUpdated && view.isReadyRunning) counters.updatedReadyReplicas++;
    if (isUpdated && isAvailable) counters.updatedAvailableReplicas++;
  }
  return counters;
}

const noPods = {
  readyReplicas: 0,
  availableReplicas: 0,
  currentReplicas: 0,
  updatedReplicas: 0,
  updatedReadyReplicas: 0,
  updatedAvailableReplicas: 0,
};

export function computeStatus(input: StatusInput, context: Context): StatusResult {
  const { seen, pods, arrangement, update, current } = input;
  const { set, selector } = seen;
  const counters = count(input, context);
  const { replicas, updatedReplicas, readyReplicas } = counters;
  const isFull = arrangement.missing === 0 && [replicas, updatedReplicas, readyReplicas].every((count) => count === replicasOf(set));
  const isComplete = isFull && isRollingUpdate(set);
  const volumeClaims = countClaims(set, arrangement.filled, seen.claims);
  const { volumeClaims: _past, ...held } = heldStatus(set);
  const status: StatefulSetStatus = {
    ...held,
    ...counters,
    observedGeneration: set.metadata.generation ?? 0,
    updateRevision: update.metadata.name,
    currentRevision: isComplete ? update.metadata.name : current.metadata.name,
    ...(isComplete ? { currentReplicas: updatedReplicas } : {}),
    collisionCount: set.status?.collisionCount ?? 0,
    labelSelector: formatLabelMatcher(selector),
    ...(volumeClaims.length === 0 ? {} : { volumeClaims }),
  };
  if (minReadySecondsOf(set) <= 0) return { status };
  return { status, ...earliest(pods.map((pod) => availableIn(set, pod, context.now))) };
}

const nothingYet = { replicas: 0, readyReplicas: 0, availableReplicas: 0, currentReplicas: 0, updatedReplicas: 0 };

/** The stored status, for a pass that ended before it counted: the caller adds only conditions. */
export const heldStatus = ({ status }: StatefulSet): StatefulSetStatus => ({ ...nothingYet, ...status });

/**
 * The status of a pass whose update revision could not be written: Pods are counted, but no status names a revision that is not there, and
 * the spec does not count as observed.
 */
export const withoutUpdateRevision = (
  set: StatefulSet,
  { replicas, readyReplicas, availableReplicas }: StatefulSetStatus,
): StatefulSetStatus => ({ ...heldStatus(set), replicas, readyReplicas, availableReplicas });

const createError = 'StatefulPodControl failed to create Pod error: ';
const updateError = 'StatefulPodControl failed to update Pod error: ';

type Conditions = NonNullable<StatefulSetStatus['conditions']>;

/** Sets the conditions FailedCreatePod and FailedUpdatePod to what stopped the last pass; a pass without that error removes them. */
export function withFailures(status: StatefulSetStatus, { scale, update }: PassFailures, now: Instant): StatefulSetStatus {
  const apply = (conditions: Conditions, type: string, message: string | undefined): Conditions =>
    message === undefined
      ? removeCondition(conditions, type)
      : setCondition<Conditions[number]>(conditions, { type, status: 'True', message }, now);
  const created = apply(status.conditions ?? [], conditionTypes.failedCreatePod, scale && `${createError}${scale.message}`);
  return withConditions(status, apply(created, conditionTypes.failedUpdatePod, update && `${updateError}${update.message}`));
}

/** Counters that the original omits while they are 0. */
const omittedZeros = { updatedReadyReplicas: 0, updatedAvailableReplicas: 0, collisionCount: 0 };

/** Whether the status has to be written. */
export const isStatusChanged = (set: StatefulSet, status: StatefulSetStatus): boolean =>
  !deepEqual({ ...omittedZeros, ...set.status }, { ...omittedZeros, ...status });

/** The counters of Pods. */
const podCounters: ReadonlySet<string> = new Set<keyof StatefulSetStatus>([
  'replicas',
  'readyReplicas',
  'availableReplicas',
  'currentReplicas',
  'updatedReplicas',
  'updatedReadyReplicas',
  'updatedAvailableReplicas',
]);

export const pacedStatus: PacedStatus<StatefulSetStatus> = {
  // Without `rollingUpdate` the next Pod is made of a revision that follows from `currentReplicas`.
  readsCounters: (set: StatefulSet) => rollingUpdateOf(set) === undefined,
  withoutNumbers: (status) => Object.fromEntries(Object.entries(status).filter(([name]) => !podCounters.has(name))),
  isSettled: ({ replicas, readyReplicas, availableReplicas, updatedReplicas, updatedAvailableReplicas }) =>
    replicas > 0 && [readyReplicas, availableReplicas, updatedReplicas, updatedAvailableReplicas].every((count) => count === replicas),
};

/** What is left of a rollout. */
export const kstatusCounts = (set: StatefulSet, status: StatefulSetStatus): KstatusCounts => ({
  desired: replicasOf(set),
  present: status.replicas,
  available: status.availableReplicas,
  updated: status.updatedReplicas,
});
