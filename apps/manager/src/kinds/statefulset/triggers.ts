/** The StatefulSets that a change of other objects enqueues. @see spec/statefulset.md 5.1 */
import { parsePodOrdinal, statefulSetAnnotations, statefulSets, type StatefulSet } from '@kruise/api';
import { distinctKeys, enqueueOwner, gatheringOf, type Request, type StoreEvent, type StoreReader } from '@kruise/kube';
import { controllerOf, deepEqual, keyOf, labelMatcherOf, type ObjectKey, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import { claimTemplatesOf, isMonotonic, replicasOf } from '@kruise/kinds/statefulset';

type Sets = StoreReader<StatefulSet>;

/** Old and new owner, so that a StatefulSet hears of what it lost. */
const ownersOf = enqueueOwner(statefulSets);

/** An orphan enqueues the StatefulSet that its name and labels are those of a member of, when it appears and when labels or owner change. */
function parentOf(event: StoreEvent<Pod>, sets: Sets): readonly ObjectKey[] {
  const { object } = event;
  if (event.kind === 'Deleted' || controllerOf(object) !== undefined) return [];
  const parent = parsePodOrdinal(object.metadata.name)?.parent;
  const set = parent === undefined ? undefined : sets.get({ namespace: object.metadata.namespace ?? '', name: parent });
  if (set === undefined) return [];
  const parsed = labelMatcherOf(set.spec.selector);
  return parsed.kind === 'Matcher' && parsed.matcher.matches(object.metadata.labels) ? [keyOf(set)] : [];
}

/** The deletion of a Pod with any controller frees its name for a Pod that waits for it. */
function waitingForName(event: StoreEvent<Pod>, sets: Sets): readonly ObjectKey[] {
  if (event.kind !== 'Deleted') return [];
  const { name, namespace = '' } = event.object.metadata;
  const parent = parsePodOrdinal(name)?.parent;
  const set = parent === undefined ? undefined : sets.get({ namespace, name: parent });
  return set === undefined ? [] : [keyOf(set)];
}

export const setsOfPod = (event: StoreEvent<Pod>, sets: Sets): readonly ObjectKey[] =>
  distinctKeys([...ownersOf(event), ...parentOf(event, sets), ...waitingForName(event, sets)]);

/** The sets whose templates give the claim its name: the name alone does not show where the name of the template ends. */
function setsByName({ metadata: { name, namespace = '' } }: PersistentVolumeClaim, sets: Sets): readonly ObjectKey[] {
  const parent = parsePodOrdinal(name)?.parent;
  if (parent === undefined) return [];
  const isOf = (set: StatefulSet): boolean =>
    claimTemplatesOf(set).some((template) => parent === `${template.metadata.name}-${set.metadata.name}`);
  return sets.list({ namespace }).filter(isOf).map(keyOf);
}

const factsOf = ({ metadata, spec, status }: PersistentVolumeClaim): unknown => [
  metadata.deletionTimestamp,
  metadata.ownerReferences,
  spec?.resources,
  status?.capacity,
  status?.conditions,
];

/** Claims that went, that changed their size or owners, and those that the StatefulSet resized. */
export function setsOfClaim(event: StoreEvent<PersistentVolumeClaim>, sets: Sets): readonly ObjectKey[] {
  const { object } = event;
  if (event.kind === 'Added') return [];
  if (event.kind === 'Updated' && deepEqual(factsOf(event.previous), factsOf(object))) return [];
  const { namespace = '', annotations } = object.metadata;
  const owner = annotations?.[statefulSetAnnotations.ownedBy];
  return distinctKeys([...(owner === undefined ? [] : [{ namespace, name: owner }]), ...setsByName(object, sets)]);
}

/** Changes of Pods come in swarms where many start at once: one pass answers those of a while. Where Pods come one by one each is awaited. */
export const gathered = (keys: readonly ObjectKey[], sets: Sets): readonly Request[] =>
  keys.map((key) => {
    const set = sets.get(key);
    return set === undefined || isMonotonic(set) ? key : { key, after: gatheringOf(replicasOf(set)) };
  });
