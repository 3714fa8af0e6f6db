import { describe, expect, it } from '@jest/globals';
import { workloadSpreads, type WorkloadSpread } from '@kruise/api';
import type { Request, StoreEvent } from '@kruise/kube';
import { storeOf } from '@kruise/kube/testing';
import type { KubeObject, Pod } from '@kruise/objects';
import { byTarget } from '@kruise/workloads';
import { requestsOfListed, requestsOfPod, requestsOfSpread, requestsOfWorkload } from './triggers.ts';
import { aSpread, aSpreadPod, aSubset } from '@kruise/kinds/workloadspread/testing';
import { versionedKinds } from '@kruise/kinds/workloadspread';

const versioned = versionedKinds('deployment,replicaset');
const spreadFor = (name: string, kind: string, group = 'apps', metadata: object = {}) =>
  aSpread([aSubset('a')], { targetRef: { apiVersion: `${group}/v1`, kind, name: 'web' } }, undefined, {
    name,
    uid: name,
    resourceVersion: '1',
    ...metadata,
  });
const spreads = storeOf(
  workloadSpreads,
  [
    spreadFor('of-set', 'CloneSet', 'apps.kruise.io'),
    spreadFor('of-deployment', 'Deployment'),
    spreadFor('of-game', 'GameSet', 'game.example.com'),
    spreadFor('of-job', 'Job', 'batch'),
  ],
  { [byTarget.name]: byTarget.valuesOf },
);
const enqueued = (requests: readonly Request[]): readonly (string | readonly [string, number])[] =>
  requests.map((request) => ('after' in request ? ([request.key.name, request.after] as const) : request.name));
const changed = <T extends KubeObject>(previous: T, object: T): StoreEvent<T> => ({ kind: 'Updated', previous, object });

describe('a WorkloadSpread', () => {
  const spread = aSpread([aSubset('a')]);
  const next = { ...spread, metadata: { ...spread.metadata, generation: 2 } };
  it.each<[string, StoreEvent<WorkloadSpread>, unknown]>([
    ['that is new enqueues immediately', { kind: 'Added', object: spread, initial: false }, ['spread']],
    ['whose spec has changed enqueues immediately', changed(spread, next), ['spread']],
    ['whose status has changed can wait', changed(spread, { ...spread, status: {} }), [['spread', 100]]],
    ['that is gone is looked after', { kind: 'Deleted', object: spread }, ['spread']],
  ])('%s', (_name, event, then) => {
    expect(enqueued(requestsOfSpread(event))).toEqual(then);
  });
});

describe('a Pod', () => {
  const pod = aSpreadPod({ name: 'x', subset: 'a' });
  const versionOf = (hash: string) =>
    aSpreadPod({
      name: 'x',
      subset: 'a',
      labels: { 'pod-template-hash': hash },
      owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'w', uid: 'w', controller: true },
    });
  const enqueues = [['spread', 100]];
  it.each<[string, StoreEvent<Pod>, unknown]>([
    ['that is new enqueues it', { kind: 'Added', object: pod, initial: false }, enqueues],
    ['that is deleted enqueues it', { kind: 'Deleted', object: pod }, enqueues],
    ['that ends enqueues it', changed(pod, aSpreadPod({ name: 'x', subset: 'a', phase: 'Succeeded' })), enqueues],
    ['that is being deleted enqueues it', changed(pod, aSpreadPod({ name: 'x', subset: 'a', terminating: true })), enqueues],
    ['of another version enqueues it', changed(versionOf('1'), versionOf('2')), enqueues],
    ['that becomes ready enqueues nothing', changed(aSpreadPod({ name: 'x', subset: 'a', ready: false }), pod), []],
    ['without the annotation enqueues nothing', { kind: 'Added', object: aSpreadPod({ name: 'x' }), initial: false }, []],
    [
      'without the annotation that gets a node enqueues nothing',
      changed(aSpreadPod({ name: 'x', node: '' }), aSpreadPod({ name: 'x' })),
      [],
    ],
    [
      'with an annotation that says nothing enqueues nothing',
      { kind: 'Deleted', object: aSpreadPod({ annotations: { 'apps.kruise.io/matched-workloadspread': '{' } }) },
      [],
    ],
  ])('%s', (_name, event, then) => {
    expect(enqueued(requestsOfPod(event, versioned))).toEqual(then);
  });
});

describe('a workload', () => {
  const cloneSet = { group: 'apps.kruise.io', kind: 'CloneSet' };
  const deployment = { group: 'apps', kind: 'Deployment' };
  const of = (over: object = {}, metadata: object = {}): KubeObject =>
    ({ metadata: { name: 'web', namespace: 'default', ...metadata }, spec: { replicas: 2 }, ...over }) as KubeObject;
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'x', controller: true };
  const below: StoreEvent<KubeObject> = { kind: 'Added', object: of({}, { name: 'web-1', ownerReferences: [owner] }), initial: false };
  it.each<[string, StoreEvent<KubeObject>, { group: string; kind: string }, unknown]>([
    ['that is new enqueues immediately', { kind: 'Added', object: of(), initial: false }, cloneSet, ['of-set']],
    ['that is deleted enqueues it', { kind: 'Deleted', object: of() }, cloneSet, ['of-set']],
    ['of another size enqueues it', changed(of(), of({ spec: { replicas: 3 } })), cloneSet, ['of-set']],
    [
      'of another parallelism enqueues it',
      changed(of(), of({ spec: { replicas: 2, parallelism: 3 } })),
      { group: 'batch', kind: 'Job' },
      ['of-job'],
    ],
    ['that is being deleted enqueues it', changed(of(), of({}, { deletionTimestamp: 'x' })), cloneSet, ['of-set']],
    ['with another revision enqueues it', changed(of(), of({ status: { updateRevision: 'web-2' } })), cloneSet, ['of-set']],
    ['with another status enqueues nothing', changed(of(), of({ status: { replicas: 2 } })), cloneSet, []],
    [
      'with the same revision enqueues nothing',
      changed(of({ status: { updateRevision: 'web-1' } }), of({ status: { updateRevision: 'web-1', replicas: 2 } })),
      cloneSet,
      [],
    ],
    ['of the same rollout enqueues nothing', changed(of(), of({ status: { replicas: 2 } })), deployment, []],
    [
      'with the first of its rollouts enqueues it',
      changed(of({}, { annotations: { 'deployment.kubernetes.io/revision': '1' } }), of()),
      deployment,
      ['of-deployment'],
    ],
    [
      'that is no Deployment and is annotated enqueues nothing',
      changed(of(), of({}, { annotations: { 'deployment.kubernetes.io/revision': '2' } })),
      { group: 'batch', kind: 'Job' },
      [],
    ],
    ['that is no ReplicaSet and below a Deployment enqueues nothing', below, { group: 'batch', kind: 'Job' }, []],
    ['below nothing enqueues nothing', { kind: 'Added', object: of(), initial: false }, { group: 'apps', kind: 'ReplicaSet' }, []],
    [
      'of a new rollout enqueues it',
      changed(of(), of({}, { annotations: { 'deployment.kubernetes.io/revision': '2' } })),
      deployment,
      ['of-deployment'],
    ],
    [
      'that no WorkloadSpread targets enqueues nothing',
      { kind: 'Added', object: of(), initial: false },
      { group: 'apps', kind: 'StatefulSet' },
      [],
    ],
    ['of another namespace enqueues nothing', { kind: 'Added', object: of({}, { namespace: 'other' }), initial: false }, cloneSet, []],
    ['below a Deployment enqueues that of the Deployment', below, { group: 'apps', kind: 'ReplicaSet' }, ['of-deployment']],
  ])('%s', (_name, event, kind, then) => {
    expect(enqueued(requestsOfWorkload(event, kind, spreads))).toEqual(then);
  });
});

describe('a workload of a listed kind', () => {
  const game = (size: unknown): KubeObject =>
    ({ apiVersion: 'game.example.com/v1', kind: 'GameSet', metadata: { name: 'web', namespace: 'default' }, spec: { size } }) as KubeObject;
  const reading = {
    kind: 'Read',
    kinds: [{ group: 'game.example.com', version: 'v1', kind: 'GameSet', replicasPath: 'spec.size' }],
  } as const;
  it.each<[string, StoreEvent<KubeObject>, unknown]>([
    ['that is new enqueues it', { kind: 'Added', object: game(1), initial: false }, ['of-game']],
    ['of another size, at the path in the list, enqueues it', changed(game(1), game(2)), ['of-game']],
    ['whose size can be read at last enqueues it', changed(game('x'), game(2)), ['of-game']],
    ['of the same size enqueues nothing', changed(game(1), game(1)), []],
    ['whose size cannot be read, before nor after, enqueues nothing', changed(game('x'), game('y')), []],
    ['whose size cannot be read any more enqueues it', changed(game(1), game('y')), ['of-game']],
  ])('%s', (_name, event, then) => {
    expect(enqueued(requestsOfListed(event, reading, spreads))).toEqual(then);
  });

  it.each<[string, Parameters<typeof requestsOfListed>[1]]>([
    ['cannot be read', { kind: 'Faulty', why: 'it is no JSON' }],
    ['does not name it', { kind: 'Read', kinds: [] }],
    ['names no path', { kind: 'Read', kinds: [{ group: 'game.example.com', version: 'v1', kind: 'GameSet' }] }],
  ])('of any size enqueues none while the list %s', (_name, list) => {
    expect(enqueued(requestsOfListed(changed(game(1), game(2)), list, spreads))).toEqual([]);
  });
});
