/**
 * One pass over a StatefulSet: the table of contents of its rules.
 *
 *   revisions -> ownership -> owners of claims -> upkeep of Pods -> slots, ascending -> Pods without a slot -> rolling update; the status is
 *   counted over the Pods as they were seen
 *
 * Without Parallel the first slot that is not as it should be ends the pass behind it, and so does a Pod without a slot.
 * @see spec/statefulset.md 5.3
 */
import { parsePodOrdinal, type StatefulSetStatus } from '@kruise/api';
import { byName, controllerOf, earliest, memoizedList, type Pod } from '@kruise/objects';
import { settledRevision } from '@kruise/pods';
import {
  claimPods,
  ownsAll,
  planHistoryCleanup,
  planResizeUndo,
  planUpkeep,
  planWorkloadRevisions,
  templateRevision,
  withoutSuperseded,
  type PassFailures,
  type ResizeUndo,
  type Upkeep,
  type UpkeepAction,
  type Workload,
  type WorkloadPlan,
  type WorkloadRevisions,
} from '@kruise/workloads';
import type { Action } from './snapshot/action.ts';
import { arrange, ordinalOf, podsIn, type Arrangement, type FilledSlot } from './snapshot/arrangement.ts';
import { findBlocking } from './blocking.ts';
import { resizeUnderWay } from './claims/claim-resize.ts';
import { ownerReferenceTo } from './pods/new-pod.ts';
import { planClaimOwners } from './claims/plan-claim-owners.ts';
import { planCondemned, type CondemnedPlan } from './plan-condemned.ts';
import { planSlots, type SlotsPlan } from './plan-slots.ts';
import { planUpdate, type UpdatePlan } from './plan-update.ts';
import { isAvailable, isOf } from './pods/pod-facts.ts';
import { planPreDownload } from './predownload.ts';
import { planPrepared, type PreparedPlan } from './pods/prepared.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { computeStatus, withoutUpdateRevision, type StatusResult } from './status.ts';
import { isMonotonic, isOnDelete, isPaused, maxUnavailableOf } from './snapshot/strategy.ts';
import { updateTargets } from './targets.ts';
import { workloadOf } from './workload.ts';

export interface Plan extends WorkloadPlan<Action, StatefulSetStatus> {
  /** For all Pods. A Pod is deleted only when it owns exactly the claims that must be deleted with it. */
  readonly claimOwners: readonly Action[];
  /** The next step of updates and lifecycles under way. */
  readonly upkeep: readonly Action[];
  readonly slots: readonly Action[];
  readonly deletions: readonly Action[];
  /** What cannot be done, by what it is for. */
  readonly failures: PassFailures;
  /** A claim that no resize brings to its template, and why: worth an event. */
  readonly unresizable?: { readonly claim: string; readonly why: string };
}

const revisionsOf = ({ set, revisions, heldRevisions }: Snapshot): WorkloadRevisions =>
  planWorkloadRevisions(
    {
      listed: revisions,
      currentName: set.status?.currentRevision ?? '',
      collisionCount: set.status?.collisionCount ?? 0,
      settledName: settledRevision(set),
      source: templateRevision(set, ownerReferenceTo(set)),
    },
    heldRevisions,
  );

interface Claimed {
  readonly pods: readonly Pod[];
  readonly actions: readonly Action[];
}

const areNumbered = memoizedList((pod: Pod, setName: string): boolean => parsePodOrdinal(pod.metadata.name)?.parent === setName);

/** Pods of ours, those that become ours, and those that are let go. */
function ownPods({ set, pods, selector }: Snapshot): Claimed {
  if (ownsAll(set.metadata, pods, selector) && areNumbered(set.metadata, pods, set.metadata.name).every(Boolean))
    return { pods, actions: [] };
  const claimant = {
    uid: set.metadata.uid ?? '',
    isBeingDeleted: set.metadata.deletionTimestamp !== undefined,
    selects: (pod: { readonly metadata: Pod['metadata'] }): boolean =>
      selector.matches(pod.metadata.labels) && ordinalOf(set, pod) !== undefined,
  };
  const { owned, adopted, released } = claimPods(pods, claimant);
  const members = 'its name and labels are those of a member, and it has no controller';
  const strangers = 'its name and labels are no longer those of a member';
  return {
    pods: [...owned, ...adopted].sort(byName),
    actions: [
      ...adopted.map((pod): Action => ({ kind: 'AdoptPod', pod, because: members })),
      ...released.map((release): Action => ({ kind: 'ReleasePod', ...release, because: strangers })),
    ],
  };
}

const planAdoptions = ({ revisions }: Snapshot): readonly Action[] =>
  revisions
    .filter((revision) => controllerOf(revision) === undefined && revision.metadata.deletionTimestamp === undefined)
    .map((revision) => ({ kind: 'AdoptRevision', revision, because: 'its labels are those of the StatefulSet, and it has no controller' }));

/** What the rules of a pass have in common, found out once. */
interface Pass {
  readonly seen: Snapshot;
  readonly context: Context;
  readonly workload: Workload;
  readonly revisions: WorkloadRevisions;
  /** Claimed. */
  readonly pods: readonly Pod[];
  readonly arrangement: Arrangement;
  /** In the order of their update. */
  readonly targets: readonly FilledSlot[];
  /** Their Pods. */
  readonly targeted: Pick<ReadonlySet<Pod>, 'has'>;
}

/** Few passes look at it. */
function setOf(slots: readonly FilledSlot[]): Pick<ReadonlySet<Pod>, 'has'> {
  let pods: ReadonlySet<Pod> | undefined;
  return { has: (pod) => (pods ??= new Set(podsIn(slots))).has(pod) };
}

const nothing: Omit<Plan, 'status'> = {
  revisions: [],
  groundwork: [],
  preDownload: [],
  claimOwners: [],
  upkeep: [],
  slots: [],
  deletions: [],
  update: [],
  failures: {},
  housekeeping: [],
};

const noUpdate: UpdatePlan = { actions: [] };
const noDeletions: CondemnedPlan = { actions: [] };

const failureOf = (message: string | undefined): { readonly message: string } | undefined =>
  message === undefined ? undefined : { message };

/** The parts of a pass that look after Pods, in the order in which they run. */
interface PodPlans {
  readonly upkeep: Upkeep;
  readonly undone: ResizeUndo;
  readonly prepared: PreparedPlan;
  readonly slots: SlotsPlan;
  readonly condemned: CondemnedPlan;
  readonly updated: UpdatePlan;
}

/** Pods whose lifecycle state changes in this pass. */
const movedBy = (actions: readonly UpkeepAction[]): ReadonlySet<Pod> =>
  new Set(actions.filter((action) => action.kind !== 'RefreshPod' || action.alongside !== undefined).map(({ pod }) => pod));

/** What takes back resizes whose update did not go on. */
function undoResizes({ seen, context, workload, arrangement, targeted }: Pass): ResizeUndo {
  const { set } = seen;
  const pods = podsIn(arrangement.filled.filter(({ view }) => view.isActive));
  const available = (): number => pods.filter((pod) => isAvailable(set, pod, context.now)).length;
  return planResizeUndo(pods, workload, {
    isRefused: ({ metadata }) => context.refused.has(metadata.name),
    isKept: (pod) => !targeted.has(pod),
    spare: () => maxUnavailableOf(set) - arrangement.wanted.size + available(),
  });
}

function planPods(pass: Pass): PodPlans {
  const { seen, context, workload, revisions, pods, arrangement, targets, targeted } = pass;
  const { update, current } = revisions;
  const updates = !isOnDelete(seen.set) && !isPaused(seen.set);
  const upkeep = planUpkeep(pods, workload);
  const prepared = planPrepared(arrangement, { set: seen.set, targets: targeted, workload, gates: context.gates });
  const slots = planSlots({ seen, arrangement, targets: targeted, update, current, workload, updates }, context);
  const condemned = slots.endsPass ? noDeletions : planCondemned(seen.set, arrangement, workload, context);
  const endsPass = slots.endsPass || (isMonotonic(seen.set) && arrangement.condemned.length > 0);
  const undone = undoResizes(pass);
  const moving = new Set([...movedBy([...upkeep.actions, ...prepared.returns]), ...undone.actions.map(({ pod }) => pod)]);
  const mayUpdate = updates && !endsPass && !undone.interrupts;
  const updated = mayUpdate
    ? planUpdate({ seen, arrangement, targets, moving, broken: upkeep.broken, update, workload }, context)
    : noUpdate;
  return { upkeep, undone, prepared, slots, condemned, updated };
}

function failuresOf({ upkeep, slots, updated }: PodPlans): PassFailures {
  const scale = failureOf(slots.createFailure);
  const update = failureOf(slots.updateFailure ?? updated.failure ?? upkeep.failure);
  return { ...(scale === undefined ? {} : { scale }), ...(update === undefined ? {} : { update }) };
}

function planPass(pass: Pass, counted: StatusResult): Plan {
  const { seen, context, workload, revisions, pods } = pass;
  const { update, current, isBorrowed } = revisions;
  const plans = planPods(pass);
  const { upkeep, undone, prepared, slots, condemned, updated } = plans;
  const claimOwners = planClaimOwners(seen, pass.arrangement, context);
  const allowed = (actions: readonly Action[]): readonly Action[] =>
    actions.filter((action) => action.kind !== 'DeletePod' || !claimOwners.undeletable.has(action.pod));
  const resizing = resizeUnderWay(seen, pass.arrangement, context);
  const obstacles = {
    waitingForClaims: slots.waitingForClaims,
    waitingForPods: slots.waitingForPods,
    isScalingLimited: slots.isLimited,
    ...(slots.outdated === undefined ? {} : { outdated: slots.outdated.metadata.name }),
    ...(resizing === undefined ? {} : { resizing }),
  };
  const blocking = findBlocking({ seen, pods, status: counted.status, obstacles }, context);
  const history = { revisions: seen.revisions, live: [update, current], pods, isOf, limit: seen.set.spec.revisionHistoryLimit ?? 10 };
  return {
    ...nothing,
    preDownload: isBorrowed ? [] : planPreDownload({ seen, update, current, status: counted.status }, workload),
    claimOwners: claimOwners.actions,
    upkeep: allowed([
      ...withoutSuperseded(upkeep.actions, [...undone.actions, ...slots.actions, ...updated.actions]),
      ...undone.actions,
      ...(updated.actions.length === 0 ? undone.later : []),
      ...prepared.returns,
      ...prepared.deletions,
    ]),
    slots: allowed(slots.actions),
    deletions: allowed(condemned.actions),
    update: allowed(updated.actions),
    failures: failuresOf(plans),
    // Of several failures one is reported.
    ...(updated.unresizable === undefined || slots.updateFailure !== undefined ? {} : { unresizable: updated.unresizable }),
    status: counted.status,
    ...(blocking.cause === undefined ? {} : { blockedBy: blocking.cause }),
    housekeeping: planHistoryCleanup(history),
    ...earliest([counted, upkeep, slots, condemned, updated, blocking].map(({ requeueAfter }) => requeueAfter)),
  };
}

/** Pure: the same snapshot and context give the same plan. */
export function plan(seen: Snapshot, context: Context): Plan {
  const { set } = seen;
  const revisions = revisionsOf(seen);
  const { update, current } = revisions;
  const claimed = ownPods(seen);
  const { pods } = claimed;
  const arrangement = arrange(set, pods, context);
  const counted = computeStatus({ seen, pods, arrangement, update, current }, context);
  const isUnwritten = revisions.actions.length > 0;
  if (set.metadata.deletionTimestamp !== undefined) {
    const status = isUnwritten ? withoutUpdateRevision(set, counted.status) : counted.status;
    return { ...nothing, status, ...earliest([counted.requeueAfter]) };
  }
  if (isUnwritten) return { ...nothing, revisions: revisions.actions, status: counted.status };
  const targets = isOnDelete(set) ? [] : updateTargets(set, arrangement, update.metadata.name, context);
  const known = { set, revisions: seen.revisions.includes(current) ? seen.revisions : [...seen.revisions, current] };
  const workload = workloadOf(known, update.metadata.name, context);
  const pass: Pass = { seen, context, workload, revisions, pods, arrangement, targets, targeted: setOf(targets) };
  return { ...planPass(pass, counted), groundwork: [...planAdoptions(seen), ...claimed.actions] };
}
