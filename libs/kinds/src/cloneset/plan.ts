/**
 * One pass over a CloneSet: the table of contents of its rules.
 *
 * First the ground work (revisions, claims, ownership), then scaling, and updating only where scaling has nothing to do; the status is
 * counted over the Pods as they were seen.
 * @see spec/cloneset.md 5.2
 */
import { annotations, type CloneSetStatus } from '@kruise/api';
import {
  earliest,
  isControlledBy,
  memoizedList,
  memoizedPair,
  type ControllerRevision,
  type LabelMatcher,
  type Pod,
} from '@kruise/objects';
import { claimTemplateHash, settledRevision } from '@kruise/pods';
import {
  activePods,
  availabilityWait,
  claimPods,
  planHistoryCleanup,
  planWorkloadRevisions,
  templateRevision,
  podViewOf,
  type WorkloadPlan,
  type WorkloadRevisions,
} from '@kruise/workloads';
import type { Action } from './pods/action.ts';
import { findBlocking } from './blocking.ts';
import { ownerReferenceTo } from './pods/new-pod.ts';
import { planClaims } from './scaling/plan-claims.ts';
import { isOf } from './pods/pod-facts.ts';
import { withdrawMarks } from './plan-marks.ts';
import { planPodsToDelete, planScale } from './scaling/plan-scale.ts';
import { planUpdate } from './plan-update.ts';
import { planPreDownload } from './predownload.ts';
import { countPods } from './status/pod-counts.ts';
import { rolloutNumbers } from './status/rollout-numbers.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { computeStatus, withoutUpdateRevision, type StatusResult } from './status/status.ts';
import { minReadySecondsOf } from './snapshot/strategy.ts';

/** Events without an action. */
export type Note =
  /** `scaleStrategy.maxUnavailable` lets only this many Pods be created now. */
  | { readonly kind: 'ScaleUpLimited'; readonly limit: number }
  /** These Pods can be recreated only after the Pods with the same names are deleted. */
  | { readonly kind: 'WaitingForNames'; readonly names: readonly string[] };

export interface Plan extends WorkloadPlan<Action, CloneSetStatus> {
  /** Creations and deletions. If one of them was executed, the pass does not execute `update`. */
  readonly scale: readonly Action[];
  /** Why Pods that should be updated cannot be. */
  readonly updateFailure?: string;
  readonly notes: readonly Note[];
}

function revisionsOf({ cloneSet, revisions, heldRevisions }: Snapshot): WorkloadRevisions {
  const hash = { [annotations.cloneSetVolumeClaimTemplateHash]: claimTemplateHash(cloneSet.spec.volumeClaimTemplates) };
  const seen = {
    listed: revisions,
    currentName: cloneSet.status?.currentRevision ?? '',
    collisionCount: cloneSet.status?.collisionCount ?? 0,
    refreshed: hash,
    settledName: settledRevision(cloneSet),
    source: { ...templateRevision(cloneSet, ownerReferenceTo(cloneSet)), annotations: { ...cloneSet.metadata.annotations, ...hash } },
  };
  return planWorkloadRevisions(seen, heldRevisions);
}

interface Claimed {
  readonly pods: readonly Pod[];
  readonly actions: readonly Action[];
}

type Standing = 'Inactive' | 'Ours' | 'Undecided';

/** `Ours`: controlled and selected, as nearly every Pod of every pass is. */
const standingOf = memoizedList((pod: Pod, uid: string, selector: LabelMatcher): Standing => {
  if (!podViewOf(pod).isActive) return 'Inactive';
  return isControlledBy(pod, uid) && selector.matches(pod.metadata.labels) ? 'Ours' : 'Undecided';
});

/** The same list for the same standing, so that what is computed from it is remembered. */
const oursOf = memoizedPair((pods: readonly Pod[], standing: readonly Standing[]): readonly Pod[] => {
  const ours: Pod[] = [];
  for (let index = 0; index < pods.length; index++) if (standing[index] === 'Ours') ours.push(pods[index]!);
  return ours.length === pods.length ? pods : ours;
});

/** Pods whose labels stopped matching are let go, and no longer count. */
function ownPods({ cloneSet, pods, selector }: Snapshot): Claimed {
  const { metadata } = cloneSet;
  const { uid = '' } = metadata;
  const standing = standingOf(metadata, pods, uid, selector);
  if (!standing.includes('Undecided')) return { pods: oursOf(pods, standing), actions: [] };
  const claimant = {
    uid,
    isBeingDeleted: metadata.deletionTimestamp !== undefined,
    selects: (pod: { readonly metadata: Pod['metadata'] }): boolean => selector.matches(pod.metadata.labels),
  };
  const { owned, released } = claimPods(activePods(pods), claimant);
  const because = 'its labels no longer match the selector';
  return { pods: owned, actions: released.map((release) => ({ kind: 'ReleasePod', ...release, because })) };
}

const planOldRevisions = (
  { cloneSet, revisions }: Snapshot,
  pods: readonly Pod[],
  live: readonly ControllerRevision[],
  context: Context,
): readonly Action[] =>
  planHistoryCleanup({
    revisions,
    live,
    pods,
    isOf: (pod, revision) => isOf(context, pod, revision),
    limit: cloneSet.spec.revisionHistoryLimit ?? 10,
  });

/** What a pass knows before it decides about Pods: the status as of now, and what it was counted over. */
interface Counted extends StatusResult {
  readonly revisions: WorkloadRevisions;
  readonly names: { readonly updateRevision: string; readonly currentRevision: string };
  /** The Pods that the CloneSet controls, with the labels and annotations that they have. */
  readonly ownPods: readonly Pod[];
  /** The same Pods without the marks that the plan withdraws. */
  readonly claimed: Claimed;
}

function count(seen: Snapshot, context: Context): Counted {
  const { cloneSet, selector } = seen;
  const revisions = revisionsOf(seen);
  const { update, current } = revisions;
  const own = ownPods(seen);
  const names = { updateRevision: update.metadata.name, currentRevision: current.metadata.name };
  const { marked } = countPods(own.pods, { cloneSet, updateRevision: names.updateRevision }, context, 'Update');
  const marks = marked === 0 ? { pods: own.pods, actions: [] } : withdrawMarks(cloneSet, own.pods, names, context);
  const claimed = { pods: marks.pods, actions: [...own.actions, ...marks.actions] };
  const computed = computeStatus({ cloneSet, selector, pods: claimed.pods, update, current }, context);
  return { ...computed, revisions, names, ownPods: own.pods, claimed };
}

/** Everything about Pods and claims, once the revisions are written. */
function planPods(seen: Snapshot, counted: Counted, context: Context): Omit<Plan, 'revisions' | 'status'> {
  const { cloneSet } = seen;
  const { revisions, names, ownPods: owned, claimed, status, requeueAfter } = counted;
  const { update, current } = revisions;
  const { pods } = claimed;
  const numbers = rolloutNumbers(cloneSet, pods, names, { ...context, purpose: 'Scale' });
  const claims = planClaims(seen, owned, numbers.scaleUp > 0);
  const kept = { ...seen, claims: claims.kept };
  const scale = planScale({ seen: kept, pods, numbers, update, current }, context);
  const updates = planUpdate({ seen: kept, pods, update, current }, context);
  const waitingForNames = scale.blockedIds.map((id) => `${cloneSet.metadata.name}-${id}`);
  const scaling = { waitingForNames, limitedTo: scale.limitedTo };
  const blocking = findBlocking({ cloneSet, pods, nodes: seen.nodes, status, scaling }, context);
  const availability = availabilityWait(pods, { minReadySeconds: minReadySecondsOf(cloneSet), now: context.now });
  return {
    groundwork: [...claims.actions, ...claimed.actions],
    preDownload: revisions.isBorrowed ? [] : planPreDownload({ seen, update, current, status }, context),
    scale: scale.actions,
    update: updates.actions,
    ...(updates.failure === undefined ? {} : { updateFailure: updates.failure }),
    notes: notesOf(scaling),
    ...(blocking.cause === undefined ? {} : { blockedBy: blocking.cause }),
    housekeeping: [...planPodsToDelete(cloneSet, pods), ...planOldRevisions(seen, pods, [update, current], context)],
    ...earliest([requeueAfter, updates.requeueAfter, availability, blocking.requeueAfter]),
  };
}

function notesOf({
  waitingForNames,
  limitedTo,
}: {
  readonly waitingForNames: readonly string[];
  readonly limitedTo: number | undefined;
}): readonly Note[] {
  return [
    ...(limitedTo === undefined ? [] : [{ kind: 'ScaleUpLimited' as const, limit: limitedTo }]),
    ...(waitingForNames.length === 0 ? [] : [{ kind: 'WaitingForNames' as const, names: waitingForNames }]),
  ];
}

const nothing = { revisions: [], groundwork: [], preDownload: [], scale: [], update: [], notes: [], housekeeping: [] };

/** Pure: the same snapshot and context give the same plan. */
export function plan(seen: Snapshot, context: Context): Plan {
  const { cloneSet } = seen;
  const counted = count(seen, context);
  const { status, requeueAfter, revisions } = counted;
  const mustWriteRevisions = revisions.actions.length > 0;
  if (cloneSet.metadata.deletionTimestamp !== undefined) {
    const shown = mustWriteRevisions ? withoutUpdateRevision(cloneSet, status) : status;
    return { ...nothing, status: shown, ...earliest([requeueAfter]) };
  }
  if (mustWriteRevisions) return { ...nothing, revisions: revisions.actions, status };
  return { ...nothing, ...planPods(seen, counted, context), status };
}
