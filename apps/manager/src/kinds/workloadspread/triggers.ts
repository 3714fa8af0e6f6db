/** The objects that an event enqueues. Pure. @see spec/workloadspread.md 5.1 */
import type { WorkloadSpread } from '@kruise/api';
import type { Request, StoreEvent, StoreReader } from '@kruise/kube';
import {
  controllerOf,
  groupOf,
  isPodActive,
  keyOf,
  memberAt,
  milliseconds,
  type KubeObject,
  type ObjectKey,
  type Pod,
} from '@kruise/objects';
import {
  type GroupKind,
  type WhiteListReading,
  listedKind,
  byTarget,
  chosenFor,
  targetOfOwner,
  targetText,
  type Target,
} from '@kruise/workloads';
import { matchedOf, replicasAt, versionOfPod, type VersionedKinds } from '@kruise/kinds/workloadspread';

type Spreads = StoreReader<WorkloadSpread>;

/** Pods come in swarms, and admission writes while they do; one status answers those of this long. */
export const gathering = milliseconds(100);

/** What admission has written can wait; a spec cannot. */
export function requestsOfSpread(event: StoreEvent<WorkloadSpread>): readonly Request[] {
  const key = keyOf(event.object);
  const isSpecSame = event.kind === 'Updated' && event.previous.metadata.generation === event.object.metadata.generation;
  return isSpecSame ? [{ key, after: gathering }] : [key];
}

/** Pods without the annotation never enqueue an object. */
export function requestsOfPod(event: StoreEvent<Pod>, versioned: VersionedKinds): readonly Request[] {
  const { object } = event;
  const matched = matchedOf(object);
  if (matched === undefined) return [];
  if (event.kind === 'Updated') {
    const { previous } = event;
    const ends = isPodActive(previous) && !isPodActive(object);
    if (!ends && versionOfPod(previous, versioned) === versionOfPod(object, versioned)) return [];
  }
  return [{ key: { namespace: object.metadata.namespace ?? '', name: matched.name }, after: gathering }];
}

const spreadFor = (spreads: Spreads, target: Target, namespace: string): readonly ObjectKey[] => {
  const spread = chosenFor(spreads.byIndex(byTarget, targetText(target), { namespace }));
  return spread === undefined ? [] : [keyOf(spread)];
};

const at = (object: KubeObject, ...path: readonly string[]): unknown => memberAt(object, ...path);

const revision = 'deployment.kubernetes.io/revision';

/** Whether the workload's size, or what its new Pods are like, has changed. */
function isTelling(kind: GroupKind, previous: KubeObject, object: KubeObject): boolean {
  const [before, after] = [previous.metadata, object.metadata];
  const isResized = ['replicas', 'parallelism'].some((member) => at(previous, 'spec', member) !== at(object, 'spec', member));
  if (isResized || before.deletionTimestamp !== after.deletionTimestamp) return true;
  if (kind.kind === 'CloneSet') return at(object, 'status', 'updateRevision') !== at(previous, 'status', 'updateRevision');
  return kind.kind === 'Deployment' && before.annotations?.[revision] !== after.annotations?.[revision];
}

/** Immediately, because the controller must know the new size before the Pods are created. */
export function requestsOfWorkload(event: StoreEvent<KubeObject>, kind: GroupKind, spreads: Spreads): readonly Request[] {
  const { object } = event;
  if (event.kind === 'Updated' && !isTelling(kind, event.previous, object)) return [];
  const { namespace = '', name } = object.metadata;
  const owner = controllerOf(object);
  return [
    ...spreadFor(spreads, { ...kind, name }, namespace),
    ...(kind.kind === 'ReplicaSet' && owner !== undefined ? spreadFor(spreads, targetOfOwner(owner), namespace) : []),
  ];
}

const countAt = (object: KubeObject, path: string): number | undefined => {
  const count = replicasAt(object, path);
  return count.kind === 'Count' ? count.value : undefined;
};

/** A workload of a listed kind that is created or deleted, or whose number of Pods, at the listed path, has changed. */
export function requestsOfListed(event: StoreEvent<KubeObject>, reading: WhiteListReading, spreads: Spreads): readonly Request[] {
  const { apiVersion = '', kind = '', metadata } = event.object;
  const target = { group: groupOf(apiVersion), kind, name: metadata.name };
  const path = (reading.kind === 'Read' ? listedKind(reading.kinds, target)?.replicasPath : undefined) ?? '';
  const isSame = event.kind === 'Updated' && countAt(event.previous, path) === countAt(event.object, path);
  return isSame ? [] : spreadFor(spreads, target, metadata.namespace ?? '');
}
