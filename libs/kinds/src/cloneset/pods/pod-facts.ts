/** What the rules of a CloneSet ask about one Pod beyond what all workloads ask. */
import { cloneSetLabels, type CloneSet } from '@kruise/api';
import { hasText, type Pod } from '@kruise/objects';
import { cloneSetRevisions, isOfRevision, type RevisionAdapter } from '@kruise/pods';
import { isAvailable as isAvailableIn, podViewOf } from '@kruise/workloads';
import type { Context } from '../snapshot/snapshot.ts';
import { minReadySecondsOf } from '../snapshot/strategy.ts';

export const adapterOf = ({ gates }: { readonly gates: Pick<Context['gates'], 'CloneSetShortHash'> }): RevisionAdapter =>
  cloneSetRevisions(gates.CloneSetShortHash);

/** To be deleted and replaced, by label or by `podsToDelete`. */
export const isSpecifiedDelete = (cloneSet: CloneSet, pod: Pod): boolean =>
  podViewOf(pod).isMarkedForDeletion || hasText(cloneSet.spec.scaleStrategy?.podsToDelete, pod.metadata.name);

/** Available as `minReadySeconds` and the lifecycle say. */
export const isAvailable = (cloneSet: CloneSet, pod: Pod, { now }: Pick<Context, 'now'>): boolean =>
  isAvailableIn(pod, { minReadySeconds: minReadySecondsOf(cloneSet), now });

/** Whether the Pod is of the revision with this name, in either label form. */
export const isOf = (context: Parameters<typeof adapterOf>[0], pod: Pod, revisionName: string): boolean =>
  isOfRevision(adapterOf(context), pod, revisionName);

/** Updated in the eyes of scaling: gate PreparingUpdateAsUpdate counts those that wait for their hook, too. */
export const isUpdatedForScaling = (context: Context, pod: Pod, revisionName: string): boolean =>
  isOf(context, pod, revisionName) || (context.gates.PreparingUpdateAsUpdate && podViewOf(pod).state === 'PreparingUpdate');

export const instanceIdOf = (object: { readonly metadata: Pod['metadata'] }): string =>
  object.metadata.labels?.[cloneSetLabels.instanceId] ?? '';
