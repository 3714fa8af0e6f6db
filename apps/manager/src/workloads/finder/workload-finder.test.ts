import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cloneSets, daemonSets, statefulSets } from '@kruise/api';
import { ApiError, CachingClient, Informers, type Failure } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger, type FakeFaults } from '@kruise/kube/testing';
import { pods, seconds, type KubeObject, type OwnerReference, type ResourceType } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { Caches } from '../../caches/caches.ts';
import { asNew } from '../../module/controller-process.testing.ts';
import {
  type WorkloadReference,
  type WhiteListReading,
  builtInDaemonSets,
  builtInStatefulSets,
  deployments,
  replicaSets,
  replicationControllers,
} from '@kruise/workloads';
import { KindMapper, UnknownKind } from './kind-mapper.ts';
import { WorkloadFinder, type FinderOptions } from './workload-finder.ts';

const { signal } = new AbortController();
const namespace = 'default';
const custom = (kind: string, plural: string): ResourceType => ({ group: 'g.example.com', version: 'v1', kind, plural, namespaced: true });
const scaled = custom('Scaled', 'scaleds');
const plain = custom('Plain', 'plains');
const listed = custom('Listed', 'listeds');

describe('the workload finder', () => {
  let api: FakeApi;
  let finder: WorkloadFinder;
  let stop: AbortController;
  let running: Promise<void>;
  let reading: WhiteListReading;
  let aFinder: (more: Pick<FinderOptions, 'readsObjects' | 'mapper'>) => WorkloadFinder;
  const clock = new FakeClock();

  beforeEach(() => {
    api = new FakeApi();
    reading = { kind: 'Read', kinds: [{ group: 'g.example.com', version: 'v1', kind: 'Listed' }] };
    const resource = (name: string, kind: string) => ({ name, kind, namespaced: true, verbs: ['get'] });
    const resources = [
      resource('scaleds', 'Scaled'),
      resource('scaleds/scale', 'Scale'),
      resource('plains', 'Plain'),
      resource('listeds', 'Listed'),
    ];
    api.rawAnswers.set('/apis/g.example.com/v1', { resources });
    const informers = new Informers({ client: api, clock, logger: silentLogger() });
    const options: FinderOptions = {
      client: new CachingClient(api, informers),
      caches: new Caches(informers, ''),
      clock,
      installed: () => true,
      gates: { StatefulSetStartOrdinal: true },
      listed: {
        get reading() {
          return reading;
        },
        storeOf: () => undefined,
      },
    };
    aFinder = (more) => new WorkloadFinder({ ...options, ...more });
    finder = aFinder({});
    stop = new AbortController();
    running = informers.run(stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  const seed = (type: ResourceType, name: string, spec: object = {}, more: object = {}, metadata: object = {}): KubeObject =>
    api.seed(type, { metadata: { name, namespace, ...metadata }, spec, ...more } as KubeObject);
  const seedPod = (name: string, owner: KubeObject, type: ResourceType, shape: PodShape = {}): void => {
    const reference = ownerOf(owner, type);
    api.seed(pods, asNew(aPod({ name, owner: reference, ...shape })));
  };
  const ownerOf = ({ metadata: { name, uid = '' } }: KubeObject, { group, version, kind }: ResourceType): OwnerReference => ({
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    name,
    uid,
    controller: true,
  });
  const refer = (type: ResourceType, name: string, over: Partial<WorkloadReference> = {}): WorkloadReference => ({
    apiVersion: type.group === '' ? 'v1' : `${type.group}/${type.version}`,
    kind: type.kind,
    namespace,
    name,
    ...over,
  });
  const selector = { matchLabels: { app: 'web' } };
  const isSelected = (found: { readonly selector: { matches(labels: object): boolean } | undefined } | undefined): boolean | undefined =>
    found?.selector?.matches({ app: 'web' });
  const podNames = async (reference: WorkloadReference, active = true): Promise<readonly string[]> =>
    (await finder.podsOf(reference, { active }, signal)).pods.map(({ metadata }) => metadata.name).toSorted();
  const watched = (type: ResourceType): boolean =>
    api.calls.some((call) => call.verb === 'watch' && call.type?.plural === type.plural && call.type.group === type.group);

  it.each<[string, ResourceType]>([
    ['Deployment', deployments],
    ['ReplicaSet', replicaSets],
    ['StatefulSet', builtInStatefulSets],
    ['CloneSet', cloneSets],
    ['Advanced StatefulSet', statefulSets],
  ])('finds a %s with replicas and selector, in whatever version it is named', async (_name, type) => {
    const { metadata } = seed(type, 'web', { replicas: 3, selector });
    const found = await finder.find(refer(type, 'web', { apiVersion: `${type.group}/v0` }), signal);
    expect(found).toMatchObject({ kind: type.kind, name: 'web', namespace, uid: metadata.uid, replicas: 3, isBeingDeleted: false });
    expect(isSelected(found as never)).toBe(true);
  });

  it('finds a ReplicationController, whose selector is a map', async () => {
    seed(replicationControllers, 'web', { selector: { app: 'web' } });
    const found = await finder.find(refer(replicationControllers, 'web'), signal);
    expect(found).toMatchObject({ kind: 'ReplicationController', replicas: 1 });
    expect(isSelected(found as never)).toBe(true);
  });

  it('takes ordinals from a StatefulSet, reservations from ours alone', async () => {
    const spec = { ordinals: { start: 3 }, reserveOrdinals: [5, '7-8'] };
    for (const type of [builtInStatefulSets, statefulSets as ResourceType]) seed(type, 'db', spec);
    const ranges = [
      { first: 5, last: 5 },
      { first: 7, last: 8 },
    ];
    expect(await finder.find(refer(statefulSets, 'db'), signal)).toMatchObject({ startOrdinal: 3, reserveOrdinals: ranges });
    expect(await finder.find(refer(builtInStatefulSets, 'db'), signal)).toMatchObject({ startOrdinal: 3, reserveOrdinals: [] });
  });

  it('climbs from a ReplicaSet to its Deployment, and finds none when that is deleted', async () => {
    const deployment = seed(deployments, 'web', { replicas: 5, selector });
    seed(replicaSets, 'web-1', { replicas: 2, selector }, {}, { ownerReferences: [ownerOf(deployment, deployments)] });
    expect(await finder.find(refer(replicaSets, 'web-1'), signal)).toMatchObject({ kind: 'Deployment', name: 'web', replicas: 5 });
    await api.delete(deployments, { namespace, name: 'web' }, { propagationPolicy: 'Background' });
    expect(await finder.find(refer(replicaSets, 'web-1'), signal)).toBeUndefined();
  });

  it('climbs from a ReplicaSet to what else controls it, and stays where that is not known (8)', async () => {
    const rollout = seed(scaled, 'web', { replicas: 7 }, { status: { replicas: 7, labelSelector: 'app=web' } });
    const owners = [
      ownerOf(rollout, scaled),
      { ...ownerOf(rollout, scaled), kind: 'Unknown' },
      { ...ownerOf(rollout, scaled), uid: 'other' },
    ];
    owners.forEach((owner, i) => seed(replicaSets, `web-${i}`, { replicas: 2, selector }, {}, { ownerReferences: [owner] }));
    expect(await finder.find(refer(replicaSets, 'web-0'), signal)).toMatchObject({ kind: 'Scaled', replicas: 7 });
    for (const name of ['web-1', 'web-2'])
      expect(await finder.find(refer(replicaSets, name), signal)).toMatchObject({ kind: 'ReplicaSet', name, replicas: 2 });
  });

  it('fails when what controls a ReplicaSet cannot be read just now', async () => {
    const rollout = seed(scaled, 'web', { replicas: 7 });
    seed(replicaSets, 'web-0', { replicas: 2, selector }, {}, { ownerReferences: [ownerOf(rollout, scaled)] });
    api.faults = {
      before: ({ type, verb }) => {
        if (type?.kind === 'Scaled' && verb === 'get') throw new ApiError('down', { kind: 'Unreachable', cause: undefined });
      },
    };
    await expect(finder.find(refer(replicaSets, 'web-0'), signal)).rejects.toThrow('down');
  });

  it.each<[string, ResourceType]>([
    ['DaemonSet', builtInDaemonSets],
    ['Advanced DaemonSet', daemonSets],
  ])('takes the number of nodes for the replicas of a %s, once that is known (6)', async (_name, type) => {
    seed(type, 'agent', { selector }, { status: { desiredNumberScheduled: 4 } });
    seed(type, 'new', { selector });
    expect(await finder.find(refer(type, 'agent'), signal)).toMatchObject({ kind: 'DaemonSet', replicas: 4 });
    expect((await finder.find(refer(type, 'new'), signal))?.replicas).toBeUndefined();
  });

  it('finds none of another uid, and none that is not there', async () => {
    const { metadata } = seed(cloneSets, 'web');
    expect(await finder.find(refer(cloneSets, 'web', { uid: metadata.uid ?? '' }), signal)).toBeDefined();
    expect(await finder.find(refer(cloneSets, 'web', { uid: 'other' }), signal)).toBeUndefined();
    for (const type of [cloneSets as ResourceType, scaled, plain, listed])
      expect(await finder.find(refer(type, 'none'), signal)).toBeUndefined();
  });

  it('reads a kind of the white list by its replicas, in the version of the list', async () => {
    seed(listed, 'db', { replicas: 4 });
    seed(listed, 'odd', { replicas: 'many' });
    expect(await finder.find(refer(listed, 'db', { apiVersion: 'g.example.com/v9' }), signal)).toMatchObject({
      apiVersion: 'g.example.com/v1',
      replicas: 4,
      selector: undefined,
    });
    expect(await finder.find(refer(listed, 'odd'), signal)).toMatchObject({ replicas: 0 });
  });

  it('reads other kinds through their Scale', async () => {
    seed(scaled, 'web', { replicas: 7 }, { status: { replicas: 7, labelSelector: 'app=web' } });
    const found = await finder.find(refer(scaled, 'web'), signal);
    expect(found).toMatchObject({ kind: 'Scaled', replicas: 7 });
    expect(isSelected(found as never)).toBe(true);
  });

  it('needs no right to the objects of a kind with a Scale: where there is no Scale, there is none', async () => {
    api.faults = {
      before: ({ verb, subresource }) => {
        if (verb === 'get' && subresource !== 'scale') throw new ApiError('no', { kind: 'Forbidden' });
      },
    };
    expect(await finder.find(refer(scaled, 'web'), signal)).toBeUndefined();
  });

  it('knows no more of one whose Scale says nothing than that the object is there', async () => {
    const { metadata } = seed(scaled, 'web');
    api.faults = {
      before: ({ subresource }) => {
        if (subresource === 'scale') throw new ApiError('no spec.replicas', { kind: 'ServerError', status: 500 });
      },
    };
    expect(await finder.find(refer(scaled, 'web'), signal)).toMatchObject({ uid: metadata.uid, replicas: undefined });
  });

  it.each([
    ['with a Scale', scaled, false],
    ['with a Scale, for who looks into objects', scaled, true],
    ['without a Scale', plain, false],
    ['of the white list', listed, false],
  ])(
    'fails for a kind %s that is no longer served, reads nothing else of it, and discovers again what is served',
    async (_name, type, readsObjects) => {
      seed(type, 'web', { replicas: 7 }, { status: { replicas: 7 } });
      const looking = aFinder({ readsObjects });
      expect(await looking.find(refer(type, 'web'), signal)).toMatchObject({ kind: type.kind });
      const asked = api.calls.filter(({ verb }) => verb === 'raw').length;
      let reads = 0;
      api.faults = {
        before: ({ verb }) => {
          if (verb !== 'get') return;
          reads += 1;
          throw new ApiError('404 page not found', { kind: 'ServerError', status: 404 });
        },
      };
      await expect(looking.find(refer(type, 'web'), signal)).rejects.toThrow(UnknownKind);
      expect(reads).toBe(1);
      api.rawAnswers.set('/apis/g.example.com/v1', { resources: [] });
      await expect(looking.find(refer(type, 'web'), signal)).rejects.toThrow(UnknownKind);
      expect([reads, api.calls.filter(({ verb }) => verb === 'raw').length]).toEqual([1, asked + 1]);
    },
  );

  it('knows of a kind without Scale no more than that the object is there', async () => {
    const { metadata } = seed(plain, 'web', { replicas: 7 });
    const found = await finder.find(refer(plain, 'web'), signal);
    expect(found).toMatchObject({ kind: 'Plain', uid: metadata.uid });
    expect([found?.replicas, found?.selector]).toEqual([undefined, undefined]);
  });

  it('fails for a kind that is not served', async () => {
    await expect(finder.find(refer(custom('Nobody', 'nobodies'), 'web'), signal)).rejects.toThrow(UnknownKind);
    await expect(finder.find(refer({ ...plain, group: 'none.example.com' }, 'web'), signal)).rejects.toThrow(UnknownKind);
  });

  it('fails with what keeps a workload from being read', async () => {
    api.faults = {
      before: ({ verb }) => {
        if (verb === 'get') throw new ApiError('no', { kind: 'Forbidden' });
      },
    };
    await expect(finder.find(refer(cloneSets, 'web'), signal)).rejects.toThrow('no');
  });

  it('watches a kind from the first time that it is referred to, and no other', async () => {
    expect(watched(deployments)).toBe(false);
    seed(deployments, 'web');
    await finder.find(refer(deployments, 'web'), signal);
    expect([watched(deployments), watched(replicaSets), watched(builtInStatefulSets)]).toEqual([true, false, false]);
  });

  it('reads again from the server only what the cache does not hold', async () => {
    seed(deployments, 'web');
    await finder.find(refer(deployments, 'web'), signal);
    await new Promise(setImmediate);
    const reads = api.calls.filter(({ verb }) => verb === 'get').length;
    await finder.find(refer(deployments, 'web'), signal);
    expect(api.calls.filter(({ verb }) => verb === 'get')).toHaveLength(reads);
  });

  it.each<[string, ResourceType]>([
    ['StatefulSet', builtInStatefulSets],
    ['CloneSet', cloneSets],
    ['ReplicaSet', replicaSets],
    ['kind with a Scale', scaled],
  ])('gives the Pods that a %s owns', async (_name, type) => {
    const workload = seed(type, 'web', { replicas: 2, selector });
    seedPod('own', workload, type);
    seedPod('done', workload, type, { phase: 'Succeeded' });
    seedPod('foreign', { metadata: { name: 'web', uid: 'other' } }, type, { labels: { app: 'web' } });
    seedPod('elsewhere', workload, type, { namespace: 'other' });
    expect([await podNames(refer(type, 'web')), await podNames(refer(type, 'web'), false)]).toEqual([['own'], ['done', 'own']]);
  });

  it('gives the Pods of all ReplicaSets of a Deployment, and of none that it does not control', async () => {
    const deployment = seed(deployments, 'web', { replicas: 2, selector });
    const owned = { ownerReferences: [ownerOf(deployment, deployments)], labels: { app: 'web' } };
    const set = (name: string, replicas: number, metadata: object): KubeObject =>
      seed(replicaSets, name, { replicas, selector }, {}, metadata);
    seedPod('new', set('web-2', 2, owned), replicaSets);
    seedPod('old', set('web-1', 0, owned), replicaSets);
    seedPod('unlabelled', set('web-3', 1, { ...owned, labels: {} }), replicaSets);
    seedPod('stranger', set('other', 1, { labels: { app: 'web' } }), replicaSets);
    expect(await finder.podsOf(refer(deployments, 'web'), { active: true }, signal)).toMatchObject({ replicas: 2 });
    expect(await podNames(refer(deployments, 'web'))).toEqual(['new', 'old']);
  });

  it('gives the Pods that an untyped kind selects when it owns none', async () => {
    seed(scaled, 'web', { replicas: 1 }, { status: { replicas: 1, labelSelector: 'app=web' } });
    seedPod('selected', { metadata: { name: 'x', uid: 'x' } }, replicaSets, { labels: { app: 'web' } });
    expect(await podNames(refer(scaled, 'web'))).toEqual(['selected']);
  });

  it.each<{ name: string; replicas: number; metadata: object }>([
    { name: 'wants none', replicas: 0, metadata: {} },
    { name: 'is being deleted', replicas: 2, metadata: { finalizers: ['x.example.com/y'] } },
  ])('gives no Pods of a workload that $name', async ({ replicas, metadata }) => {
    const workload = seed(cloneSets, 'web', { replicas, selector }, {}, metadata);
    seedPod('own', workload, cloneSets);
    if ('finalizers' in metadata) await api.delete(cloneSets, { namespace, name: 'web' });
    expect(await finder.podsOf(refer(cloneSets, 'web'), { active: true }, signal)).toEqual({ pods: [], replicas: 0 });
  });

  it('returns the Pods of a workload that wants none, or says so, when they are requested', async () => {
    const ofNone = { active: true, ofNone: true };
    seedPod('own', seed(cloneSets, 'web', { replicas: 0, selector }), cloneSets);
    seedPod('other', seed(scaled, 'web', { replicas: 0 }), scaled);
    seedPod('third', seed(plain, 'web'), plain);
    const given = async (type: ResourceType): Promise<unknown> => {
      const { pods: own, replicas } = await finder.podsOf(refer(type, 'web'), ofNone, signal);
      return [own.map(({ metadata }) => metadata.name), replicas];
    };
    expect([await given(cloneSets), await given(scaled), await given(plain)]).toEqual([
      [['own'], 0],
      [['other'], 0],
      [['third'], undefined],
    ]);
    seed(cloneSets, 'going', { replicas: 0 }, {}, { finalizers: ['x.example.com/y'] });
    await api.delete(cloneSets, { namespace, name: 'going' });
    expect(await finder.podsOf(refer(cloneSets, 'going'), ofNone, signal)).toEqual({ pods: [], replicas: 0 });
  });

  it('reads a workload from the server as the cache holds it', async () => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } };
    seed(deployments, 'web', { selector, template });
    const live = await finder.find(refer(deployments, 'web'), signal);
    await new Promise(setImmediate);
    const reads = api.calls.filter(({ verb }) => verb === 'get').length;
    const held = await finder.find(refer(deployments, 'web'), signal);
    expect(api.calls.filter(({ verb }) => verb === 'get')).toHaveLength(reads);
    expect(live?.object).toMatchObject({ spec: { template: { digest: expect.any(String) } } });
    expect(held?.object).toEqual(live?.object);
  });

  describe('of who looks into objects', () => {
    const seedScaled = (): KubeObject =>
      seed(scaled, 'web', { replicas: 7, size: 3 }, { status: { replicas: 7, labelSelector: 'app=web' } }, { labels: { a: 'b' } });

    it('gives the object of a kind that is not known, with what its Scale says', async () => {
      const { metadata } = seedScaled();
      seed(plain, 'web', { size: 3 });
      const found = await aFinder({ readsObjects: true }).find(refer(scaled, 'web'), signal);
      expect(found).toMatchObject({
        kind: 'Scaled',
        uid: metadata.uid,
        replicas: 7,
        metadata: { labels: { a: 'b' } },
        object: { spec: { size: 3 } },
      });
      expect(isSelected(found as never)).toBe(true);
      const bare = await aFinder({ readsObjects: true }).find(refer(plain, 'web'), signal);
      expect(bare).toMatchObject({ kind: 'Plain', object: { spec: { size: 3 } } });
      expect([bare?.replicas, bare?.selector]).toEqual([undefined, undefined]);
      expect((await finder.find(refer(scaled, 'web'), signal))?.object).toBeUndefined();
    });

    it.each<[string, Failure]>([
      ['is not there', { kind: 'NotFound' }],
      ['may not be read', { kind: 'Forbidden' }],
      ['leads nowhere', { kind: 'ServerError', status: 500 }],
    ])('knows no number of Pods when the Scale %s', async (_name, failure) => {
      seedScaled();
      api.faults = failingScale(failure);
      const found = await aFinder({ readsObjects: true }).find(refer(scaled, 'web'), signal);
      expect(found).toMatchObject({ kind: 'Scaled', object: { spec: { size: 3 } } });
      expect([found?.replicas, found?.selector]).toEqual([undefined, undefined]);
    });

    it.each<Failure>([{ kind: 'Unreachable', cause: undefined }, { kind: 'Aborted' }, { kind: 'TooManyRequests', retryAfter: seconds(1) }])(
      'fails when the Scale cannot be read just now ($kind)',
      async (failure) => {
        seedScaled();
        api.faults = failingScale(failure);
        await expect(aFinder({ readsObjects: true }).find(refer(scaled, 'web'), signal)).rejects.toThrow('the Scale');
      },
    );

    it('finds none that does not exist, and requests no Scale of it', async () => {
      expect(await aFinder({ readsObjects: true }).find(refer(scaled, 'web'), signal)).toBeUndefined();
      expect(api.calls.filter(({ subresource }) => subresource === 'scale')).toEqual([]);
    });

    it('asks once what a kind is served as, where that is shared', async () => {
      seedScaled();
      const mapper = new KindMapper(api, clock);
      for (const one of [aFinder({ mapper }), aFinder({ mapper, readsObjects: true })]) await one.find(refer(scaled, 'web'), signal);
      expect(api.calls.filter(({ verb }) => verb === 'raw')).toHaveLength(1);
    });
  });
});

const failingScale = (failure: Failure): FakeFaults => ({
  before: ({ subresource }) => {
    if (subresource === 'scale') throw new ApiError('the Scale', failure);
  },
});
