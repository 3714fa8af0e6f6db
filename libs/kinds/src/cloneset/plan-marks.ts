/**
 * Marks by which Pods are deleted and replaced, as far as an update set them: one that the template was rolled back from is withdrawn, or it would kill a
 * Pod that is of the wanted revision.
 * @see spec/cloneset.md 5.7 step 7
 */
import { annotations, labels, type CloneSet } from '@kruise/api';
import { memoizedList, type Pod } from '@kruise/objects';
import type { Action } from './pods/action.ts';
import { isOf } from './pods/pod-facts.ts';
import type { Context } from './snapshot/snapshot.ts';

export interface Marks {
  /** The Pods without their outdated marks, in the order given. */
  readonly pods: readonly Pod[];
  readonly actions: readonly Action[];
}

/** Returns the metadata to merge into a Pod that is recreated for a revision. */
export const deletionMark = (revision: string): object => ({
  labels: { [labels.specifiedDelete]: 'true' },
  annotations: { [annotations.specifiedDeleteFor]: revision },
});

/** The metadata to merge into a Pod whose mark is withdrawn. */
export const noDeletionMark = { labels: { [labels.specifiedDelete]: null }, annotations: { [annotations.specifiedDeleteFor]: null } };

/** The revision that an update marked the Pod for; undefined for a mark that a user set. */
const markedFor = ({ metadata }: Pod): string | undefined =>
  metadata.labels?.[labels.specifiedDelete] === undefined ? undefined : metadata.annotations?.[annotations.specifiedDeleteFor];

function withoutMark(pod: Pod): Pod {
  const { [labels.specifiedDelete]: _label, ...carried } = pod.metadata.labels ?? {};
  const { [annotations.specifiedDeleteFor]: _for, ...noted } = pod.metadata.annotations ?? {};
  return { ...pod, metadata: { ...pod.metadata, labels: carried, annotations: noted } };
}

const marksOf = memoizedList(markedFor);

/** @param names current and update revision */
export function withdrawMarks(
  { metadata }: CloneSet,
  pods: readonly Pod[],
  { updateRevision, currentRevision }: { readonly updateRevision: string; readonly currentRevision: string },
  context: Context,
): Marks {
  // With the gate a Pod of the update revision may have to go back to the current one.
  const wanted = [updateRevision, ...(context.gates.CloneSetPartitionRollback ? [currentRevision] : [])];
  const revisions = marksOf(metadata, pods);
  const isOutdated = (pod: Pod, index: number): boolean => {
    const revision = revisions[index];
    return revision !== undefined && !wanted.includes(revision) && isOf(context, pod, updateRevision);
  };
  const outdated = new Set(pods.filter(isOutdated));
  if (outdated.size === 0) return { pods, actions: [] };
  return {
    pods: pods.map((pod) => (outdated.has(pod) ? withoutMark(pod) : pod)),
    actions: [...outdated].map((pod) => ({
      kind: 'UnmarkPod',
      pod,
      because: `it was marked to be recreated for ${markedFor(pod) ?? ''}, but already has revision ${updateRevision}`,
    })),
  };
}
