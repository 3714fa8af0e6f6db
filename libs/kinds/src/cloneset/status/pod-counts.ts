/** Counts the Pods of a CloneSet once a pass: its numbers, its status and its scaling read the same record. */
import type { CloneSet } from '@kruise/api';
import { hasText, memoizedList, memoizedWith, type Pod } from '@kruise/objects';
import { isViewAvailable, podViewsOf, type PodView } from '@kruise/workloads';
import { isOf } from '../pods/pod-facts.ts';
import type { Context } from '../snapshot/snapshot.ts';
import { minReadySecondsOf } from '../snapshot/strategy.ts';

/** The Pods of one side of a rollout, all in Pods. */
export interface Side {
  readonly total: number;
  readonly ready: number;
  readonly available: number;
  /** Wait for their preDelete hook. */
  readonly preDeleting: number;
  /** All others. */
  readonly active: number;
  /** Of the active ones, those to be deleted and replaced, by label or by `podsToDelete`. */
  readonly toDelete: number;
  /** Of the active ones that are not to be deleted. */
  readonly unavailable: number;
}

/** Both sides of a rollout. */
export interface PodCounts {
  /** Of the update revision. */
  readonly updated: Side;
  /** Of all other revisions. */
  readonly old: Side;
  /** Of both, those with the label that requests their deletion and replacement. */
  readonly marked: number;
}

/** What the counts depend on besides the Pods. */
interface Counting {
  readonly cloneSet: CloneSet;
  readonly updateRevision: string;
  readonly now: Context['now'];
  readonly useShortHash: boolean;
  /** Whether Pods that wait for their hook before the update count as updated. */
  readonly isPreparingUpdated: boolean;
}

type Counter = { -readonly [name in keyof Side]: number };

const none = (): Counter => ({ total: 0, ready: 0, available: 0, preDeleting: 0, active: 0, toDelete: 0, unavailable: 0 });

function add(side: Counter, { state, isServing }: PodView, isAvailable: boolean, isToDelete: boolean): void {
  side.total++;
  if (isServing) side.ready++;
  if (isAvailable) side.available++;
  if (state === 'PreparingDelete') {
    side.preDeleting++;
    return;
  }
  side.active++;
  if (isToDelete) side.toDelete++;
  else if (!isAvailable) side.unavailable++;
}

const areOf = memoizedList((pod: Pod, revision: string, useShortHash: boolean): boolean =>
  isOf({ gates: { CloneSetShortHash: useShortHash } }, pod, revision),
);

function count(pods: readonly Pod[], { cloneSet, updateRevision, now, useShortHash, isPreparingUpdated }: Counting): PodCounts {
  const { metadata, spec } = cloneSet;
  const views = podViewsOf(metadata, pods);
  const areUpdated = areOf(metadata, pods, updateRevision, useShortHash);
  const listed = spec.scaleStrategy?.podsToDelete ?? [];
  const limit = { minReadySeconds: minReadySecondsOf(cloneSet), now };
  const [updated, old] = [none(), none()];
  let marked = 0;
  for (let index = 0; index < views.length; index++) {
    const view = views[index]!;
    if (view.isMarkedForDeletion) marked++;
    const isUpdated = areUpdated[index] === true || (isPreparingUpdated && view.state === 'PreparingUpdate');
    const isToDelete = view.isMarkedForDeletion || (listed.length > 0 && hasText(listed, pods[index]?.metadata.name ?? ''));
    add(isUpdated ? updated : old, view, isViewAvailable(view, limit), isToDelete);
  }
  return { updated, old, marked };
}

const counted = memoizedWith<readonly Pod[], Counting, Counting, PodCounts>(count, {
  inputsOf: (counting) => counting,
  hasInputs: (a, b) =>
    a.cloneSet === b.cloneSet &&
    a.updateRevision === b.updateRevision &&
    a.now === b.now &&
    a.useShortHash === b.useShortHash &&
    a.isPreparingUpdated === b.isPreparingUpdated,
  isKept: () => true,
});

/**
 * Returns the counts of a list of Pods, which is counted once for equal arguments.
 *
 * @param pods the active Pods that are claimed, any order; a list that is never changed
 * @param purpose in `Scale` gate PreparingUpdateAsUpdate counts Pods in PreparingUpdate as updated
 */
export const countPods = (
  pods: readonly Pod[],
  { cloneSet, updateRevision }: Pick<Counting, 'cloneSet' | 'updateRevision'>,
  { now, gates }: Pick<Context, 'now' | 'gates'>,
  purpose: 'Scale' | 'Update',
): PodCounts =>
  counted(pods, {
    cloneSet,
    updateRevision,
    now,
    useShortHash: gates.CloneSetShortHash,
    isPreparingUpdated: purpose === 'Scale' && gates.PreparingUpdateAsUpdate,
  });
