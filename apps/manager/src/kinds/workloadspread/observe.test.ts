/** What the controller sees of a WorkloadSpread, read from caches and an API server in memory. @see spec/workloadspread.md 5.2 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cloneSets, type WorkloadSpread } from '@kruise/api';
import { ApiError, CachingClient, Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { jobs, newControllerRef, nodes, pods, type KubeObject, type ResourceType } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { Caches } from '../../caches/caches.ts';
import { asNew } from '../../module/controller-process.testing.ts';
import { builtInStatefulSets, deployments, replicaSets, type WhiteListReading } from '@kruise/workloads';
import { WorkloadFinder } from '../../workloads/finder/index.ts';
import { observe } from './observe.ts';
import { aNode, aSpread, aSubset } from '@kruise/kinds/workloadspread/testing';
import { versionedKinds, type Observed } from '@kruise/kinds/workloadspread';

const { signal } = new AbortController();
const namespace = 'default';
const group = 'game.example.com';
const games: ResourceType = { group, version: 'v1', kind: 'GameSet', plural: 'gamesets', namespaced: true };
/** It has no Scale. */
const rooms: ResourceType = { group, version: 'v1', kind: 'Room', plural: 'rooms', namespaced: true };
const apiVersionOf = ({ group: of, version }: ResourceType): string => `${of}/${version}`;
const templateOf = (image: string, hash?: string) => ({
  metadata: { labels: { app: 'web', ...(hash === undefined ? {} : { 'pod-template-hash': hash }) } },
  spec: { containers: [{ name: 'main', image }] },
});

describe('what is seen of a WorkloadSpread', () => {
  let api: FakeApi;
  let caches: Caches;
  let finder: WorkloadFinder;
  let reading: WhiteListReading;
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    api = new FakeApi();
    reading = { kind: 'Read', kinds: [] };
    const resource = (name: string, kind: string) => ({ name, kind, namespaced: true, verbs: ['get'] });
    const resources = [resource('gamesets', 'GameSet'), resource('gamesets/scale', 'Scale'), resource('rooms', 'Room')];
    for (const version of ['v1', 'v2']) api.rawAnswers.set(`/apis/${group}/${version}`, { resources });
    const clock = new FakeClock();
    const informers = new Informers({ client: api, clock, logger: silentLogger() });
    caches = new Caches(informers, '');
    finder = new WorkloadFinder({
      client: new CachingClient(api, informers),
      caches,
      clock,
      installed: () => true,
      gates: { StatefulSetStartOrdinal: true },
      listed: { reading: { kind: 'Read', kinds: [] }, storeOf: () => undefined },
      readsObjects: true,
    });
    stop = new AbortController();
    running = informers.run(stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  const seed = (type: ResourceType, name: string, spec: object, metadata: object = {}, more: object = {}): KubeObject =>
    api.seed(type, { metadata: { name, namespace, ...metadata }, spec, ...more } as KubeObject);
  const seedPod = (name: string, owner: KubeObject, type: ResourceType, shape: PodShape = {}): void => {
    api.seed(pods, asNew(aPod({ name, owner: newControllerRef(owner, type), ...shape })));
  };
  const spreadOf = (type: ResourceType, over: Partial<WorkloadSpread['spec']> = {}, subsets = [aSubset('a')]): WorkloadSpread =>
    aSpread(subsets, { targetRef: { apiVersion: apiVersionOf(type), kind: type.kind, name: 'web' }, ...over });
  const look = async (spread: WorkloadSpread): Promise<Observed> => {
    const { store, reflector } = caches.of(nodes);
    await reflector.waitForSync(signal);
    const versioned = versionedKinds('deployment,replicaset,cloneset');
    return observe(spread, { finder, caches, nodes: store, whiteList: () => reading, versioned }, signal);
  };
  /** The names of the Pods, their wanted number, and the version of new Pods. */
  const seen = async (spread: WorkloadSpread): Promise<unknown> => {
    const observed = await look(spread);
    if (observed.kind !== 'Seen') return observed;
    const { snapshot } = observed;
    return [snapshot.pods.map(({ metadata }) => metadata.name), snapshot.total, snapshot.workloadVersion];
  };

  it('are its Pods of all phases, by name, and how many the workload is to have', async () => {
    const set = seed(builtInStatefulSets, 'web', { replicas: 4 });
    for (const name of ['c', 'a']) seedPod(name, set, builtInStatefulSets);
    seedPod('b', set, builtInStatefulSets, { phase: 'Succeeded' });
    seedPod('d', set, builtInStatefulSets, { terminating: true });
    seedPod('other', { metadata: { name: 'web', uid: 'other' } }, builtInStatefulSets);
    expect(await seen(spreadOf(builtInStatefulSets))).toEqual([['a', 'b', 'c', 'd'], 4, 'versionIgnored']);
  });

  it('are only Pods that the filter lets through', async () => {
    const set = seed(builtInStatefulSets, 'web', { replicas: 4 });
    seedPod('a', set, builtInStatefulSets, { labels: { role: 'x' } });
    seedPod('b', set, builtInStatefulSets, { labels: { role: 'y' } });
    const filtered = spreadOf(builtInStatefulSets, { targetFilter: { selector: { matchLabels: { role: 'x' } } } });
    expect(await seen(filtered)).toEqual([['a'], 4, 'versionIgnored']);
    expect(await seen(spreadOf(builtInStatefulSets, { targetFilter: {} }))).toEqual([['a', 'b'], 4, 'versionIgnored']);
  });

  it('are the nodes, by name', async () => {
    api.seed(nodes, aNode('n', { zone: 'a' }));
    const observed = await look(spreadOf(builtInStatefulSets));
    const nodeOf = observed.kind === 'Seen' ? observed.snapshot.nodeOf : () => undefined;
    expect([nodeOf('n')?.metadata.labels, nodeOf('gone')]).toEqual([{ zone: 'a' }, undefined]);
  });

  it.each<[string, ResourceType, string]>([
    ['that is not there', cloneSets, ''],
    ['of a kind that is not served', { ...games, kind: 'Nothing', plural: 'nothings' }, 'versionIgnored'],
    ['of a group that is not served', { ...games, group: 'none.example.com' }, 'versionIgnored'],
  ])('is nothing of a workload %s', async (_name, type, version) => {
    expect(await seen(spreadOf(type))).toEqual([[], 0, version]);
  });

  it('is nothing of a workload that is being deleted', async () => {
    const set = seed(builtInStatefulSets, 'web', { replicas: 4 }, { finalizers: ['x.example.com/y'] });
    seedPod('a', set, builtInStatefulSets);
    await api.delete(builtInStatefulSets, { namespace, name: 'web' });
    expect(await seen(spreadOf(builtInStatefulSets))).toEqual([[], 0, 'versionIgnored']);
  });

  it('fails with what keeps the workload from being read', async () => {
    api.faults = {
      before: ({ verb, type }) => {
        if (verb === 'get' && type?.kind === 'StatefulSet') throw new ApiError('no', { kind: 'Forbidden' });
      },
    };
    await expect(look(spreadOf(builtInStatefulSets))).rejects.toThrow('no');
  });

  it('are as many Pods of a Job as may run at a time, and those alone that it selects (11)', async () => {
    const job = seed(jobs, 'web', { parallelism: 3, completions: 9, selector: { matchLabels: { job: 'x' } } });
    seedPod('a', job, jobs, { labels: { job: 'x' } });
    seedPod('b', job, jobs, { labels: { job: 'other' } });
    expect(await seen(spreadOf(jobs))).toEqual([['a'], 3, 'versionIgnored']);
  });

  describe('of a Deployment', () => {
    const deployment = (image: string, status: object = {}): KubeObject =>
      seed(deployments, 'web', { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: templateOf(image) }, {}, { status });
    const replicaSet = (owner: KubeObject, image: string, hash: string, revision = '1'): KubeObject =>
      seed(
        replicaSets,
        `web-${hash}`,
        { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: templateOf(image, hash) },
        {
          labels: { app: 'web', 'pod-template-hash': hash },
          annotations: { 'deployment.kubernetes.io/revision': revision },
          ownerReferences: [newControllerRef(owner, deployments)],
        },
      );

    it('are Pods of all its ReplicaSets, and the version of the one that has its template', async () => {
      const owner = deployment('app:2');
      seedPod('old', replicaSet(owner, 'app:1', 'one'), replicaSets);
      seedPod('new', replicaSet(owner, 'app:2', 'two'), replicaSets);
      expect(await seen(spreadOf(deployments))).toEqual([['new', 'old'], 3, 'two']);
    });

    it('is not seen yet while no ReplicaSet has its template, and it has not been looked at', async () => {
      replicaSet(deployment('app:2'), 'app:1', 'one');
      expect(await seen(spreadOf(deployments))).toMatchObject({ kind: 'NotYet', why: expect.stringContaining('web') });
    });

    it('has the version of its newest ReplicaSet while it is paused', async () => {
      const owner = deployment('app:3', { observedGeneration: 1 });
      replicaSet(owner, 'app:2', 'two', '2');
      replicaSet(owner, 'app:1', 'one', '1');
      expect(await seen(spreadOf(deployments))).toEqual([[], 3, 'two']);
    });

    it('has no version of ReplicaSets that another controls', async () => {
      deployment('app:2', { observedGeneration: 1 });
      replicaSet({ metadata: { name: 'web', uid: 'other' } }, 'app:2', 'two');
      expect(await seen(spreadOf(deployments))).toEqual([[], 3, '']);
    });
  });

  it('does not look for ReplicaSets of anything else', async () => {
    seed(cloneSets, 'web', { replicas: 1 }, {}, { status: { observedGeneration: 1, updateRevision: 'web-5c9' } });
    expect(await seen(spreadOf(cloneSets))).toEqual([[], 1, '5c9']);
    expect(api.calls.filter(({ type }) => type?.kind === 'ReplicaSet')).toEqual([]);
  });

  describe('of a kind that is not known', () => {
    const role = (size: unknown) => ({ replicas: 0, roles: [{ size }] });

    it('are as many Pods as its Scale says, and unknown for one without', async () => {
      for (const type of [games, rooms]) seedPod(type.plural, seed(type, 'web', { replicas: 6 }), type);
      expect(await seen(spreadOf(games))).toEqual([['gamesets'], 6, 'versionIgnored']);
      expect(await seen(spreadOf(rooms))).toEqual([['rooms'], undefined, 'versionIgnored']);
    });

    it('are the number at its paths, with any Scale (13)', async () => {
      seedPod('a', seed(games, 'web', role(8)), games);
      expect(await seen(spreadOf(games))).toEqual([[], 0, 'versionIgnored']);
      expect(await seen(spreadOf(games, { targetFilter: { replicasPathList: ['spec.roles.0.size', 'spec.replicas'] } }))).toEqual([
        ['a'],
        8,
        'versionIgnored',
      ]);
    });

    it('are the number at the path in the white list, of the same version', async () => {
      seedPod('a', seed(games, 'web', role(8)), games);
      reading = { kind: 'Read', kinds: [{ group, version: 'v1', kind: 'GameSet', replicasPath: 'spec.roles.0.size' }] };
      expect(await seen(spreadOf(games))).toEqual([['a'], 8, 'versionIgnored']);
      expect(await seen(spreadOf({ ...games, version: 'v2' }))).toEqual([[], 0, 'versionIgnored']);
    });

    it.each<[string, WhiteListReading]>([
      ['names another group', { kind: 'Read', kinds: [{ group: 'x', version: 'v1', kind: 'GameSet', replicasPath: 'spec.none' }] }],
      ['names another kind', { kind: 'Read', kinds: [{ group, version: 'v1', kind: 'Room', replicasPath: 'spec.none' }] }],
      ['names an empty path', { kind: 'Read', kinds: [{ group, version: 'v1', kind: 'GameSet', replicasPath: '' }] }],
      ['names no path', { kind: 'Read', kinds: [{ group, version: 'v1', kind: 'GameSet' }] }],
      ['cannot be read', { kind: 'Faulty', why: 'it is no JSON' }],
    ])('are as many as its Scale says where the white list %s', async (_name, list) => {
      reading = list;
      seed(games, 'web', { replicas: 6 });
      expect(await seen(spreadOf(games))).toEqual([[], 6, 'versionIgnored']);
    });

    it('are as many as the paths of the WorkloadSpread say before those of the white list', async () => {
      seed(games, 'web', { replicas: 6, size: 2 });
      reading = { kind: 'Read', kinds: [{ group, version: 'v1', kind: 'GameSet', replicasPath: 'spec.size' }] };
      expect(await seen(spreadOf(games, { targetFilter: { replicasPathList: ['spec.replicas'] } }))).toEqual([[], 6, 'versionIgnored']);
      expect(await seen(spreadOf(games, { targetFilter: { replicasPathList: [] } }))).toEqual([[], 2, 'versionIgnored']);
    });

    it.each([undefined, 'many', 1.5, 2 ** 31])('fails if %p is at a path, and names the path', async (size) => {
      seed(games, 'web', role(size));
      const spread = spreadOf(games, { targetFilter: { replicasPathList: ['spec.roles.0.size'] } });
      await expect(look(spread)).rejects.toThrow('spec.roles.0.size of web');
    });

    it('is nothing of one that is not there, whatever its paths', async () => {
      const spread = spreadOf(games, { targetFilter: { replicasPathList: ['spec.size'] } });
      expect(await seen(spread)).toEqual([[], 0, 'versionIgnored']);
    });

    it('are as many as its path says where its Scale cannot be read', async () => {
      seedPod('a', seed(games, 'web', role(8)), games);
      api.faults = {
        before: ({ subresource }) => {
          if (subresource === 'scale') throw new ApiError('the path leads nowhere', { kind: 'ServerError', status: 500 });
        },
      };
      expect(await seen(spreadOf(games))).toEqual([['a'], undefined, 'versionIgnored']);
      expect(await seen(spreadOf(games, { targetFilter: { replicasPathList: ['spec.roles.0.size'] } }))).toEqual([
        ['a'],
        8,
        'versionIgnored',
      ]);
    });

    it('is never listed or watched: reading single objects is enough', async () => {
      seed(games, 'web', role(8));
      await look(spreadOf(games));
      expect(api.calls.filter(({ type }) => type?.group === group).map(({ verb, subresource }) => [verb, subresource])).toEqual([
        ['get', ''],
        ['get', 'scale'],
      ]);
    });
  });
});
