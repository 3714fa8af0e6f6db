/** Which objects a change of Pods, revisions and nodes enqueues, the same for all workloads. */
import type { Lifecycle } from '@kruise/api';
import { distinctKeys, enqueueOwner, ownerKey, type StoreEvent, type StoreReader } from '@kruise/kube';
import {
  controllerOf,
  isNodeLost,
  isPodFinished,
  keyOf,
  type ControllerRevision,
  type KubeObject,
  type Node,
  type ObjectKey,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import { mayMatter, podsByNode } from '@kruise/workloads';

interface WithLifecycle extends KubeObject {
  readonly spec: { readonly lifecycle?: Lifecycle };
}

/** Whether this is an update of a Pod of ours that no rule looks at. @see spec/cloneset.md 5.9 */
export function isIgnorable<T extends WithLifecycle>(
  event: StoreEvent<Pod>,
  type: ResourceType<T>,
  { workloads, isScalingOn }: { readonly workloads: StoreReader<T>; readonly isScalingOn: boolean },
): boolean {
  const owner = ownerKey(event.object, type);
  if (event.kind !== 'Updated' || owner === undefined) return false;
  const lifecycle = workloads.get(owner)?.spec.lifecycle;
  return !mayMatter(event.previous, event.object, { lifecycle, isScalingOn });
}

/** The uid of the owner whose Pod no longer counts in quotas: it was deleted, or has ended. */
export function freesQuotaOf(event: StoreEvent<Pod>): string | undefined {
  const frees = event.kind === 'Deleted' || (event.kind === 'Updated' && isPodFinished(event.object) && !isPodFinished(event.previous));
  return frees ? controllerOf(event.object)?.uid : undefined;
}

interface WithRevision extends KubeObject {
  readonly status?: { readonly updateRevision?: string };
}

interface RevisionUsers<T extends WithRevision> {
  readonly workloads: StoreReader<T>;
  /** How the revision is written in `status.updateRevision`: by its name when absent. */
  readonly idOf?: (revision: ControllerRevision) => string;
}

const nameOf = ({ metadata }: ControllerRevision): string => metadata.name;

/** Owners of a revision that went, and those that use it without owning it. */
export function usersOfRevision<T extends WithRevision>(
  event: StoreEvent<ControllerRevision>,
  type: ResourceType<T>,
  { workloads, idOf = nameOf }: RevisionUsers<T>,
): readonly ObjectKey[] {
  if (event.kind !== 'Deleted') return [];
  const { namespace = '' } = event.object.metadata;
  const id = idOf(event.object);
  const users = workloads.list({ namespace }).filter(({ status }) => status?.updateRevision === id);
  return distinctKeys([...enqueueOwner(type)(event), ...users.map(keyOf)]);
}

/** A node that is lost, or is back, changes nothing in Pods that were not ready anyway: what they wait for changes all the same. */
export function ownersOnNode(event: StoreEvent<Node>, type: ResourceType, pods: StoreReader<Pod>): readonly ObjectKey[] {
  if (event.kind !== 'Updated' || isNodeLost(event.object) === isNodeLost(event.previous)) return [];
  return distinctKeys(pods.byIndex(podsByNode, event.object.metadata.name).flatMap((pod) => ownerKey(pod, type) ?? []));
}
