/**
 * Updates the chosen Pods to another revision: in place when template and policy allow it, otherwise by recreation.
 * @see spec/inplace-update.md 4
 * @see spec/cloneset.md 5.7
 */
import type { ControllerRevision, Pod } from '@kruise/objects';
import { planInPlaceUpdate, planLifecycleForUpdate, revisionOfPod, type InPlaceDecision } from '@kruise/pods';
import type { UpdateAction } from '../pods/pod-action.ts';
import { isViewAvailable, podViewOf, podViewsOf } from '../pods/pod-view.ts';
import { isOf, type Workload } from '../workload.ts';

/** The updates that begin in this pass, in the order in which they run. */
export interface PodUpdates<A = UpdateAction> {
  readonly actions: readonly (A | UpdateAction)[];
  /** Why the first Pod that cannot be updated at all cannot. */
  readonly failure?: string;
}

/** The target of an update. */
export interface UpdateTarget {
  /** The revision to update Pods to. */
  readonly revision: ControllerRevision;
  /** Maximum of unavailable Pods. */
  readonly limit: number;
  /** The reason, in words with the numbers, for every action. */
  readonly because: string;
}

/** The Pods of a workload that an update concerns. */
export interface Candidates {
  /** Returns whether a Pod must be updated. @param index of it in the list of all Pods */
  readonly isCandidate: (pod: Pod, index: number) => boolean;
  /** Orders the candidates, and may omit some; called only when one may be chosen, because ranking thousands of Pods is expensive. */
  readonly rank: (candidates: readonly Pod[]) => readonly Pod[];
}

/**
 * Returns the candidates that may be updated now, in order. Unavailable old Pods cost no availability, also after available ones for which there is
 * no room; unavailable new ones stop the rollout.
 *
 * A Pod that its hook has taken out of service already continues even when Pods are missing and use up the limit: it may itself be the reason why a
 * limit on scaling allows no Pod to be created.
 *
 * @param pods all active, claimed Pods of the workload
 */
export function withinBudget(
  { isCandidate, rank }: Candidates,
  pods: readonly Pod[],
  { revision, limit }: Pick<UpdateTarget, 'revision' | 'limit'>,
  workload: Workload,
): readonly Pod[] {
  const unavailable = new Map<Pod, number>();
  const views = podViewsOf(workload.metadata, pods);
  for (let index = 0; index < pods.length; index++) if (!isViewAvailable(views[index]!, workload)) unavailable.set(pods[index]!, index);
  const inTarget = [...unavailable.keys()].filter((pod) => isOf(workload, pod, revision.metadata.name)).length;
  const isPrepared = (pod: Pod): boolean => podViewOf(pod).state === 'PreparingUpdate';
  const mayTake =
    inTarget < limit
      ? unavailable.size < limit || [...unavailable].some(([pod, index]) => isCandidate(pod, index))
      : inTarget < 1 && pods.some((pod, index) => views[index]?.state === 'PreparingUpdate' && isCandidate(pod, index));
  if (!mayTake) return [];
  let used = unavailable.size;
  const taken: Pod[] = [];
  for (const pod of rank(pods.filter(isCandidate))) {
    const own = isPrepared(pod) ? Math.max(limit, 1) : limit;
    if (inTarget + taken.length >= own) break;
    if (!unavailable.has(pod) && used++ >= limit) continue;
    taken.push(pod);
  }
  return taken;
}

/** Returns a decision function that decides equal revisions once, not once for each Pod. */
function decider(target: ControllerRevision, workload: Workload): (pod: Pod) => InPlaceDecision {
  const { podUpdatePolicy, adapter, gates, graceSeconds, revisions, isOnDelete } = workload;
  const options = { gates, adapter, ignoreClaimTemplates: podUpdatePolicy === 'InPlaceOnly', graceSeconds };
  const known = new Map<ControllerRevision | undefined, InPlaceDecision>();
  return (pod) => {
    if (podUpdatePolicy === 'ReCreate' || isOnDelete) return { kind: 'Recreate', why: 'the update policy is ReCreate' };
    const from = revisionOfPod(adapter, pod, revisions);
    const decision = known.get(from) ?? planInPlaceUpdate(from, target, options);
    known.set(from, decision);
    return decision;
  };
}

/** The effect of an update on one Pod. */
export type PodUpdate =
  /** In place: the update itself, or what precedes it; no action while a hook is awaited. */
  | { readonly kind: 'InPlace'; readonly actions: readonly UpdateAction[] }
  /** Only a new Pod can be of the revision. The kind decides how to create it. */
  | { readonly kind: 'Recreate'; readonly because: string }
  /** The policy, or the state of the Pod, allows neither. */
  | { readonly kind: 'Impossible'; readonly why: string };

/** Returns a function that decides on one Pod after the other. Equal revisions are compared once, not once for each Pod. */
export function podUpdater(target: UpdateTarget, workload: Workload): (pod: Pod) => PodUpdate {
  const decide = decider(target.revision, workload);
  return (pod) => updateOf(pod, decide(pod), target, workload);
}

function updateOf(pod: Pod, decision: InPlaceDecision, { because }: UpdateTarget, workload: Workload): PodUpdate {
  if (decision.kind === 'Recreate')
    return workload.podUpdatePolicy === 'InPlaceOnly'
      ? { kind: 'Impossible', why: `Pod ${pod.metadata.name} cannot be updated in place: ${decision.why}` }
      : { kind: 'Recreate', because: `${because}; not in place: ${decision.why}` };
  const admission = planLifecycleForUpdate(pod, workload.lifecycle, workload.now);
  switch (admission.kind) {
    case 'Update':
      return { kind: 'InPlace', actions: [{ kind: 'UpdatePodInPlace', pod, spec: decision.spec, because }] };
    case 'Prepare': {
      const { transition } = admission;
      return { kind: 'InPlace', actions: [{ kind: 'SetLifecycle', pod, transition, because: transition.because }] };
    }
    case 'Wait':
      return { kind: 'InPlace', actions: [] };
    case 'Refuse':
      return { kind: 'Impossible', why: `Pod ${pod.metadata.name}: ${admission.why}` };
  }
}

/**
 * Plans the updates of Pods.
 *
 * @param chosen Pods within the budget, in the order of their updates
 * @param recreate returns the actions for a Pod that has to be recreated
 */
export function planPodUpdates<A>(
  chosen: readonly Pod[],
  target: UpdateTarget,
  workload: Workload,
  recreate: (pod: Pod, because: string) => readonly A[],
): PodUpdates<A> {
  const updateFor = podUpdater(target, workload);
  const actions: (A | UpdateAction)[] = [];
  let failure: string | undefined;
  for (const pod of chosen) {
    const update = updateFor(pod);
    if (update.kind === 'Impossible') failure ??= update.why;
    else actions.push(...(update.kind === 'Recreate' ? recreate(pod, update.because) : update.actions));
  }
  return { actions, ...(failure === undefined ? {} : { failure }) };
}

/**
 * Returns the upkeep that remains once the updates of the pass are known. A Pod that is out of service and begins an update stays out of service: the
 * process may have died right after taking it out, and returning it to service first would undo that repeatedly. The remaining changes of the
 * previous update are included in the new one, so that no container receives an outdated image.
 */
export function withoutSuperseded(
  upkeep: readonly UpdateAction[],
  begun: readonly { readonly kind: string; readonly pod?: Pod }[],
): readonly UpdateAction[] {
  const beginning = new Set(begun.flatMap(({ kind, pod }) => (kind === 'UpdatePodInPlace' && pod !== undefined ? [pod] : [])));
  return upkeep.filter((action) => action.kind !== 'RefreshPod' || action.step.kind === 'DropGrace' || !beginning.has(action.pod));
}
