/** What the rules ask about one Pod of a CloneSet. */
import { labels, type CloneSet } from '@kruise/api';
import { isPodActive, podCondition, type Pod } from '@kruise/objects';
import { cloneSetRevisions, isOfRevision, isPodUpdateAvailable, lifecycleStateOf, type RevisionAdapter } from '@kruise/pods';
import type { Context } from './snapshot.ts';
import { minReadySecondsOf } from './strategy.ts';

export const adapterOf = ({ gates }: Pick<Context, 'gates'>): RevisionAdapter => cloneSetRevisions(gates.CloneSetShortHash);

/** To be deleted and replaced, by label or by `podsToDelete`. */
export const isSpecifiedDelete = (cloneSet: CloneSet, pod: Pod): boolean =>
  pod.metadata.labels?.[labels.specifiedDelete] !== undefined ||
  (cloneSet.spec.scaleStrategy?.podsToDelete ?? []).includes(pod.metadata.name);

export const isPreparingDelete = (pod: Pod): boolean => lifecycleStateOf(pod) === 'PreparingDelete';

/** Available as `minReadySeconds` and the lifecycle say. */
export function isAvailable(cloneSet: CloneSet, pod: Pod, context: Context): boolean {
  const known = context.knownAvailability?.get(pod);
  if (known !== undefined) return known;
  const available = isPodUpdateAvailable(pod, minReadySecondsOf(cloneSet), context.now);
  context.knownAvailability?.set(pod, available);
  return available;
}

/** Ready as scaling in and status mean it: available without regard to `minReadySeconds`. */
export const isReadyNow = (pod: Pod, context: Context): boolean => isPodUpdateAvailable(pod, 0, context.now);

/** Neither finished nor terminating. */
export const activePods = (pods: readonly Pod[]): readonly Pod[] => pods.filter(isPodActive);

/** Whether the Pod is of the revision with this name, in either label form. */
export const isOf = (context: Pick<Context, 'gates'>, pod: Pod, revisionName: string): boolean =>
  isOfRevision(adapterOf(context), pod, revisionName);

/** Updated in the eyes of scaling: gate PreparingUpdateAsUpdate counts those that wait for their hook, too. */
export const isUpdatedForScaling = (context: Context, pod: Pod, revisionName: string): boolean =>
  isOf(context, pod, revisionName) || (context.gates.PreparingUpdateAsUpdate && lifecycleStateOf(pod) === 'PreparingUpdate');

export const instanceIdOf = (object: { readonly metadata: Pod['metadata'] }): string =>
  object.metadata.labels?.[labels.cloneSetInstanceId] ?? '';

/** Since when the Pod is Ready, as written by the kubelet. */
export const readySince = (pod: Pod): string | undefined => podCondition(pod, 'Ready')?.lastTransitionTime;
