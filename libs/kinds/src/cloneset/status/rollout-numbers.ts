/**
 * How many Pods to create, delete and update: one record computed from the Pods as they are, before anything is decided.
 * @see spec/cloneset.md 5.4
 */
import type { CloneSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import type { Context } from '../snapshot/snapshot.ts';
import { maxSurgeOf, maxUnavailableOf, partitionOf, replicasOf, scaleMaxUnavailableOf } from '../snapshot/strategy.ts';
import { countPods, type Side } from './pod-counts.ts';

/** All in Pods. */
export interface RolloutNumbers {
  /** Pods missing. */
  readonly scaleUp: number;
  /** Of those, how many belong to the current revision. */
  readonly scaleUpOld: number;
  /** How many of `scaleUp` may be created now (`scaleStrategy.maxUnavailable`). */
  readonly scaleUpLimit: number;
  /** Pods too many. */
  readonly scaleDown: number;
  /** Of those, how many are to come from old revisions first. */
  readonly scaleDownOld: number;
  /** Available Pods that may be deleted now; those that are not available may always go. */
  readonly deleteReadyLimit: number;
  /** Pods above replicas that are wanted for now. */
  readonly useSurge: number;
  readonly useSurgeOld: number;
  /** Pods to bring to the update revision; negative: Pods of it to bring back to the current revision. */
  readonly updateNum: number;
  /** Unavailable Pods above which no available Pod may be updated. */
  readonly updateMaxUnavailable: number;
}

interface Surge {
  readonly useSurge: number;
  readonly useSurgeOld: number;
}

/** Deletions that have no room in maxUnavailable, or Pods that are on the wrong side, may be replaced before they go. */
function chooseSurge(
  maxSurge: number,
  updated: Side,
  old: Side,
  given: { readonly beyond: number; readonly dOld: number; readonly dNew: number },
): Surge {
  const { beyond, dOld, dNew } = given;
  const forDeletion = Math.min(Math.max(beyond, 0), updated.toDelete + old.toDelete);
  const forDeletionOld = Math.max(forDeletion - updated.toDelete, 0);
  const isSwap = dOld * dNew < 0;
  const forUpdate = isSwap ? Math.min(Math.abs(dOld), Math.abs(dNew)) : 0;
  const [chosen, chosenOld] = forDeletion >= forUpdate ? [forDeletion, forDeletionOld] : [forUpdate, dOld < 0 ? forUpdate : 0];
  const useSurge = Math.min(maxSurge, chosen);
  return { useSurge, useSurgeOld: Math.min(useSurge, chosenOld) };
}

interface Distances {
  readonly dOld: number;
  readonly dNew: number;
}

/** Active Pods of each side. */
type Members = Record<'updated' | 'old', number>;

/** How far each side is from what the partition requests; without rollback only in the direction of the update. */
function distances(
  { updated, old }: Members,
  to: { readonly replicas: number; readonly partition: number; readonly mayRollBack: boolean },
): Distances {
  const dOld = old - to.partition;
  const dNew = updated - (to.replicas - to.partition);
  return to.mayRollBack ? { dOld, dNew } : { dOld: Math.max(dOld, 0), dNew: Math.min(dNew, 0) };
}

/**
 * Returns the active Pods without the marked ones that have a replacement. Such a Pod may stay for long, because its deletion is refused or has no room,
 * and an old Pod would keep its revision that long.
 */
function withoutReplaced(updated: Side, old: Side, replicas: number): Members {
  const replacements = Math.max(updated.active + old.active - replicas, 0);
  const replacedOld = Math.min(old.toDelete, replacements);
  const replacedUpdated = Math.min(updated.toDelete, replacements - replacedOld);
  return { updated: updated.active - replacedUpdated, old: old.active - replacedOld };
}

/** The smaller of both distances, in Pods to update. */
const updateNumOf = ({ dOld, dNew }: Distances): number => (Math.abs(dOld) <= Math.abs(dNew) ? dOld : 0 - dNew);

interface Revisions {
  readonly updateRevision: string;
  readonly currentRevision: string;
}

/** Whether a Pod in PreparingDelete is none of the replicas any more. */
export const isExcludingPreparingDelete = (cloneSet: CloneSet, context: Context): boolean =>
  context.excludePreparingDelete || cloneSet.spec.scaleStrategy?.excludePreparingDelete === true;

interface Demand {
  readonly updated: Side;
  readonly old: Side;
  readonly surge: Surge;
  readonly unavailable: number;
}

/** Pods missing or too many, against replicas and what surge adds for now. */
function scaling(
  cloneSet: CloneSet,
  { updated, old, surge, unavailable }: Demand,
  context: Context,
): Pick<RolloutNumbers, 'scaleUp' | 'scaleUpOld' | 'scaleUpLimit' | 'scaleDown' | 'scaleDownOld'> {
  const isExcluding = isExcludingPreparingDelete(cloneSet, context);
  const total = updated.total + old.total - (isExcluding ? updated.preDeleting + old.preDeleting : 0);
  const totalOld = old.total - (isExcluding ? old.preDeleting : 0);
  const want = replicasOf(cloneSet) + surge.useSurge;
  const wantOld = partitionOf(cloneSet) + surge.useSurgeOld;
  const scaleUp = Math.max(want - total, 0);
  const scaleDown = Math.max(total - updated.toDelete - old.toDelete - want, 0);
  return {
    scaleUp,
    scaleUpOld: scaleUp > 0 ? Math.max(wantOld - totalOld, 0) : 0,
    scaleUpLimit: Math.min(scaleUp, Math.max(scaleMaxUnavailableOf(cloneSet) - unavailable, 0)),
    scaleDown,
    scaleDownOld: scaleDown > 0 ? Math.max(totalOld - old.toDelete - wantOld, 0) : 0,
  };
}

/**
 * @param pods the active Pods that are claimed, any order
 * @param context `purpose`: whether a Pod in PreparingUpdate may count as updated (gate PreparingUpdateAsUpdate), only while scaling
 */
export function rolloutNumbers(
  cloneSet: CloneSet,
  pods: readonly Pod[],
  revisions: Revisions,
  context: Context & { readonly purpose: 'Scale' | 'Update' },
): RolloutNumbers {
  const { updated, old } = countPods(pods, { cloneSet, updateRevision: revisions.updateRevision }, context, context.purpose);
  const [replicas, partition, maxUnavailable] = [replicasOf(cloneSet), partitionOf(cloneSet), maxUnavailableOf(cloneSet)];
  const unavailable = updated.preDeleting + old.preDeleting + updated.unavailable + old.unavailable;
  const mayRollBack = revisions.updateRevision !== revisions.currentRevision && context.gates.CloneSetPartitionRollback;
  const target = { replicas, partition, mayRollBack };
  const { dOld, dNew } = distances({ updated: updated.active, old: old.active }, target);
  const toDelete = updated.toDelete + old.toDelete;
  const surge = chooseSurge(maxSurgeOf(cloneSet), updated, old, { beyond: unavailable + toDelete - maxUnavailable, dOld, dNew });
  const scale = scaling(cloneSet, { updated, old, surge, unavailable }, context);
  const updateNum = updateNumOf(distances(withoutReplaced(updated, old, replicas), target));
  return {
    ...surge,
    ...scale,
    deleteReadyLimit: toDelete > 0 || scale.scaleDown > 0 ? Math.max(maxUnavailable + (pods.length - replicas) - unavailable, 0) : 0,
    updateNum,
    updateMaxUnavailable: updateNum === 0 ? 0 : maxUnavailable + pods.length - replicas,
  };
}
