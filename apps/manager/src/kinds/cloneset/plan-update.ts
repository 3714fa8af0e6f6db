/**
 * Bringing Pods to another revision: refreshing updates under way, then choosing new ones.
 * @see spec/cloneset.md 5.7
 */
import { labels } from '@kruise/api';
import { seconds, type ControllerRevision, type Milliseconds, type Pod } from '@kruise/objects';
import {
  lifecycleStateOf,
  planInPlaceUpdate,
  planLifecycleForUpdate,
  planLifecycleRefresh,
  planRefresh,
  rankForUpdate,
  revisionOfPod,
  shortHash,
  updateCompletion,
  updateStateOf,
  type InPlaceDecision,
  type LifecycleTransition,
  type UpdateRanking,
} from '@kruise/pods';
import type { Action } from './action.ts';
import { adapterOf, isAvailable, isOf, isPreparingDelete } from './pod-facts.ts';
import { rolloutNumbers, type RolloutNumbers } from './rollout-numbers.ts';
import { lifecycleOf, type Context, type Snapshot } from './snapshot.ts';
import { graceSecondsOf, isOnDelete, isPaused, podUpdatePolicyOf, priorityStrategyOf, scatterStrategyOf } from './strategy.ts';

export interface UpdateInput {
  readonly seen: Snapshot;
  /** Active and claimed. */
  readonly pods: readonly Pod[];
  readonly update: ControllerRevision;
  readonly current: ControllerRevision;
}

export interface UpdatePlan {
  readonly actions: readonly Action[];
  /** Why a chosen Pod cannot be updated at all; the pass fails with it after its actions. */
  readonly failure?: string;
  readonly lookAgainAfter?: Milliseconds;
}

interface Refreshed {
  readonly actions: readonly Action[];
  readonly failure?: string;
  readonly lookAgainAfter?: Milliseconds;
}

/** When to look again for the first of what is waited for; empty for nothing. */
export const earliest = (lengths: readonly (Milliseconds | undefined)[]): { readonly lookAgainAfter?: Milliseconds } => {
  const given = lengths.filter((length) => length !== undefined);
  return given.length === 0 ? {} : { lookAgainAfter: Math.min(...given) as Milliseconds };
};

/** The next step of the in-place update that one Pod is in the middle of. */
function refreshPod(pod: Pod, context: Context): Refreshed {
  const step = planRefresh(pod, { adapter: adapterOf(context), now: context.now, resources: context.resources });
  switch (step.kind) {
    case 'Nothing':
    case 'Pending':
      return { actions: [] };
    case 'Wait':
      return { actions: [], lookAgainAfter: step.remaining };
    case 'Broken':
      return { actions: [], failure: `Pod ${pod.metadata.name}: ${step.why}` };
    case 'SetReady':
      return { actions: [{ kind: 'RefreshPod', pod, step, because: 'the in-place update is complete, or there was none' }] };
    default:
      return { actions: [{ kind: 'RefreshPod', pod, step, because: step.because }] };
  }
}

/** The lifecycle step that a Pod takes by itself. */
const moveOf = (pod: Pod, { seen, update }: UpdateInput, context: Context): LifecycleTransition | undefined =>
  planLifecycleRefresh(pod, {
    lifecycle: lifecycleOf(seen.cloneSet),
    now: context.now,
    isOfUpdateRevision: isOf(context, pod, update.metadata.name),
    isUpdateComplete: () => updateCompletion(pod, context.resources !== 'Ignored').kind === 'Complete',
    waitForNode: true,
  });

/**
 * A Pod that has no node yet cannot get ready, and becomes Normal once it has one: its first condition goes with that step, in one write.
 */
const comesWithNode = (pod: Pod, { cloneSet }: Snapshot): boolean =>
  (pod.spec.nodeName ?? '') === '' &&
  lifecycleStateOf(pod) === 'PreparingNormal' &&
  cloneSet.spec.lifecycle?.preNormal === undefined &&
  updateStateOf(pod).kind === 'Absent';

interface Upkeep extends Refreshed {
  /** Whether lifecycle or labels change, so that nothing new is begun in this pass. */
  readonly isMoving: boolean;
}

/** What a Pod needs before anything new is decided about it: the next step of its update, of its lifecycle, and a label. */
function planUpkeep(pod: Pod, input: UpdateInput, context: Context): Upkeep {
  const refreshed = refreshPod(pod, context);
  const move = moveOf(pod, input, context);
  const step = refreshed.actions[0];
  const labelled = labelPod(pod);
  const isMoving = move !== undefined || labelled.length > 0;
  if (step?.kind !== 'RefreshPod' || step.step.kind !== 'SetReady') {
    return { ...refreshed, actions: [...refreshed.actions, ...moveActions(pod, move), ...labelled], isMoving };
  }
  if (move?.patch !== undefined && move.readiness === undefined) {
    const together: Action = { ...step, alongside: move.patch.metadata, because: `the Pod becomes ${move.to}: ${move.because}` };
    return { actions: [together, ...labelled], isMoving };
  }
  return { actions: [...(comesWithNode(pod, input.seen) ? [] : [step]), ...moveActions(pod, move), ...labelled], isMoving };
}

const moveActions = (pod: Pod, transition: LifecycleTransition | undefined): readonly Action[] =>
  transition === undefined ? [] : [{ kind: 'SetLifecycle', pod, transition, because: transition.because }];

/** Pods of older managers lack the short hash. */
function labelPod(pod: Pod): readonly Action[] {
  const carried = pod.metadata.labels ?? {};
  const revision = carried[labels.controllerRevisionHash];
  if (revision === undefined || revision === '' || carried[labels.podTemplateHash] !== undefined) return [];
  return [{ kind: 'LabelPod', pod, labels: { [labels.podTemplateHash]: shortHash(revision) }, because: 'the Pod lacks the label' }];
}

/** By kind, as actions of one kind run together; a Pod's update goes before its lifecycle, that before its labels. */
const inOrder = (actions: readonly Action[]): readonly Action[] =>
  (['RefreshPod', 'SetLifecycle', 'LabelPod'] as const).flatMap((kind) => actions.filter((action) => action.kind === kind));

function planRefreshes(input: UpdateInput, context: Context): Refreshed & { readonly startsNothingNew: boolean } {
  const upkeep = input.pods.map((pod) => planUpkeep(pod, input, context));
  const failure = upkeep.find((one) => one.failure !== undefined)?.failure;
  return {
    actions: inOrder(upkeep.flatMap(({ actions }) => actions)),
    ...(failure === undefined ? {} : { failure }),
    ...earliest(upkeep.map((one) => one.lookAgainAfter)),
    startsNothingNew: failure !== undefined || upkeep.some(({ isMoving }) => isMoving),
  };
}

const rankingOf = ({ cloneSet }: Snapshot): UpdateRanking => {
  const priority = priorityStrategyOf(cloneSet);
  const scatter = scatterStrategyOf(cloneSet);
  return { preparingFirst: true, ...(priority === undefined ? {} : { priority }), ...(scatter === undefined ? {} : { scatter }) };
};

/** A Pod that waits for the grace period of another revision is one of them: what it waits for is not wanted any more. */
function candidatesFor({ seen, pods, update }: UpdateInput, numbers: RolloutNumbers, context: Context): readonly Pod[] {
  const isGoingBack = numbers.updateNum < 0;
  const candidates = pods.filter((pod) => isOf(context, pod, update.metadata.name) === isGoingBack && !isPreparingDelete(pod));
  return rankForUpdate(candidates, pods, rankingOf(seen)).slice(0, Math.abs(numbers.updateNum));
}

/**
 * The candidates that may be updated now: broken old Pods cost no availability, broken new ones stop the rollout.
 *
 * A Pod whose hook has taken it out of service already goes on even where Pods are missing and the limit is used up by that: it may itself be
 * what `scaleStrategy.maxUnavailable` lets no Pod be created for.
 */
function withinBudget(
  candidates: readonly Pod[],
  { seen, pods }: UpdateInput,
  to: { readonly target: ControllerRevision; readonly limit: number },
  context: Context,
): readonly Pod[] {
  const unavailable = new Set(pods.filter((pod) => !isAvailable(seen.cloneSet, pod, context)));
  const inTarget = [...unavailable].filter((pod) => isOf(context, pod, to.target.metadata.name)).length;
  let used = unavailable.size;
  const taken: Pod[] = [];
  for (const pod of candidates) {
    const limit = lifecycleStateOf(pod) === 'PreparingUpdate' ? Math.max(to.limit, 1) : to.limit;
    if (inTarget + taken.length >= limit) break;
    if (!unavailable.has(pod) && ++used > to.limit) break;
    taken.push(pod);
  }
  return taken;
}

/** Equal revisions are decided once, not once a Pod. */
function decider({ seen }: UpdateInput, target: ControllerRevision, context: Context): (pod: Pod) => InPlaceDecision {
  const policy = podUpdatePolicyOf(seen.cloneSet);
  const adapter = adapterOf(context);
  const options = {
    gates: context.gates,
    adapter,
    ignoreClaimTemplates: policy === 'InPlaceOnly',
    graceSeconds: graceSecondsOf(seen.cloneSet),
  };
  const known = new Map<ControllerRevision | undefined, InPlaceDecision>();
  return (pod) => {
    if (policy === 'ReCreate' || isOnDelete(seen.cloneSet)) return { kind: 'Recreate', why: 'the update policy is ReCreate' };
    const from = revisionOfPod(adapter, pod, seen.revisions);
    const decision = known.get(from) ?? planInPlaceUpdate(from, target, options);
    known.set(from, decision);
    return decision;
  };
}

interface PodUpdate {
  readonly actions: readonly Action[];
  readonly failure?: string;
}

interface Chosen {
  readonly pod: Pod;
  readonly decision: InPlaceDecision;
  readonly target: ControllerRevision;
  readonly because: string;
}

function updatePod({ pod, decision, target, because }: Chosen, { seen }: UpdateInput, context: Context): PodUpdate {
  if (decision.kind === 'Recreate') {
    if (podUpdatePolicyOf(seen.cloneSet) === 'InPlaceOnly')
      return { actions: [], failure: `Pod ${pod.metadata.name} cannot be updated in place: ${decision.why}` };
    if (pod.metadata.labels?.[labels.specifiedDelete] !== undefined) return { actions: [] };
    return {
      actions: [{ kind: 'RecreatePod', pod, revision: target.metadata.name, because: `${because}; not in place: ${decision.why}` }],
    };
  }
  const admission = planLifecycleForUpdate(pod, lifecycleOf(seen.cloneSet), context.now);
  switch (admission.kind) {
    case 'Update':
      return { actions: [{ kind: 'UpdatePodInPlace', pod, spec: decision.spec, because }] };
    case 'Prepare':
      return { actions: [{ kind: 'SetLifecycle', pod, transition: admission.transition, because: admission.transition.because }] };
    case 'Wait':
      return { actions: [] };
    case 'Refuse':
      return { actions: [], failure: `Pod ${pod.metadata.name}: ${admission.why}` };
  }
}

function planNewUpdates(input: UpdateInput, context: Context): PodUpdate {
  const { seen, pods, update, current } = input;
  const revisions = { updateRevision: update.metadata.name, currentRevision: current.metadata.name };
  const numbers = rolloutNumbers(seen.cloneSet, pods, revisions, { ...context, purpose: 'Update' });
  if (numbers.updateNum === 0) return { actions: [] };
  const target = numbers.updateNum < 0 ? current : update;
  const chosen = withinBudget(candidatesFor(input, numbers, context), input, { target, limit: numbers.updateMaxUnavailable }, context);
  const decide = decider(input, target, context);
  const because = `${Math.abs(numbers.updateNum)} Pods are to become ${target.metadata.name}, ${numbers.updateMaxUnavailable} may be unavailable`;
  const updates = chosen.map((pod) => updatePod({ pod, decision: decide(pod), target, because }, input, context));
  const failure = updates.find((one) => one.failure !== undefined)?.failure;
  return { actions: updates.flatMap(({ actions }) => actions), ...(failure === undefined ? {} : { failure }) };
}

/**
 * What is left to tend once the updates of the pass are known. A Pod that is out of service and begins an update stays out of service: the process
 * may have died right after taking it out, and putting it back first would undo that, again and again. What the update before it still had to
 * do is taken over by the new one, so that no container is given an image which is not wanted any more.
 */
function withoutSuperseded(tending: readonly Action[], begun: readonly Action[]): readonly Action[] {
  const beginning = new Set(begun.flatMap((action) => (action.kind === 'UpdatePodInPlace' ? [action.pod] : [])));
  return tending.filter((action) => action.kind !== 'RefreshPod' || action.step.kind === 'DropGrace' || !beginning.has(action.pod));
}

/** Updates are started only in a pass in which every Pod is where its lifecycle wants it. */
export function planUpdate(input: UpdateInput, context: Context): UpdatePlan {
  const { startsNothingNew: startsNothingNew, ...refreshed } = planRefreshes(input, context);
  if (startsNothingNew || isOnDelete(input.seen.cloneSet) || isPaused(input.seen.cloneSet)) return refreshed;
  const started = planNewUpdates(input, context);
  const grace = started.actions.some(({ kind }) => kind === 'UpdatePodInPlace') ? graceSecondsOf(input.seen.cloneSet) : 0;
  return {
    ...started,
    actions: [...withoutSuperseded(refreshed.actions, started.actions), ...started.actions],
    ...earliest([refreshed.lookAgainAfter, grace > 0 ? seconds(grace) : undefined]),
  };
}
