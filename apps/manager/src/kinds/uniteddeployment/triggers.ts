/** The UnitedDeployments that a change of other objects enqueues. Pure. @see spec/uniteddeployment.md 5.1 */
import { unitedDeploymentLabels, unitedDeployments, type UnitedDeployment } from '@kruise/api';
import { distinctKeys, enqueueOwner, gatheringOf, ownerKey, type Request, type StoreEvent, type StoreReader } from '@kruise/kube';
import {
  controllerOf,
  deepEqual,
  groupOf,
  isPodActive,
  isPodReady,
  keyOf,
  labelMatcherOrNothing,
  podCondition,
  refersToKind,
  type ObjectKey,
  type OwnerReference,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import { deployments, type BuiltInWorkload } from '@kruise/workloads';
import { type ChildObject, subsetOf, revisionOf } from '@kruise/kinds/uniteddeployment';

type United = StoreReader<UnitedDeployment>;

/** Where owners of Pods are looked up; undefined for a kind that is not held. */
export type StoreOf = (type: Pick<ResourceType, 'group' | 'kind'>) => StoreReader<BuiltInWorkload> | undefined;

/** Old and new owner, so that a UnitedDeployment hears of what it lost. */
const ownersOf = enqueueOwner(unitedDeployments);

/** An orphan with a subset enqueues those that select it, when it appears and when labels or owner change. */
function thoseThatSelect(event: StoreEvent<ChildObject>, united: United): readonly ObjectKey[] {
  const { object } = event;
  const { labels, namespace = '', ownerReferences } = object.metadata;
  if (event.kind === 'Deleted' || controllerOf(object) !== undefined || subsetOf(object) === '') return [];
  if (event.kind === 'Updated') {
    const { metadata } = event.previous;
    if (deepEqual(metadata.labels, labels) && deepEqual(metadata.ownerReferences, ownerReferences)) return [];
  }
  return united
    .list({ namespace })
    .filter(({ spec }) => labelMatcherOrNothing(spec.selector).matches(labels))
    .map(keyOf);
}

export const keysForChild = (event: StoreEvent<ChildObject>, united: United): readonly ObjectKey[] =>
  distinctKeys([...ownersOf(event), ...thoseThatSelect(event, united)]);

/** What of a Pod is counted or waited for, in one text. */
const roleOf = (pod: Pod): string =>
  JSON.stringify([
    isPodActive(pod),
    isPodReady(pod),
    podCondition(pod, 'Ready')?.lastTransitionTime,
    podCondition(pod, 'PodScheduled')?.status,
    podCondition(pod, 'PodScheduled')?.reason,
    pod.spec.nodeName ?? '',
    pod.status?.phase,
    revisionOf(pod),
    pod.metadata.labels?.[unitedDeploymentLabels.reservedPod],
  ]);

const find = (owner: OwnerReference | undefined, namespace: string, storeOf: StoreOf): BuiltInWorkload | undefined =>
  owner === undefined ? undefined : storeOf({ group: groupOf(owner.apiVersion), kind: owner.kind })?.get({ namespace, name: owner.name });

const keysOf = (child: ChildObject | undefined): readonly ObjectKey[] => {
  const key = child === undefined ? undefined : ownerKey(child, unitedDeployments);
  return key === undefined ? [] : [key];
};

/** Pods of children all carry the name of their subset: others are passed over at a look. A Deployment controls its Pods through ReplicaSets. */
export function keysForPod(event: StoreEvent<Pod>, storeOf: StoreOf): readonly ObjectKey[] {
  const { object } = event;
  const { labels, namespace = '' } = object.metadata;
  if (labels?.[unitedDeploymentLabels.subsetName] === undefined) return [];
  if (event.kind === 'Updated' && roleOf(event.previous) === roleOf(object)) return [];
  const first = find(controllerOf(object), namespace, storeOf);
  const above = first === undefined ? undefined : controllerOf(first);
  return keysOf(above !== undefined && refersToKind(above, deployments) ? find(above, namespace, storeOf) : first);
}

/** A ReplicaSet that is deleted, or that appears after its Pods. */
export function keysForReplicaSet(event: StoreEvent<BuiltInWorkload>, storeOf: StoreOf): readonly ObjectKey[] {
  const { object } = event;
  return event.kind === 'Updated' ? [] : keysOf(find(controllerOf(object), object.metadata.namespace ?? '', storeOf));
}

/** Changes of children and Pods come in swarms: one pass answers those of a while. */
export const gathered = (keys: readonly ObjectKey[], united: United): readonly Request[] =>
  keys.map((key) => ({ key, after: gatheringOf(united.get(key)?.status?.replicas ?? 1) }));
