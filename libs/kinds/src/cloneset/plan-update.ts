/**
 * Bringing Pods to another revision: looking after updates under way, then choosing new ones.
 * @see spec/cloneset.md 5.7
 */
import { podConditions } from '@kruise/api';
import { earliest, memoizedList, podCondition, seconds, type ControllerRevision, type Milliseconds, type Pod } from '@kruise/objects';
import { isOfRevision, planLifecycleRefresh, rankForUpdate, type RevisionAdapter, type UpdateRanking } from '@kruise/pods';
import {
  isAvailable,
  planPodUpdates,
  planResizeUndo,
  planUpkeep,
  podViewOf,
  podViewsOf,
  refusedLast,
  withinBudget,
  withoutSuperseded,
  type Candidates,
  type PodUpdates,
  type ResizeUndo,
  type UpdateAction,
  type Workload,
} from '@kruise/workloads';
import type { RecreatePod } from './pods/action.ts';
import { rolloutNumbers, type RolloutNumbers } from './status/rollout-numbers.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { isPaused, maxUnavailableOf, priorityStrategyOf, replicasOf, scatterStrategyOf } from './snapshot/strategy.ts';
import { workloadOf } from './workload.ts';

export interface UpdateInput {
  readonly seen: Snapshot;
  /** Active and claimed. */
  readonly pods: readonly Pod[];
  readonly update: ControllerRevision;
  readonly current: ControllerRevision;
}

export interface UpdatePlan {
  readonly actions: readonly (UpdateAction | RecreatePod)[];
  /** Why a chosen Pod cannot be updated at all; the pass fails with it after its actions. */
  readonly failure?: string;
  readonly requeueAfter?: Milliseconds;
}

/** @param hasPreparing whether a Pod waits for its hook before the update; without one there is none to put first */
const rankingOf = ({ cloneSet }: Snapshot, hasPreparing: boolean): UpdateRanking => {
  const priority = priorityStrategyOf(cloneSet);
  const scatter = scatterStrategyOf(cloneSet);
  return { preparingFirst: hasPreparing, ...(priority === undefined ? {} : { priority }), ...(scatter === undefined ? {} : { scatter }) };
};

const areOf = memoizedList((pod: Pod, adapter: RevisionAdapter, id: string): boolean => isOfRevision(adapter, pod, id));

const isTakenOut = (pod: Pod): boolean => podCondition(pod, podConditions.inPlaceUpdateReady)?.status === 'False';

/** A Pod that waits for the grace period of another revision is one of them: what it waits for is no longer wanted. */
function candidatesFor({ seen, pods }: UpdateInput, { updateNum }: RolloutNumbers, busy: ReadonlySet<Pod>, workload: Workload): Candidates {
  const isGoingBack = updateNum < 0;
  const areUpdated = areOf(workload.metadata, pods, workload.adapter, workload.updateRevision);
  const views = podViewsOf(workload.metadata, pods);
  const hasPreparing = views.some(({ state }) => state === 'PreparingUpdate');
  const excluded = new Set([...busy, ...pods.filter((_, index) => views[index]?.state === 'PreparingDelete')]);
  const isCandidate = (pod: Pod, index: number): boolean =>
    areUpdated[index] === isGoingBack && (excluded.size === 0 || !excluded.has(pod));
  // A Pod that was taken out of service for its update keeps its turn: another one would go out as well, and this one come back, in every pass.
  const subjectOf = (pod: Pod): string | undefined => (isTakenOut(pod) ? undefined : pod.metadata.uid);
  const inOrder = (candidates: readonly Pod[]): readonly Pod[] =>
    refusedLast(rankForUpdate(candidates, pods, rankingOf(seen, hasPreparing)), subjectOf, seen.refused);
  return { isCandidate, rank: (candidates) => inOrder(candidates).slice(0, Math.abs(updateNum)) };
}

/** A Pod that is marked already is deleted by scaling. */
const recreate = (pod: Pod, revision: ControllerRevision, because: string): readonly RecreatePod[] =>
  podViewOf(pod).isMarkedForDeletion ? [] : [{ kind: 'RecreatePod', pod, revision: revision.metadata.name, because }];

function planNewUpdates(input: UpdateInput, busy: ReadonlySet<Pod>, workload: Workload, context: Context): PodUpdates<RecreatePod> {
  const { seen, pods, update, current } = input;
  const revisions = { updateRevision: update.metadata.name, currentRevision: current.metadata.name };
  const numbers = rolloutNumbers(seen.cloneSet, pods, revisions, { ...context, purpose: 'Update' });
  if (numbers.updateNum === 0) return { actions: [] };
  const revision = numbers.updateNum < 0 ? current : update;
  const limit = numbers.updateMaxUnavailable;
  const because = `${Math.abs(numbers.updateNum)} Pods must be updated to ${revision.metadata.name}, ${limit} may be unavailable`;
  const target = { revision, limit, because };
  const chosen = withinBudget(candidatesFor(input, numbers, busy, workload), pods, target, workload);
  return planPodUpdates(chosen, target, workload, (pod, why) => recreate(pod, revision, why));
}

/** Pods that were prepared for an update before the strategy became OnDelete: nothing else brings them back into service. */
const withdrawn = (pods: readonly Pod[], { lifecycle, now, waitsForNode }: Workload): readonly UpdateAction[] =>
  pods.flatMap((pod): readonly UpdateAction[] => {
    if (podViewOf(pod).state !== 'PreparingUpdate') return [];
    const transition = planLifecycleRefresh(pod, {
      lifecycle,
      now,
      waitForNode: waitsForNode,
      isOfUpdateRevision: true,
      isUpdateComplete: () => false,
    });
    return transition === undefined
      ? []
      : [{ kind: 'SetLifecycle', pod, transition, because: 'the strategy is OnDelete: the Pod is not updated' }];
  });

/**
 * What takes back resizes whose update did not go on. With OnDelete no update in place is begun, so that only resizes that restart no container are
 * undone.
 */
function undoResizes({ seen, pods, update, current }: UpdateInput, workload: Workload, context: Context): ResizeUndo {
  const { cloneSet } = seen;
  const revisions = { updateRevision: update.metadata.name, currentRevision: current.metadata.name };
  const staying = (): boolean => rolloutNumbers(cloneSet, pods, revisions, { ...context, purpose: 'Update' }).updateNum <= 0;
  let isStaying: boolean | undefined;
  const found = planResizeUndo(pods, workload, {
    isRefused: ({ metadata }) => seen.refused.has(metadata.uid ?? ''),
    isKept: () => workload.isOnDelete || (isStaying ??= staying()),
    spare: () => maxUnavailableOf(cloneSet) - replicasOf(cloneSet) + pods.filter((pod) => isAvailable(pod, workload)).length,
  });
  if (!workload.isOnDelete) return found;
  const resizes = (actions: readonly UpdateAction[]): readonly UpdateAction[] => actions.filter(({ kind }) => kind === 'ResizePod');
  return { actions: resizes(found.actions), later: resizes(found.later), interrupts: false };
}

/** Upkeep together with what takes back resizes. */
const tendedBy = <T extends { readonly actions: readonly UpdateAction[] }>(tended: T, undone: readonly UpdateAction[]): T => ({
  ...tended,
  actions: [...withoutSuperseded(tended.actions, undone), ...undone],
});

/** An update is started only of a Pod that is where its lifecycle wants it; a Pod that is not, or that cannot be looked after, delays no other. */
export function planUpdate(input: UpdateInput, context: Context): UpdatePlan {
  const workload = workloadOf(input.seen, input.update.metadata.name, context);
  const inOrder = refusedLast(input.pods, ({ metadata }) => metadata.uid, input.seen.refused);
  const { busy: moving, broken: _broken, ...tended } = planUpkeep(inOrder, workload);
  const undone = undoResizes(input, workload, context);
  const all = tendedBy(tended, [...undone.actions, ...undone.later]);
  if (workload.isOnDelete) {
    const settled = new Set(all.actions.flatMap((action) => (action.kind === 'SetLifecycle' ? [action.pod] : [])));
    const left = input.pods.filter((pod) => !settled.has(pod));
    return { ...all, actions: [...all.actions, ...withdrawn(left, workload)] };
  }
  if (isPaused(input.seen.cloneSet)) return all;
  const first = tendedBy(tended, undone.actions);
  if (undone.interrupts) return first;
  const busy = new Set([...moving, ...undone.actions.map(({ pod }) => pod)]);
  const started = planNewUpdates(input, busy, workload, context);
  const upkeep = started.actions.length === 0 ? all : first;
  const { graceSeconds } = workload;
  const isWaiting = graceSeconds > 0 && started.actions.some(({ kind }) => kind === 'UpdatePodInPlace');
  return {
    ...started,
    ...(upkeep.failure === undefined ? {} : { failure: upkeep.failure }),
    actions: [...withoutSuperseded(upkeep.actions, started.actions), ...started.actions],
    ...earliest([upkeep.requeueAfter, isWaiting ? seconds(graceSeconds) : undefined]),
  };
}
