/** The status of a DaemonSet, counted over nodes. @see spec/daemonset.md 5.11 */
import type { DaemonSet, DaemonSetStatus } from '@kruise/api';
import { deepEqual, type Instant, type Milliseconds, type Pod } from '@kruise/objects';
import { isViewAvailable, nextAvailable } from './pods/pod-facts.ts';
import { siteFactsOf, type SiteFacts } from './nodes/site-facts.ts';
import type { Sites } from './nodes/sites.ts';
import type { PacedStatus, KstatusCounts } from '@kruise/workloads';

export interface StatusResult {
  readonly status: DaemonSetStatus;
  /** When time alone changes a counter. */
  readonly requeueAfter?: Milliseconds;
}

const nothingYet = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
  updatedNumberScheduled: 0,
};

/** The stored status, for a pass that ended before it counted: the caller adds only conditions. */
export const heldStatus = ({ status }: DaemonSet): DaemonSetStatus => ({ ...nothingYet, ...status });

/** Members that are omitted while they are 0. */
const omitted = ['numberAvailable', 'numberUnavailable', 'collisionCount'] as const;

function withoutZeros(status: DaemonSetStatus): DaemonSetStatus {
  const shown = { ...status };
  for (const name of omitted) if (shown[name] === 0) delete (shown as Partial<Record<(typeof omitted)[number], number>>)[name];
  return shown;
}

/** On each node the Pod that counts first is looked at, and no other. */
function count(set: DaemonSet, sites: readonly SiteFacts[], now: Instant) {
  const numbers = { ...nothingYet, numberAvailable: 0 };
  for (const { site, first } of sites) {
    const { node, fit } = site;
    if (!fit.shouldRun) {
      // The garbage collector deletes the Pods of a deleted node.
      if (first !== undefined && node !== undefined) numbers.numberMisscheduled++;
      continue;
    }
    numbers.desiredNumberScheduled++;
    if (first === undefined) continue;
    numbers.currentNumberScheduled++;
    if (first.view.isReady) numbers.numberReady++;
    if (first.isGateOpen && isViewAvailable(set, first.view, now)) numbers.numberAvailable++;
    if (first.isUpdated) numbers.updatedNumberScheduled++;
  }
  return { ...numbers, numberUnavailable: numbers.desiredNumberScheduled - numbers.numberAvailable };
}

/** What there is to count. */
export interface Counted {
  readonly sites: Sites;
  /** Claimed: while updates surge a Pod that is not the first of its node is waited for as well. */
  readonly pods: readonly Pod[];
  /** Of the update revision. */
  readonly hash: string;
}

export function computeStatus(set: DaemonSet, { sites, pods, hash }: Counted, now: Instant): StatusResult {
  const status = withoutZeros({
    ...heldStatus(set),
    ...count(set, siteFactsOf(set, sites.all, hash), now),
    observedGeneration: set.metadata.generation ?? 0,
    updateRevision: hash,
  });
  const wait = nextAvailable(set, pods, now);
  return { status, ...(wait === undefined ? {} : { requeueAfter: wait }) };
}

/** The status of a pass whose update revision could not be written: nodes are counted, but the spec does not count as observed. */
export function withoutUpdateRevision(set: DaemonSet, counted: DaemonSetStatus): DaemonSetStatus {
  const { updateRevision: _revision, observedGeneration: _generation, updatedNumberScheduled: _updated, ...numbers } = counted;
  const { updateRevision, observedGeneration, updatedNumberScheduled } = heldStatus(set);
  return {
    ...numbers,
    updatedNumberScheduled,
    ...(updateRevision === undefined ? {} : { updateRevision }),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}

/** Whether the status has to be written. */
export const isStatusChanged = (set: DaemonSet, status: DaemonSetStatus): boolean =>
  set.status === undefined || !deepEqual(withoutZeros(set.status), withoutZeros(status));

/** The counters of nodes. */
export const pacedStatus: PacedStatus<DaemonSetStatus> = {
  withoutNumbers: (status) =>
    Object.fromEntries(Object.entries(status).filter(([name]) => !/^(current|desired|updated)?[nN]umber/.test(name))),
  isSettled: ({ desiredNumberScheduled: desired, numberMisscheduled, currentNumberScheduled, ...status }) =>
    desired > 0 &&
    numberMisscheduled === 0 &&
    [currentNumberScheduled, status.updatedNumberScheduled, status.numberReady, status.numberAvailable].every((count) => count === desired),
};

/** What is left of a rollout, in nodes. */
export const kstatusCounts = (_: DaemonSet, status: DaemonSetStatus): KstatusCounts => ({
  desired: status.desiredNumberScheduled,
  present: status.currentNumberScheduled,
  available: status.numberAvailable ?? 0,
  updated: status.updatedNumberScheduled ?? 0,
});
