/** The CloneSets that a change of other objects enqueues. @see spec/cloneset.md 5.1 */
import { cloneSets, type CloneSet } from '@kruise/api';
import { enqueueOwner, gatheringOf, type Request, type StoreEvent, type StoreReader } from '@kruise/kube';
import { controllerOf, deepEqual, keyOf, labelMatcherOf, type ObjectKey, type PersistentVolumeClaim, type Pod } from '@kruise/objects';

/** Old and new owner of a Pod or claim: a CloneSet that loses one is enqueued, too. */
const ownersOf = enqueueOwner(cloneSets);

function matches(cloneSet: CloneSet, pod: Pod): boolean {
  const parsed = labelMatcherOf(cloneSet.spec.selector);
  return parsed.kind === 'Matcher' && parsed.matcher.matches(pod.metadata.labels);
}

/** Orphans enqueue every CloneSet of their namespace whose selector matches, when they appear and when labels or owner change. */
function orphanKeys(event: StoreEvent<Pod>, sets: StoreReader<CloneSet>): readonly ObjectKey[] {
  const { object } = event;
  if (event.kind === 'Deleted' || controllerOf(object) !== undefined) return [];
  const isSame =
    event.kind === 'Updated' && event.previous.metadata.labels === object.metadata.labels && controllerOf(event.previous) === undefined;
  if (isSame) return [];
  const candidates = sets.list({ namespace: object.metadata.namespace ?? '' });
  return candidates.filter((cloneSet) => matches(cloneSet, object)).map(keyOf);
}

export const setsOfPod = (event: StoreEvent<Pod>, sets: StoreReader<CloneSet>): readonly ObjectKey[] => [
  ...ownersOf(event),
  ...orphanKeys(event, sets),
];

/**
 * The owners of a claim when a claim may be missing, or one too many. A claim that appears, or that a volume is bound to, enqueues no CloneSet: the event of a
 * claim that the CloneSet created itself must not end the wait after its Pod was refused.
 */
export function setsOfClaim(event: StoreEvent<PersistentVolumeClaim>): readonly ObjectKey[] {
  if (event.kind !== 'Updated') return event.kind === 'Deleted' ? ownersOf(event) : [];
  const [before, now] = [event.previous.metadata, event.object.metadata];
  const isChanged = before.deletionTimestamp !== now.deletionTimestamp || !deepEqual(before.ownerReferences, now.ownerReferences);
  return isChanged ? ownersOf(event) : [];
}

/** Pods change in swarms: one pass answers the events of a while. */
export const gathered = (keys: readonly ObjectKey[], sets: StoreReader<CloneSet>): readonly Request[] =>
  keys.map((key) => ({ key, after: gatheringOf(sets.get(key)?.spec.replicas ?? 1) }));
