import { describe, expect, it } from '@jest/globals';
import { cloneSets, unitedDeploymentLabels as labels, unitedDeployments } from '@kruise/api';
import { storeOf } from '@kruise/kube/testing';
import { newControllerRef, type KubeObject, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { deployments, replicaSets } from '@kruise/workloads';
import { aUnited } from '@kruise/kinds/uniteddeployment/testing';
import { gathered, keysForChild, keysForPod, keysForReplicaSet, type StoreOf } from './triggers.ts';

const namespace = 'default';
const united = aUnited({ status: { currentRevision: 'r', replicas: 5_000, updatedReplicas: 0 } });
const store = storeOf(unitedDeployments, [united]);
const web = { namespace, name: 'web' };
const owned = (name: string, uid: string, over: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  metadata: {
    namespace,
    name,
    uid,
    labels: { app: 'web', [labels.subsetName]: 'a' },
    ownerReferences: [newControllerRef(united, unitedDeployments)],
    ...over,
  },
});
const cloneSet = owned('web-a', 'c');
const deployment = owned('web-b', 'd');
const replicaSet: KubeObject = {
  metadata: { namespace, name: 'web-b-1', uid: 'rs', ownerReferences: [newControllerRef(deployment, deployments)] },
};
const stores = [
  storeOf(cloneSets as never, [cloneSet] as never),
  storeOf(deployments, [deployment]),
  storeOf(replicaSets, [replicaSet]),
] as unknown as readonly ReturnType<StoreOf>[];
const held: StoreOf = ({ group, kind }) => stores.find((one) => one?.type.group === group && one.type.kind === kind);
const added = <T extends KubeObject>(object: T) => ({ kind: 'Added', object, initial: false }) as const;
const updated = <T extends KubeObject>(previous: T, object: T) => ({ kind: 'Updated', previous, object }) as const;

describe('a child', () => {
  it('enqueues its UnitedDeployment, and the former one', () => {
    expect(keysForChild(added(cloneSet), store)).toEqual([web]);
    expect(keysForChild(updated(cloneSet, owned('web-a', 'c', { ownerReferences: [] })), store)).toEqual([web]);
    expect(keysForChild({ kind: 'Deleted', object: cloneSet }, store)).toEqual([web]);
  });

  it('without an owner enqueues those that select it, when it appears and when that changes', () => {
    const orphan = owned('orphan', 'o', { ownerReferences: [] });
    const unnamed = owned('orphan', 'o', { ownerReferences: [], labels: { app: 'web' } });
    const other = owned('orphan', 'o', { ownerReferences: [], labels: { app: 'other', [labels.subsetName]: 'a' } });
    expect(keysForChild(added(orphan), store)).toEqual([web]);
    expect(keysForChild(added(unnamed), store)).toEqual([]);
    expect(keysForChild(added(other), store)).toEqual([]);
    expect(keysForChild(updated(orphan, orphan), store)).toEqual([]);
    expect(keysForChild(updated(other, orphan), store)).toEqual([web]);
    expect(keysForChild({ kind: 'Deleted', object: orphan }, store)).toEqual([]);
  });
});

describe('a Pod', () => {
  const podOf = (owner: KubeObject, type: Parameters<typeof newControllerRef>[1], named = true): Pod =>
    aPod({ name: 'p', owner: newControllerRef(owner, type), labels: named ? { [labels.subsetName]: 'a' } : {} });
  it.each([
    { name: 'of a CloneSet', pod: podOf(cloneSet, cloneSets), then: [web] },
    { name: 'of a ReplicaSet of a Deployment', pod: podOf(replicaSet, replicaSets), then: [web] },
    { name: 'without a subset', pod: podOf(cloneSet, cloneSets, false), then: [] },
    { name: 'of one that is not held', pod: podOf({ metadata: { namespace, name: 'gone', uid: 'g' } }, cloneSets), then: [] },
    { name: 'without a controller', pod: aPod({ labels: { [labels.subsetName]: 'a' } }), then: [] },
  ])('$name', ({ pod, then }) => {
    expect(keysForPod(added(pod), held)).toEqual(then);
  });

  it('enqueues none for a change that no rule reads', () => {
    const pod = podOf(cloneSet, cloneSets);
    expect(keysForPod(updated(pod, { ...pod, metadata: { ...pod.metadata, annotations: { a: 'b' } } }), held)).toEqual([]);
    const changes: readonly Pod[] = [
      { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [labels.revision]: 'x' } } },
      { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [labels.reservedPod]: 'true' } } },
      { ...pod, spec: { ...pod.spec, nodeName: 'other' } },
      { ...pod, status: { ...pod.status, conditions: [] } },
      { ...pod, status: { ...pod.status, phase: 'Pending' } },
      {
        ...pod,
        status: {
          ...pod.status,
          conditions: [...(pod.status?.conditions ?? []), { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
        },
      },
    ];
    for (const change of changes) expect(keysForPod(updated(pod, change), held)).toEqual([web]);
  });
});

it('a ReplicaSet enqueues when it is created and deleted', () => {
  expect(keysForReplicaSet(added(replicaSet), held)).toEqual([web]);
  expect(keysForReplicaSet(updated(replicaSet, replicaSet), held)).toEqual([]);
  expect(keysForReplicaSet(added({ metadata: { namespace, name: 'x' } }), held)).toEqual([]);
});

it('changes of a while are answered by one pass, the longer the more Pods there are', () => {
  expect(gathered([web, { namespace, name: 'gone' }], store)).toEqual([
    { key: web, after: 200 },
    { key: { namespace, name: 'gone' }, after: 20 },
  ]);
});
