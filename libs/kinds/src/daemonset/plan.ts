/**
 * One pass over a DaemonSet: the table of contents of its rules.
 *
 *   revisions -> ownership -> which nodes lack a Pod, and which Pods have no place -> upkeep of Pods -> rolling update, only where placement has
 *   nothing to do; the status is counted over nodes and Pods as they were seen
 * @see spec/daemonset.md 5.2
 */
import type { DaemonSetStatus } from '@kruise/api';
import { byName, controllerOf, earliest, workloadLimits, type Pod } from '@kruise/objects';
import {
  claimPods,
  ownsAll,
  planPodDeletion,
  planResizeUndo,
  planUpkeep,
  podViewsOf,
  withoutSuperseded,
  type PassFailures,
  type ResizeUndo,
  type Upkeep,
  type Workload,
  type WorkloadPlan,
  nodeOfAction,
} from '@kruise/workloads';
import { nodeOf } from '@kruise/pods';
import type { Action } from './action.ts';
import { findBlocking } from './blocking.ts';
import { chooseNodes, type ChosenNodes } from './nodes/chosen-nodes.ts';
import { podMaker } from './pods/new-pod.ts';
import { areAllUpdated, isAvailable } from './pods/pod-facts.ts';
import { planPlacement, type Creation, type Placement, type Removal } from './nodes/plan-placement.ts';
import { planUpdate, type UpdatePlan } from './plan-update.ts';
import { planPreDownload } from './predownload.ts';
import { planDaemonSetRevisions, planDuplicates, planOldRevisions, type DaemonSetRevisions } from './revisions.ts';
import { sitesOf, type Sites } from './nodes/sites.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { computeStatus, withoutUpdateRevision, type StatusResult } from './status.ts';
import { burstOf, isOnDelete, isPaused, updateLimitsOf } from './snapshot/strategy.ts';
import { workloadOf } from './workload.ts';

export interface Plan extends WorkloadPlan<Action, DaemonSetStatus> {
  readonly creations: readonly Action[];
  /** Pods that have no place. */
  readonly deletions: readonly Action[];
  /** Deletions of Pods that are recreated at the update revision. */
  readonly replacements: readonly Action[];
  /** The next step of updates under way. */
  readonly upkeep: readonly Action[];
  /** What cannot be done, by what it is for. */
  readonly failures: PassFailures;
}

interface Claimed {
  readonly pods: readonly Pod[];
  readonly actions: readonly Action[];
}

/** Pods of ours, those that become ours, and those that are let go. */
function ownPods({ set, pods, selector }: Snapshot): Claimed {
  if (ownsAll(set.metadata, pods, selector)) return { pods, actions: [] };
  const { owned, adopted, released } = claimPods(pods, {
    uid: set.metadata.uid ?? '',
    isBeingDeleted: false,
    selects: ({ metadata }) => selector.matches(metadata.labels),
  });
  const [matches, strays] = ['its labels match the selector, and it has no controller', 'its labels no longer match the selector'];
  return {
    pods: adopted.length === 0 ? owned : [...owned, ...adopted].sort(byName),
    actions: [
      ...adopted.map((pod): Action => ({ kind: 'AdoptPod', pod, because: matches })),
      ...released.map((release): Action => ({ kind: 'ReleasePod', ...release, because: strays })),
    ],
  };
}

const planAdoptions = ({ revisions }: Snapshot): readonly Action[] =>
  revisions
    .filter((revision) => controllerOf(revision) === undefined && revision.metadata.deletionTimestamp === undefined)
    .map((revision) => ({ kind: 'AdoptRevision', revision, because: 'its labels are those of the DaemonSet, and it has no controller' }));

/** What the rules of a pass have in common, found out once. */
interface Pass {
  readonly seen: Snapshot;
  readonly context: Context;
  readonly revisions: DaemonSetRevisions;
  /** Claimed. */
  readonly pods: readonly Pod[];
  readonly sites: Sites;
  /** Pods that are created, deleted and updated in place at most, each. */
  readonly burst: number;
}

function planCreations(creations: readonly Creation[], { seen, context, revisions, sites, burst }: Pass): readonly Action[] {
  if (creations.length === 0) return [];
  const { takenNames, lastDeletedFrom } = seen;
  const names = new Set(creations.map(({ node }) => node));
  const sitesOfNew = sites.all.filter(({ name }) => names.has(name));
  const held = new Map(sitesOfNew.map(({ name, pods }) => [name, pods.map(({ metadata }) => metadata.uid ?? '').join()]));
  const predecessorsOn = (node: string): string => held.get(node) || lastDeletedFrom(node);
  const makePod = podMaker(seen.set, { hash: revisions.hash, placedByScheduler: context.placedByScheduler, takenNames, predecessorsOn });
  return creations.slice(0, burst).map(({ node, because }) => ({ kind: 'CreatePod', pod: makePod(node), because }));
}

function planRemoval({ pod, because, failedOn }: Removal, { seen, context }: Pass): readonly Action[] {
  const remove = (target: Pod, why: string): Action =>
    failedOn === undefined
      ? { kind: 'DeletePod', pod: target, because: why }
      : { kind: 'DeleteFailedPod', pod: target, node: failedOn, because: why };
  return planPodDeletion<Action>(pod, because, { lifecycle: seen.set.spec.lifecycle, now: context.now }, remove);
}

const isDeletion = ({ kind }: Action): boolean => kind === 'DeletePod' || kind === 'DeleteFailedPod';

/** Marks every Pod for its hook, and deletes the Pods that no hook holds, up to the burst. */
function planDeletions(removals: readonly Removal[], pass: Pass, burst: number): readonly Action[] {
  let left = burst;
  return removals.flatMap((removal) => planRemoval(removal, pass)).filter((action) => !isDeletion(action) || left-- > 0);
}

const noUpdate: UpdatePlan = { inPlace: [], removals: [], creations: [] };
const noNodes: ChosenNodes = { chosen: [], left: [], kept: 0 };

interface PodPlans {
  readonly placement: Placement;
  readonly upkeep: Upkeep;
  readonly undone: ResizeUndo;
  readonly updated: UpdatePlan;
  readonly kept: number;
  /** Whether there is anything to create, delete or update, whatever the burst lets be done. */
  readonly hasWork: boolean;
  readonly creations: readonly Action[];
  readonly deletions: readonly Action[];
  readonly replacements: readonly Action[];
}

/** What takes back resizes whose update did not go on. */
function undoResizes({ seen, sites, pods }: Pass, { chosen }: ChosenNodes, workload: Workload): ResizeUndo {
  const { set } = seen;
  const views = podViewsOf(set.metadata, pods);
  const active = pods.filter((_, index) => views[index]?.isActive);
  let updatable: ReadonlySet<Pod | undefined> | undefined;
  const isUpdatable = (pod: Pod): boolean => (updatable ??= new Set(isOnDelete(set) ? [] : chosen.map(({ old }) => old?.pod))).has(pod);
  return planResizeUndo(active, workload, {
    isRefused: (pod) => seen.refused.has(nodeOf(pod) ?? ''),
    isKept: (pod) => !isUpdatable(pod),
    spare: () =>
      updateLimitsOf(set, sites.desired).maxUnavailable -
      sites.desired +
      active.filter((pod) => isAvailable(set, pod, workload.now)).length,
  });
}

/** Placement first: an update begins when every node has its Pod, but for those for which the API server has refused that lately. */
function planPods(pass: Pass): PodPlans {
  const { seen, context, revisions, pods, sites, burst } = pass;
  const { set } = seen;
  const { update, hash } = revisions;
  const placement = planPlacement({ seen, sites, hash, now: context.now });
  const placed = { creations: planCreations(placement.creations, pass), deletions: planDeletions(placement.removals, pass, burst) };
  const misplaced = new Set(placement.removals.map(({ pod }) => pod));
  const workload = workloadOf(seen, hash, context);
  const upkeep = planUpkeep(pods, workload);
  const isRolledOut = areAllUpdated(set, pods, hash);
  const nodes = isRolledOut ? noNodes : chooseNodes(set, sites, hash, context.gates.DaemonSetPruneIneligibleNodes);
  const undone = undoResizes(pass, nodes, workload);
  const isRefused = (action: Action): boolean => seen.refused.has(nodeOfAction(action) ?? '');
  const mayUpdate =
    !isRolledOut && !isOnDelete(set) && !isPaused(set) && !undone.interrupts && [...placed.creations, ...placed.deletions].every(isRefused);
  const busy = new Set([...upkeep.busy, ...undone.actions.map(({ pod }) => pod)]);
  const input = { set, nodes, busy, refused: seen.refused, desired: sites.desired, update, workload, burst };
  const updated = mayUpdate ? planUpdate(input) : noUpdate;
  return {
    placement,
    upkeep,
    undone,
    updated,
    kept: nodes.kept,
    hasWork: placement.creations.length + placement.removals.length > 0 || (mayUpdate && nodes.chosen.some(({ old }) => old !== undefined)),
    creations: mayUpdate ? planCreations([...updated.creations, ...placement.creations], pass) : placed.creations,
    deletions: placed.deletions,
    replacements: planDeletions(
      updated.removals.filter(({ pod }) => !misplaced.has(pod)),
      pass,
      burst - placed.deletions.length,
    ),
  };
}

const nothing: Omit<Plan, 'status'> = {
  revisions: [],
  groundwork: [],
  preDownload: [],
  creations: [],
  deletions: [],
  replacements: [],
  upkeep: [],
  update: [],
  failures: {},
  housekeeping: [],
};

function planPass(pass: Pass, counted: StatusResult): Plan {
  const { seen, context, revisions, pods, sites } = pass;
  const { placement, upkeep, undone, updated, kept, hasWork, creations, deletions, replacements } = planPods(pass);
  const beginsUpdates = updated.inPlace.length + replacements.length > 0;
  const undoing = beginsUpdates ? undone.actions : [...undone.actions, ...undone.later];
  const duplicates = planDuplicates(seen, revisions, pods);
  const blocking = findBlocking({ set: seen.set, sites, pods, status: counted.status, hasWork, kept }, context);
  return {
    ...nothing,
    groundwork: duplicates.labels,
    preDownload: revisions.isBorrowed ? [] : planPreDownload(seen, revisions, counted.status),
    creations,
    deletions,
    replacements,
    upkeep: [...withoutSuperseded(upkeep.actions, [...undoing, ...updated.inPlace]), ...undoing],
    update: updated.inPlace,
    failures: upkeep.failure === undefined ? {} : { update: { message: upkeep.failure } },
    status: counted.status,
    ...(blocking.cause === undefined ? {} : { blockedBy: blocking.cause }),
    housekeeping: [
      ...duplicates.deletions,
      ...planOldRevisions(seen, new Set([revisions.update.metadata.name, ...duplicates.names]), pods),
    ],
    ...earliest([counted, placement, upkeep, blocking].map(({ requeueAfter }) => requeueAfter)),
  };
}

/** Pure: the same snapshot and context give the same plan. The DaemonSet is not being deleted. */
export function plan(seen: Snapshot, context: Context): Plan {
  const { set } = seen;
  const revisions = planDaemonSetRevisions(seen);
  const claimed = ownPods(seen);
  const { pods } = claimed;
  const sites = sitesOf(set, pods, seen.nodes);
  const counted = computeStatus(set, { sites, pods, hash: revisions.hash }, context.now);
  if (revisions.actions.length > 0) return { ...nothing, revisions: revisions.actions, status: withoutUpdateRevision(set, counted.status) };
  const burst = Math.min(burstOf(set, sites.desired), workloadLimits.actionsOfPass.value);
  const next = planPass({ seen, context, revisions, pods, sites, burst }, counted);
  return { ...next, groundwork: [...planAdoptions(seen), ...claimed.actions, ...next.groundwork] };
}
