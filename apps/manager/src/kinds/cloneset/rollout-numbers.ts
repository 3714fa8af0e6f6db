/**
 * How many Pods to create, delete and update: one record computed from the Pods as they are, before anything is decided.
 * @see spec/cloneset.md 5.4
 */
import type { CloneSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { isAvailable, isOf, isPreparingDelete, isSpecifiedDelete, isUpdatedForScaling } from './pod-facts.ts';
import type { Context } from './snapshot.ts';
import { maxSurgeOf, maxUnavailableOf, partitionOf, replicasOf, scaleMaxUnavailableOf } from './strategy.ts';

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

interface Side {
  readonly total: number;
  readonly preDeleting: number;
  readonly active: number;
  readonly toDelete: number;
  readonly unavailable: number;
}

function countSide(pods: readonly Pod[], cloneSet: CloneSet, at: Context): Side {
  const preDeleting = pods.filter(isPreparingDelete).length;
  const active = pods.filter((pod) => !isPreparingDelete(pod));
  const staying = active.filter((pod) => !isSpecifiedDelete(cloneSet, pod));
  return {
    total: pods.length,
    preDeleting,
    active: active.length,
    toDelete: active.length - staying.length,
    unavailable: staying.filter((pod) => !isAvailable(cloneSet, pod, at)).length,
  };
}

interface Surge {
  readonly useSurge: number;
  readonly useSurgeOld: number;
}

/** Deletions that have no room in maxUnavailable, or Pods that are on the wrong side, may be replaced before they go. */
function chooseSurge(maxSurge: number, updated: Side, old: Side, given: { readonly beyond: number; readonly dOld: number; readonly dNew: number }): Surge {
  if (maxSurge <= 0) return { useSurge: 0, useSurgeOld: 0 };
  const { beyond, dOld, dNew } = given;
  const forDeletion = Math.min(Math.max(beyond, 0), updated.toDelete + old.toDelete);
  const forDeletionOld = Math.max(forDeletion - updated.toDelete, 0);
  const isSwap = dOld * dNew < 0;
  const forUpdate = isSwap ? Math.min(Math.abs(dOld), Math.abs(dNew)) : 0;
  const isOldMissing = (Math.abs(dOld) <= Math.abs(dNew) && dOld < 0) || (Math.abs(dOld) > Math.abs(dNew) && dNew > 0);
  const [chosen, chosenOld] = forDeletion >= forUpdate ? [forDeletion, forDeletionOld] : [forUpdate, isOldMissing ? forUpdate : 0];
  const useSurge = Math.min(maxSurge, chosen);
  return { useSurge, useSurgeOld: Math.min(useSurge, chosenOld) };
}

interface Revisions {
  readonly updateRevision: string;
  readonly currentRevision: string;
}

/**
 * @param pods the active Pods that are claimed, any order
 * @param purpose whether a Pod in PreparingUpdate may count as updated (gate PreparingUpdateAsUpdate): only while scaling
 */
export function rolloutNumbers(cloneSet: CloneSet, pods: readonly Pod[], revisions: Revisions, at: Context & { readonly purpose: 'Scale' | 'Update' }): RolloutNumbers {
  const isUpdated = at.purpose === 'Scale' ? isUpdatedForScaling : isOf;
  const updated = countSide(pods.filter((pod) => isUpdated(at, pod, revisions.updateRevision)), cloneSet, at);
  const old = countSide(pods.filter((pod) => !isUpdated(at, pod, revisions.updateRevision)), cloneSet, at);
  const [replicas, partition, maxUnavailable] = [replicasOf(cloneSet), partitionOf(cloneSet), maxUnavailableOf(cloneSet)];
  const preDeleting = updated.preDeleting + old.preDeleting;
  const unavailable = preDeleting + updated.unavailable + old.unavailable;
  const mayRollBack = revisions.updateRevision !== revisions.currentRevision && at.gates.CloneSetPartitionRollback;
  const dOld = mayRollBack ? old.active - partition : Math.max(old.active - partition, 0);
  const dNew = mayRollBack ? updated.active - (replicas - partition) : Math.min(updated.active - (replicas - partition), 0);
  const beyond = unavailable + updated.toDelete + old.toDelete - maxUnavailable;
  const surge = chooseSurge(maxSurgeOf(cloneSet), updated, old, { beyond, dOld, dNew });

  const isExcluding = at.excludePreparingDelete || cloneSet.spec.scaleStrategy?.excludePreparingDelete === true;
  const total = pods.length - (isExcluding ? preDeleting : 0);
  const totalOld = old.total - (isExcluding ? old.preDeleting : 0);
  const want = replicas + surge.useSurge;
  const wantOld = partition + surge.useSurgeOld;
  const scaleUp = Math.max(want - total, 0);
  const toDelete = updated.toDelete + old.toDelete;
  const scaleDown = Math.max(total - toDelete - want, 0);
  const updateNum = Math.abs(dOld) <= Math.abs(dNew) ? dOld : 0 - dNew;
  return {
    ...surge,
    scaleUp,
    scaleUpOld: scaleUp > 0 ? Math.max(wantOld - totalOld, 0) : 0,
    scaleUpLimit: Math.min(scaleUp, Math.max(scaleMaxUnavailableOf(cloneSet) - unavailable, 0)),
    scaleDown,
    scaleDownOld: scaleDown > 0 ? Math.max(totalOld - old.toDelete - wantOld, 0) : 0,
    deleteReadyLimit: toDelete > 0 || scaleDown > 0 ? Math.max(maxUnavailable + (pods.length - replicas) - unavailable, 0) : 0,
    updateNum,
    updateMaxUnavailable: updateNum === 0 ? 0 : maxUnavailable + pods.length - replicas,
  };
}
