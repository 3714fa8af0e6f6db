/**
 * Creating and deleting Pods.
 * @see spec/cloneset.md 5.5, 5.6
 */
import type { CloneSet } from '@kruise/api';
import { hasText, isPodActive, memoizedList, workloadLimits, type ControllerRevision, type Pod } from '@kruise/objects';
import { canUndelete, nodeSpreadRanks, planLifecycleUndelete, rankForDeletion, templateOf, topologySpreadRanks } from '@kruise/pods';
import { isPreparingDelete, isReadyNow, planPodDeletion, podViewsOf, refusedLast, type PodView } from '@kruise/workloads';
import { anyCreation, subjectOf, type Action, type ActionOf } from '../pods/action.ts';
import { among } from './among.ts';
import { chooseInstanceIds } from './instance-id.ts';
import { newClaims, podMaker } from '../pods/new-pod.ts';
import { adapterOf, instanceIdOf, isAvailable, isSpecifiedDelete, isUpdatedForScaling } from '../pods/pod-facts.ts';
import { countPods } from '../status/pod-counts.ts';
import { isExcludingPreparingDelete, type RolloutNumbers } from '../status/rollout-numbers.ts';
import type { Context, Snapshot } from '../snapshot/snapshot.ts';
import { replicasOf } from '../snapshot/strategy.ts';

type Claim = Snapshot['claims'][number];

/** What scaling looks at beside the snapshot. */
export interface ScaleInput {
  readonly seen: Snapshot;
  /** Active and claimed. */
  readonly pods: readonly Pod[];
  readonly numbers: RolloutNumbers;
  readonly update: ControllerRevision;
  readonly current: ControllerRevision;
}

export interface ScalePlan {
  readonly actions: readonly Action[];
  /** Set when `scaleStrategy.maxUnavailable` holds Pods back: how many may be created now. */
  readonly limitedTo?: number;
  /** Instance ids whose Pods must vanish before they can be made again. */
  readonly blockedIds: readonly string[];
}

const only = (actions: readonly Action[]): ScalePlan => ({ actions, blockedIds: [] });

const idsOfClaims = memoizedList((claim: Claim): string => instanceIdOf(claim));
const namesOfClaims = memoizedList(({ metadata }: Claim): string => metadata.name);

/** Those with the Pod's instance id, but for claims that another Pod uses. */
function claimsOf(pod: Pod, { cloneSet, claims, mounts }: Snapshot): Snapshot['claims'] {
  const id = instanceIdOf(pod);
  const isUsed = (claim: Claim): boolean =>
    (mounts.get(claim.metadata.name) ?? []).some((user) => user.metadata.uid !== pod.metadata.uid && isPodActive(user));
  if (id === '') return [];
  const ids = idsOfClaims(cloneSet.metadata, claims);
  const own: Claim[] = [];
  for (let index = ids.indexOf(id); index >= 0; index = ids.indexOf(id, index + 1)) own.push(claims[index]!);
  return own.filter((claim) => !isUsed(claim));
}

/** The claims of a Pod are deleted with it. */
const deletionOf = (pod: Pod, { seen }: ScaleInput, { now }: Context, because: string): readonly Action[] =>
  planPodDeletion(pod, because, { lifecycle: seen.cloneSet.spec.lifecycle, now }, (target, why): Action => {
    return { kind: 'DeletePod', pod: target, claims: claimsOf(target, seen), because: why };
  });

/** @param leaving Pods that wait for their hook @param planned these, and those to be deleted */
function planUndelete(
  { seen, pods }: ScaleInput,
  context: Context,
  { leaving, planned }: { readonly leaving: number; readonly planned: number },
): readonly ActionOf<'SetLifecycle'>[] {
  const lifecycle = seen.cloneSet.spec.lifecycle;
  if (leaving === 0 || !canUndelete(lifecycle)) return [];
  const back = Math.max(replicasOf(seen.cloneSet) - pods.length + planned, 0);
  const unwanted = pods.filter((pod) => isPreparingDelete(pod) && !isSpecifiedDelete(seen.cloneSet, pod));
  return refusedLast(unwanted, ({ metadata }) => metadata.uid, seen.refused)
    .slice(0, back)
    .map((pod) => {
      const transition = planLifecycleUndelete(pod, lifecycle, context.now);
      return { kind: 'SetLifecycle', pod, transition, because: transition.because };
    });
}

/** One burst at most: the events of these Pods bring the pass that plans the next one. */
function planCreate(input: ScaleInput, context: Context): ScalePlan {
  const { seen, numbers, update, current } = input;
  const count = numbers.scaleUpLimit;
  const { ids, blocked } = chooseInstanceIds(seen, count, workloadLimits.actionsOfPass.value);
  const isHeld = among([namesOfClaims(seen.cloneSet.metadata, seen.claims)], ids.length);
  const updated = Math.max(count - blocked.length - numbers.scaleUpOld, 0);
  const olds = Math.max(ids.length - updated, 0);
  const makerOf = (revision: ControllerRevision): ((instanceId: string) => Pod) =>
    podMaker({ cloneSet: seen.cloneSet, revision, adapter: adapterOf(context), now: context.now });
  const [makeUpdated, makeOld] = [makerOf(update), makerOf(current)];
  const actions = ids.map((instanceId, position): ActionOf<'CreatePod'> => {
    const pod = (position < olds ? makeOld : makeUpdated)(instanceId);
    const claims = newClaims(seen.cloneSet, instanceId).filter(({ metadata }) => !isHeld(metadata.name));
    const because = `${numbers.scaleUp} Pods are missing (replicas ${replicasOf(seen.cloneSet)}, surge ${numbers.useSurge}), ${count} may be created now`;
    return { kind: 'CreatePod', pod, claims, because };
  });
  // Pods of the update revision come first: a current revision that can no longer be created must not hold them up.
  const isOld = (_: unknown, position: number): boolean => position < olds;
  const ordered = [...actions.filter((action, position) => !isOld(action, position)), ...actions.filter(isOld)];
  const lastRefused = refusedLast(ordered, ({ pod }) => instanceIdOf(pod), seen.refused);
  return {
    actions: lastRefused,
    blockedIds: blocked,
    ...(numbers.scaleUp > numbers.scaleUpLimit ? { limitedTo: numbers.scaleUpLimit } : {}),
  };
}

/** Pods that serve come last, so that those which do not take the room first. */
const leastServingFirst = (pods: readonly Pod[], { seen }: ScaleInput, context: Context): readonly Pod[] => {
  const rank = (pod: Pod): number => (isReadyNow(pod) ? 1 : 0) + (isAvailable(seen.cloneSet, pod, context) ? 1 : 0);
  return pods.toSorted((a, b) => rank(a) - rank(b));
};

/**
 * Deletes unready Pods always, ready ones while there is room; `room` is shared by a whole pass.
 *
 * A Pod that is to go by label or name does not count as unavailable in `deleteReadyLimit`: when it is not ready either, its place is taken
 * from the room here, or one that serves would go along with it.
 */
function deleteWithin(pods: readonly Pod[], room: { left: number }, input: ScaleInput, context: Context): readonly Action[] {
  return leastServingFirst(
    refusedLast(pods, ({ metadata }) => metadata.uid, input.seen.refused),
    input,
    context,
  ).flatMap((pod) => {
    const isReady = isReadyNow(pod);
    if (isReady && room.left <= 0) return [];
    if (isReady || isSpecifiedDelete(input.seen.cloneSet, pod)) room.left--;
    const why = isReady
      ? `deletion of an available Pod is within the limit of ${input.numbers.deleteReadyLimit}`
      : 'the Pod is not available';
    return deletionOf(pod, input, context, why);
  });
}

/** The Pods to give up of one side of the rollout, those that are worth least first. */
function chooseForDeletion(group: readonly Pod[], count: number, { seen, update }: ScaleInput, context: Context): readonly Pod[] {
  if (count <= 0) return [];
  if (count >= group.length) return group;
  const constraints = templateOf(update)?.spec?.topologySpreadConstraints ?? [];
  const nodeLabels = (name: string): Readonly<Record<string, string>> | undefined => seen.nodes.get(name)?.metadata.labels;
  const ranks =
    constraints.length === 0
      ? nodeSpreadRanks(group)
      : topologySpreadRanks(
          group,
          constraints.map(({ topologyKey }) => topologyKey),
          nodeLabels,
        );
  const ranked = rankForDeletion(group, (pod) => isAvailable(seen.cloneSet, pod, context), ranks);
  return refusedLast(ranked, ({ metadata }) => metadata.uid, seen.refused).slice(0, count);
}

/** Only where no deletion is pending but such as were refused: Pods that are to go in any case are none to choose from. */
function planScaleIn(input: ScaleInput, context: Context, room: { left: number }): readonly Action[] {
  const { numbers, pods, update, seen } = input;
  const isOld = (pod: Pod): boolean => !isUpdatedForScaling(context, pod, update.metadata.name);
  const leaving = isExcludingPreparingDelete(seen.cloneSet, context) ? [] : pods.filter(isPreparingDelete);
  const staying = pods.filter((pod) => !isPreparingDelete(pod) && !isSpecifiedDelete(seen.cloneSet, pod));
  const [old, updated] = [staying.filter(isOld), staying.filter((pod) => !isOld(pod))];
  const count = numbers.scaleDown - leaving.length;
  const fromOld = Math.min(Math.max(numbers.scaleDownOld - leaving.filter(isOld).length, 0), count);
  const chosen = [
    ...chooseForDeletion(old, fromOld, input, context),
    ...chooseForDeletion(updated, count - Math.min(fromOld, old.length), input, context),
  ];
  return deleteWithin(chosen, room, input, context);
}

/** Deletes what is specified, else scales in. A deletion that was refused before gets the room that the others leave, and delays none of them. */
function planDeletions(input: ScaleInput, context: Context): readonly Action[] {
  const { seen, pods, numbers } = input;
  const isRefused = (pod: Pod): boolean => seen.refused.has(pod.metadata.uid ?? '');
  const { metadata, spec } = seen.cloneSet;
  const listed = spec.scaleStrategy?.podsToDelete ?? [];
  const isChosen = ({ isMarkedForDeletion, state }: PodView, index: number): boolean =>
    state !== 'PreparingDelete' && (isMarkedForDeletion || (listed.length > 0 && hasText(listed, pods[index]?.metadata.name ?? '')));
  const chosen = podViewsOf(metadata, pods).map(isChosen);
  const marked = pods.filter((_, index) => chosen[index]);
  const [refused, others] = [marked.filter(isRefused), marked.filter((pod) => !isRefused(pod))];
  const taken = refused.filter((pod) => !isReadyNow(pod)).length;
  const room = { left: numbers.deleteReadyLimit - taken };
  const isPending = others.length > 0 || pods.some((pod) => isPreparingDelete(pod) && !isRefused(pod));
  const deleted = isPending ? deleteWithin(others, room, input, context) : planScaleIn(input, context, room);
  return [...deleted, ...deleteWithin(refused, { left: room.left + taken }, input, context)];
}

/**
 * One thing at a time: undo deletions, else create, else delete what is prepared, else what is specified, else scale in. Refused actions are
 * retried beside the next step and do not hold it up: if a quota refuses the surge Pods, the update continues within
 * maxUnavailable.
 *
 * Prepared Pods whose hook has let go are deleted as well when Pods are missing and none may be created: they use up
 * `scaleStrategy.maxUnavailable` themselves, so that waiting for room would have no end.
 */
export function planScale(input: ScaleInput, context: Context): ScalePlan {
  const { seen, pods, numbers, update } = input;
  const isNew = (actions: readonly Action[]): boolean => actions.some((action) => !seen.refused.has(subjectOf(action) ?? ''));
  const { updated, old } = countPods(pods, { cloneSet: seen.cloneSet, updateRevision: update.metadata.name }, context, 'Scale');
  const leaving = updated.preDeleting + old.preDeleting;
  const planned = leaving + updated.toDelete + old.toDelete;
  if (planned === 0 && numbers.scaleUp <= 0 && numbers.scaleDown <= 0) return only([]);
  const preparing = leaving === 0 ? [] : pods.filter(isPreparingDelete);
  const undeleted = planUndelete(input, context, { leaving, planned });
  if (isNew(undeleted)) return only(undeleted);
  const created = numbers.scaleUp > 0 ? planCreate(input, context) : undefined;
  if (created !== undefined && created.actions.length > 0) {
    const deleted = seen.refused.has(anyCreation) ? planDeletions(input, context) : [];
    return { ...created, actions: [...deleted, ...created.actions, ...undeleted] };
  }
  const wanted = new Set(undeleted.map(({ pod }) => pod));
  const released = preparing
    .filter((pod) => !wanted.has(pod))
    .flatMap((pod) => deletionOf(pod, input, context, 'the preDelete hook let go'));
  if (created !== undefined) return { ...created, actions: [...released, ...undeleted] };
  if (isNew(released)) return only([...released, ...undeleted]);
  return only([...planDeletions(input, context), ...released, ...undeleted]);
}

/** Names of Pods to delete that are still there; the others need not be listed any more. */
export function planPodsToDelete(cloneSet: CloneSet, pods: readonly Pod[]): readonly Action[] {
  const listed = cloneSet.spec.scaleStrategy?.podsToDelete ?? [];
  if (listed.length === 0) return [];
  const active = new Set(pods.map(({ metadata }) => metadata.name));
  const names = listed.filter((name) => active.has(name));
  return names.length === listed.length
    ? []
    : [
        {
          kind: 'SetPodsToDelete',
          listed,
          names,
          because: `${listed.length - names.length} of ${listed.length} Pods to delete no longer exist`,
        },
      ];
}
