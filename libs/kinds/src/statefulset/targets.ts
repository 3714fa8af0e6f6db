/** Which Pods must have the update revision, and in which order they are updated. @see spec/statefulset.md 5.5.1, 5.3.2 */
import type { StatefulSet } from '@kruise/api';
import { isTerminating, type Pod } from '@kruise/objects';
import { rankByPriority } from '@kruise/pods';
import { podViewOf } from '@kruise/workloads';
import { podsIn, type Arrangement, type FilledSlot, type Slot } from './snapshot/arrangement.ts';
import { isOf } from './pods/pod-facts.ts';
import type { Context } from './snapshot/snapshot.ts';
import { isRollingUpdate, isUnordered, partitionOf, replicasOf, rollingUpdateOf, slotsOf } from './snapshot/strategy.ts';

/** With gate PreparingUpdateAsUpdate a Pod that waits for its hook counts as updated. */
const countsAsUpdated = (pod: Pod, update: string, { gates }: Context): boolean =>
  isOf(pod, update) || (gates.PreparingUpdateAsUpdate && podViewOf(pod).state === 'PreparingUpdate');

/**
 * Missing Pods that will be created at the update revision count as updated.
 *
 * @param update name of the update revision
 */
export function updateTargets(set: StatefulSet, arrangement: Arrangement, update: string, context: Context): readonly FilledSlot[] {
  const { wanted, filled, missing } = arrangement;
  const most = replicasOf(set) - partitionOf(set);
  if (most <= 0) return [];
  const descending = filled.toReversed();
  if (!isUnordered(set)) return descending.filter(({ rank }) => rank >= wanted.size - most);
  const settled = (pod: Pod): boolean => isTerminating(pod) || countsAsUpdated(pod, update, context);
  const slotOf = new Map(descending.map((slot) => [slot.pod, slot]));
  const pods = podsIn(descending);
  const coming = missing - Math.min(missing, oldToCreate(set, filled, update, context));
  const rest = rankByPriority(
    pods.filter((pod) => !settled(pod)),
    rollingUpdateOf(set)?.unorderedUpdate?.priorityStrategy,
  );
  const chosen = [...pods.filter(settled), ...rest].slice(0, Math.max(most - coming, 0));
  return chosen.flatMap((pod) => slotOf.get(pod) ?? []);
}

/** How many of the Pods that are missing are made at the current revision where updates follow priorities, at most. */
function oldToCreate(set: StatefulSet, filled: readonly FilledSlot[], update: string, context: Context): number {
  if (!isRollingUpdate(set)) return 0;
  const old = podsIn(filled).filter((pod) => !countsAsUpdated(pod, update, context)).length;
  return Math.max(partitionOf(set) - old, 0);
}

/** Of which revision the Pod of an empty slot is made. */
export type RevisionChoice = (slot: Slot) => 'Update' | 'Current';

/**
 * Decides on one slot after the other, ascending: with unordered updates each answer counts for the next.
 *
 * @param filled all of them that have a Pod
 * @param update name of the update revision
 */
export function revisionChooser(set: StatefulSet, filled: readonly FilledSlot[], update: string, context: Context): RevisionChoice {
  if (!isRollingUpdate(set)) return () => 'Update';
  if (rollingUpdateOf(set) === undefined) {
    const kept = slotsOf(set, context.gates).start + (set.status?.currentReplicas ?? 0);
    return ({ ordinal }) => (ordinal < kept ? 'Current' : 'Update');
  }
  const partition = partitionOf(set);
  if (!isUnordered(set)) return ({ rank }) => (rank < partition ? 'Current' : 'Update');
  let left = oldToCreate(set, filled, update, context);
  return () => (left-- > 0 ? 'Current' : 'Update');
}
