import { describe, expect, it } from '@jest/globals';
import { persistentPodStates, type PersistentPodState } from '@kruise/api';
import { ObjectStore, type StoreEvent } from '@kruise/kube';
import { FakeClock, silentLogger } from '@kruise/kube/testing';
import { formatKey, type KubeObject, type Pod } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { byTarget } from './target.ts';
import { generateKey, generateTargetOf, requestsOfPod, requestsOfState, requestsOfWorkload } from './triggers.ts';
import { asking, aState, namespace } from './world.testing.ts';

const states = new ObjectStore<PersistentPodState>({
  type: persistentPodStates,
  clock: new FakeClock(),
  logger: silentLogger(),
  indexes: { [byTarget.name]: byTarget.valuesOf },
});
states.observe({ ...aState(), metadata: { ...aState().metadata, uid: 'u', resourceVersion: '1' } });

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
    { name: 'that is created tells nothing', event: { kind: 'Added', object: pod(), initial: false }, then: [] },
    { name: 'that becomes ready is recorded', event: updated(pod({ ready: false }), pod()), then: [mine] },
    { name: 'that goes may be forgotten', event: updated(pod(), pod({ terminating: true })), then: [mine] },
    { name: 'that is gone may be forgotten', event: { kind: 'Deleted', object: pod() }, then: [mine] },
    { name: 'that is annotated anew while it is ready is recorded', event: updated(pod(), pod({ annotations: { a: 'b' } })), then: [mine] },
    {
      name: 'that is annotated anew while it is not ready tells nothing',
      event: updated(pod({ ready: false }), pod({ ready: false, annotations: { a: 'b' } })),
      then: [],
    },
    { name: 'that restarts tells nothing', event: updated(pod(), pod({ restarts: 3 })), then: [] },
    { name: 'of another workload tells nothing', event: { kind: 'Deleted', object: pod({ owner: { ...owner, name: 'web' } }) }, then: [] },
    { name: 'of nobody tells nothing', event: { kind: 'Deleted', object: aPod() }, then: [] },
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
    { name: 'that asks anew is answered', event: updated(set(asking), set({})), then: [generate] },
    { name: 'that is scaled is not', event: updated(set(asking), set(asking)), then: [] },
    { name: 'that goes is forgotten', event: updated(set(), set({}, { deletionTimestamp: 'x' })), then: [mine] },
    { name: 'that is gone is forgotten', event: { kind: 'Deleted', object: set() }, then: [mine] },
  ])('$name', ({ event, then }) => {
    expect(named(requestsOfWorkload(event, kind, states))).toEqual(then);
  });
});

describe('a PersistentPodState', () => {
  const generated = aState({}, { name: 'db', ownerReferences: [owner] });
  const generate = `${namespace}/generate#apps#StatefulSet#db`;

  it('wakes itself, and its workload when it comes into sight or is gone', () => {
    const events: readonly StoreEvent<PersistentPodState>[] = [
      updated(aState(), aState()),
      { kind: 'Added', object: aState(), initial: true },
      { kind: 'Added', object: generated, initial: true },
      { kind: 'Deleted', object: aState() },
    ];
    expect(events.map((event) => named(requestsOfState(event)))).toEqual([[mine], [mine], [`${namespace}/db`, generate], [generate]]);
  });
});

describe('the key of a request to generate', () => {
  it('names the workload, and no other key does', () => {
    const target = { group: 'apps.kruise.io', kind: 'StatefulSet', name: 'db' };
    expect(generateTargetOf(generateKey(namespace, target))).toEqual(target);
    expect(generateTargetOf({ namespace, name: 'generate' })).toBeUndefined();
  });
});
