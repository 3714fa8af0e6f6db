/** The objects that a change of a Pod enqueues, and when. @see spec/sidecarset.md 5.5 */
import { podConditions, type SidecarSet } from '@kruise/api';
import type { Request, StoreEvent, StoreReader } from '@kruise/kube';
import { deepEqual, isPodReady, keyOf, milliseconds, podCondition, seconds, type Pod } from '@kruise/objects';
import { hasAllSidecars, injectedSetsOf, isNotUpdate, viewOf } from '@kruise/kinds/sidecarset';

/** Changes of Pods come in swarms; one pass answers those of this long. */
const gathering = milliseconds(100);

/**
 * A SidecarSet that updates nothing has only its status to look after; clients count on that it does not follow the Pods at once.
 */
const lazily = seconds(60);

const imagesOf = ({ spec }: Pod): readonly (string | undefined)[] => spec.containers.map(({ image }) => image);

/** Belated news of an own write may contradict what passes since have decided. */
const upgradableOf = (pod: Pod): unknown => podCondition(pod, podConditions.sidecarSetUpgradable)?.message;

/** Whether a plan could come out differently; kubelets write much more than that. */
function isRelevant(before: Pod, after: Pod): boolean {
  const [held, next] = [before.metadata, after.metadata];
  return !(
    held.deletionTimestamp === next.deletionTimestamp &&
    before.status?.phase === after.status?.phase &&
    isPodReady(before) === isPodReady(after) &&
    upgradableOf(before) === upgradableOf(after) &&
    deepEqual(held.labels, next.labels) &&
    deepEqual(held.annotations, next.annotations) &&
    deepEqual(before.status?.containerStatuses, after.status?.containerStatuses) &&
    deepEqual(imagesOf(before), imagesOf(after))
  );
}

const delayOf = (event: StoreEvent<Pod>, sidecarSet: SidecarSet): typeof gathering =>
  event.kind === 'Updated' && isNotUpdate(sidecarSet) ? lazily : gathering;

/** The SidecarSets that were injected into the Pod, now or before, and whose sidecars it has. */
export function requestsOfPod(event: StoreEvent<Pod>, sidecarSets: StoreReader<SidecarSet>): readonly Request[] {
  if (event.kind === 'Updated' && !isRelevant(event.previous, event.object)) return [];
  const states = event.kind === 'Updated' ? [event.object, event.previous] : [event.object];
  const names = new Set(states.flatMap(injectedSetsOf));
  return [...names].flatMap((name): readonly Request[] => {
    const sidecarSet = sidecarSets.get({ namespace: '', name });
    if (sidecarSet === undefined) return [];
    const view = viewOf(sidecarSet);
    return states.some((pod) => hasAllSidecars(pod, view)) ? [{ key: keyOf(sidecarSet), after: delayOf(event, sidecarSet) }] : [];
  });
}

/** Only what users change counts: our own status writes come back, too. */
export const requestsOfSidecarSet = (event: StoreEvent<SidecarSet>): readonly Request[] => {
  const { metadata } = event.object;
  const isSame =
    event.kind === 'Updated' &&
    event.previous.metadata.generation === metadata.generation &&
    event.previous.metadata.uid === metadata.uid &&
    event.previous.metadata.deletionTimestamp === metadata.deletionTimestamp;
  return isSame ? [] : [keyOf(event.object)];
};
