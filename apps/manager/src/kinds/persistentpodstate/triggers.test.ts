import { describe, expect, it } from '@jest/globals';
import { persistentPodStates, type PersistentPodState } from '@kruise/api';
import { ObjectStore, type StoreEvent } from '@kruise/kube';
import { FakeClock, silentLogger } from '@kruise/kube/testing';
import { formatKey, type KubeObject, type Node, type Pod } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { byTarget } from '@kruise/workloads';
import { byRecordedNode } from '@kruise/kinds/persistentpodstate';
import {
  generateKey,
  generateTargetOf,
  requestsOfListed,
  requestsOfNode,
  requestsOfPod,
  requestsOfState,
  requestsOfWorkload,
} from './triggers.ts';
import { asking, aState, namespace } from './cluster.testing.ts';

const states = new ObjectStore<PersistentPodState>({
  type: persistentPodStates,
  clock: new FakeClock(),
  logger: silentLogger(),
  indexes: { [byTarget.name]: byTarget.valuesOf, [byRecordedNode.name]: byRecordedNode.valuesOf },
});
states.observe({
  ...aState(),
  metadata: { ...aState().metadata, uid: 'u', resourceVersion: '1' },
  status: { observedGeneration: 1, podStates: { 'db-0': { nodeName: 'n1' } } },
});

const named = (requests: readonly object[]): readonly string[] =>
  requests.map((request) =>
    formatKey('key' in request ? (request.key as { namespace: string; name: string }) : (request as { namespace: string; name: string })),
  );
const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'u', controller: true };
const pod = (shape: PodShape = {}): Pod => aPod({ name: 'db-0', owner, ...shape });
const updated = <T extends KubeObject>(previous: T, object: T): StoreEvent<T> => ({ kind: 'Updated', previous, object });
const mine = `${namespace}/mine`;

describe('a Pod', () => {
  it.each<{ name: string; event: StoreEvent<Pod>; then: readonly string[] }>([
    { name: 'that is created enqueues nothing', event: { kind: 'Added', object: pod({ ready: false }), initial: false }, then: [] },
    {
      name: 'that became ready before it was seen is recorded, as after a watch that was interrupted',
      event: { kind: 'Added', object: pod(), initial: false },
      then: [mine],
    },
    {
      name: 'that existed before enqueues nothing: all are processed then',
      event: { kind: 'Added', object: pod(), initial: true },
      then: [],
    },
    { name: 'that stays ready enqueues nothing', event: updated(pod(), pod()), then: [] },
    { name: 'that is no longer ready enqueues nothing', event: updated(pod(), pod({ ready: false })), then: [] },
    { name: 'of another namespace enqueues nothing', event: { kind: 'Deleted', object: pod({ namespace: 'elsewhere' }) }, then: [] },
    { name: 'that becomes ready is recorded', event: updated(pod({ ready: false }), pod()), then: [mine] },
    { name: 'that is being deleted may be forgotten', event: updated(pod(), pod({ terminating: true })), then: [mine] },
    { name: 'that is deleted may be forgotten', event: { kind: 'Deleted', object: pod() }, then: [mine] },
    {
      name: 'that gets other annotations while it is ready is recorded',
      event: updated(pod(), pod({ annotations: { a: 'b' } })),
      then: [mine],
    },
    {
      name: 'that gets other annotations while it is not ready enqueues nothing',
      event: updated(pod({ ready: false }), pod({ ready: false, annotations: { a: 'b' } })),
      then: [],
    },
    { name: 'that restarts enqueues nothing', event: updated(pod(), pod({ restarts: 3 })), then: [] },
    {
      name: 'of another workload enqueues nothing',
      event: { kind: 'Deleted', object: pod({ owner: { ...owner, name: 'web' } }) },
      then: [],
    },
    { name: 'without a controller enqueues nothing', event: { kind: 'Deleted', object: aPod() }, then: [] },
  ])('$name', ({ event, then }) => {
    expect(named(requestsOfPod(event, states))).toEqual(then);
  });
});

describe('a workload', () => {
  const kind = { group: 'apps', kind: 'StatefulSet' };
  const set = (annotations: object = {}, metadata: object = {}): KubeObject =>
    ({ metadata: { name: 'db', namespace, annotations, ...metadata } }) as KubeObject;
  const generate = `${namespace}/generate#apps#StatefulSet#db`;

  it.each<{ name: string; event: StoreEvent<KubeObject>; then: readonly string[] }>([
    { name: 'that asks is answered', event: { kind: 'Added', object: set(asking), initial: true }, then: [generate] },
    { name: 'that does not ask is not', event: { kind: 'Added', object: set(), initial: true }, then: [] },
    { name: 'that requests one again is processed', event: updated(set(asking), set({})), then: [generate] },
    { name: 'that is scaled is not', event: updated(set(asking), set(asking)), then: [] },
    { name: 'that is being deleted is forgotten', event: updated(set(), set({}, { deletionTimestamp: 'x' })), then: [mine] },
    { name: 'that is deleted is forgotten', event: { kind: 'Deleted', object: set() }, then: [mine] },
    {
      name: 'that is already being deleted is forgotten once',
      event: updated(set({}, { deletionTimestamp: 'x' }), set({}, { deletionTimestamp: 'x' })),
      then: [],
    },
    {
      name: 'that is being deleted and no longer requests one is processed and forgotten',
      event: updated(set(asking), set({}, { deletionTimestamp: 'x' })),
      then: [generate, mine],
    },
    { name: 'of another namespace is not the one', event: { kind: 'Deleted', object: set({}, { namespace: 'elsewhere' }) }, then: [] },
  ])('$name', ({ event, then }) => {
    expect(named(requestsOfWorkload(event, kind, states))).toEqual(then);
  });
});

describe('a PersistentPodState', () => {
  const generated = aState({}, { name: 'db', ownerReferences: [owner] });
  const generate = `${namespace}/generate#apps#StatefulSet#db`;

  it('enqueues itself, and its workload when it is first seen or deleted', () => {
    const events: readonly StoreEvent<PersistentPodState>[] = [
      updated(aState(), aState()),
      updated(generated, generated),
      { kind: 'Added', object: aState(), initial: true },
      { kind: 'Added', object: generated, initial: true },
      { kind: 'Deleted', object: aState() },
    ];
    expect(events.map((event) => named(requestsOfState(event)))).toEqual([
      [mine],
      [`${namespace}/db`],
      [mine],
      [`${namespace}/db`, generate],
      [generate],
    ]);
  });
});

describe('an object of a listed kind', () => {
  it('says itself what it is', () => {
    const game = { apiVersion: 'game.example.com/v1', kind: 'GameSet', metadata: { name: 'db', namespace, annotations: asking } };
    expect(named(requestsOfListed({ kind: 'Added', object: game, initial: true }, states))).toEqual([
      `${namespace}/generate#game.example.com#GameSet#db`,
    ]);
    const builtIn = { ...game, apiVersion: 'apps/v1', kind: 'StatefulSet' };
    expect(named(requestsOfListed({ kind: 'Deleted', object: builtIn }, states))).toEqual([mine]);
  });
});

describe('a node', () => {
  const node = (name: string): Node => ({ metadata: { name } });
  it('that is deleted enqueues those that remember it', () => {
    expect(named(requestsOfNode({ kind: 'Deleted', object: node('n1') }, states))).toEqual([mine]);
    expect(requestsOfNode({ kind: 'Deleted', object: node('n2') }, states)).toEqual([]);
  });

  it('that changes or is added enqueues none', () => {
    expect(requestsOfNode(updated(node('n1'), node('n1')), states)).toEqual([]);
    expect(requestsOfNode({ kind: 'Added', object: node('n1'), initial: false }, states)).toEqual([]);
  });
});

describe('the key of a request to generate', () => {
  it('names the workload, and no other key does', () => {
    const target = { group: 'apps.kruise.io', kind: 'StatefulSet', name: 'db' };
    expect(generateTargetOf(generateKey(namespace, target))).toEqual(target);
    for (const name of ['generate', 'generate#apps', 'generate#apps#StatefulSet'])
      expect(generateTargetOf({ namespace, name })).toBeUndefined();
  });
});
