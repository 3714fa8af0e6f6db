/** The two parts of the Pod webhook, asked as the API server asks them. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { cloneSets, defaultGates, workloadSpreadAnnotations, workloadSpreads, workloadSpreadWhiteListKey } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { configMaps, pods, type KubeObject, type OwnerReference, type Pod, type ResourceType } from '@kruise/objects';
import { deployments, replicaSets } from '@kruise/workloads';
import { formatMatched, matchedOf } from '@kruise/kinds/workloadspread';
import { aSubset } from '@kruise/kinds/workloadspread/testing';
import { SpreadCluster, type Started } from '../cluster.testing.ts';

const clusters: SpreadCluster[] = [];
afterEach(async () => {
  await Promise.all(clusters.splice(0).map((cluster) => cluster.stop()));
});
const open = (...args: ConstructorParameters<typeof SpreadCluster>): SpreadCluster => {
  const cluster = new SpreadCluster(...args);
  clusters.push(cluster);
  return cluster;
};
const limited = [aSubset('a', 2), aSubset('b', 1), aSubset('c')];
const statesOf = (cluster: SpreadCluster, version = 'versionIgnored') =>
  (cluster.spread.status?.versionedSubsetStatuses?.[version] ?? []).map(
    ({ name, missingReplicas, creatingPods = {}, deletingPods = {} }) =>
      `${name} ${missingReplicas} +${Object.keys(creatingPods).length} -${Object.keys(deletingPods).length}`,
  );

describe('a new Pod', () => {
  it('goes to the first subset that has room, and is counted there', async () => {
    const cluster = open(limited);
    for (let index = 0; index < 5; index += 1) await cluster.create(cluster.newPod());
    expect(cluster.placed).toEqual({ a: 2, b: 1, c: 2 });
    expect(statesOf(cluster)).toEqual(['a 0 +2 -0', 'b 0 +1 -0', 'c -1 +0 -0']);
    expect(cluster.replicas[0]?.results).toEqual(Array(5).fill('Placed'));
  });

  it('without a name is counted under an id that its annotation keeps', async () => {
    const cluster = open(limited);
    await cluster.createUnnamed();
    const [pod] = cluster.pods;
    const [state] = cluster.spread.status?.versionedSubsetStatuses?.['versionIgnored'] ?? [];
    expect(Object.keys(state?.creatingPods ?? {})).toEqual([matchedOf(pod as Pod)?.uid]);
  });

  it('of a template that was copied from a running Pod, with its annotation, is counted as any other', async () => {
    const cluster = open(limited);
    const copied = { [workloadSpreadAnnotations.matched]: formatMatched({ name: 'spread', subset: 'a', uid: 'copied' }) };
    for (let index = 0; index < 5; index += 1) await cluster.createUnnamed(0, copied);
    expect(cluster.placed).toEqual({ a: 2, b: 1, c: 2 });
    expect(statesOf(cluster)).toEqual(['a 0 +2 -0', 'b 0 +1 -0', 'c -1 +0 -0']);
  });

  it('without a name that the API server sends again in one request keeps its place', async () => {
    const cluster = open(limited);
    const first = await cluster.createUnnamed();
    const annotations = first.kind === 'Changed' ? ((first.object as Pod).metadata.annotations ?? {}) : {};
    await cluster.createUnnamed(0, annotations);
    expect(statesOf(cluster)).toEqual(['a 1 +1 -0', 'b 1 +0 -0', 'c -1 +0 -0']);
  });

  it('that comes twice, as its first answer was lost, keeps its place', async () => {
    const cluster = open([aSubset('a', 1), aSubset('b')]);
    const pod = cluster.newPod();
    const [first, second] = [await cluster.create(pod), await cluster.create(pod)];
    expect(
      [first, second].map((decision) => (decision.kind === 'Changed' ? matchedOf(decision.object as Pod)?.subset : decision.kind)),
    ).toEqual(['a', 'a']);
    expect(statesOf(cluster)).toEqual(['a 0 +1 -0', 'b -1 +0 -0']);
  });

  it('is created as it is when no subset has room (4)', async () => {
    const cluster = open([aSubset('a', 1)]);
    await cluster.create(cluster.newPod());
    expect((await cluster.create(cluster.newPod())).kind).toBe('Allowed');
    expect([cluster.placed, cluster.replicas[0]?.results]).toEqual([{ a: 1, none: 1 }, ['Placed', 'NoRoom']]);
  });

  it.each<{ name: string; subsets: Parameters<typeof open>[0]; spec?: object }>([
    { name: 'the only subset takes all', subsets: [aSubset('a')] },
    {
      name: 'Pods are spread by ordinals',
      subsets: limited,
      spec: { targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'web' } },
    },
  ])('is not counted where $name', async ({ subsets, spec }) => {
    const cluster = open(subsets, spec);
    const owner = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: spec === undefined ? 'CloneSet' : 'StatefulSet',
      name: 'web',
      uid: 'x',
      controller: true,
    };
    await cluster.create(cluster.newPod({ owner, name: 'web-0' }));
    expect([cluster.placed, cluster.spread.status]).toEqual([{ a: 1 }, undefined]);
  });

  it.each<{ name: string; pod: (cluster: SpreadCluster) => Pod; over?: object }>([
    { name: 'has no controller', pod: (cluster) => ({ ...cluster.newPod(), metadata: { name: 'x', namespace: 'default' } }) },
    {
      name: 'is of another workload',
      pod: (cluster) =>
        cluster.newPod({ owner: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'other', uid: 'x', controller: true } }),
    },
    {
      name: 'is of a kind without a WorkloadSpread',
      pod: (cluster) => cluster.newPod({ owner: { apiVersion: 'x/v1', kind: 'X', name: 'web', uid: 'x', controller: true } }),
    },
    { name: 'is of another namespace', pod: (cluster) => cluster.newPod({ namespace: 'other' }) },
    { name: 'has ended', pod: (cluster) => cluster.newPod({ phase: 'Succeeded' }) },
    { name: 'has failed', pod: (cluster) => cluster.newPod({ phase: 'Failed' }) },
    { name: 'is being deleted', pod: (cluster) => cluster.newPod({ terminating: true }) },
    {
      name: 'is owned, without a controller',
      pod: (cluster) => {
        const pod = cluster.newPod();
        const ownerReferences = (pod.metadata.ownerReferences ?? []).map((owner) => ({ ...owner, controller: false }));
        return { ...pod, metadata: { ...pod.metadata, ownerReferences } };
      },
    },
    {
      name: 'does not pass the filter',
      pod: (cluster) => cluster.newPod(),
      over: { targetFilter: { selector: { matchLabels: { role: 'x' } } } },
    },
  ])('that $name is none of ours', async ({ pod, over }) => {
    const cluster = open(limited, over);
    expect((await cluster.create(pod(cluster))).kind).toBe('Allowed');
    expect(cluster.spread.status).toBeUndefined();
  });

  it('is none of a WorkloadSpread that is being deleted', async () => {
    const cluster = open(limited);
    cluster.api.seed(workloadSpreads, { ...cluster.spread, metadata: { ...cluster.spread.metadata, finalizers: ['x.example.com/y'] } });
    await cluster.create(cluster.newPod());
    await cluster.api.delete(workloadSpreads, { namespace: 'default', name: 'spread' });
    await cluster.clock.settle();
    expect((await cluster.create(cluster.newPod())).kind).toBe('Allowed');
    expect(cluster.placed).toEqual({ a: 1, none: 1 });
  });

  it('is none of a WorkloadSpread that came past admission and cannot be worked with', async () => {
    const cluster = open([aSubset('a', 'half')]);
    expect((await cluster.create(cluster.newPod())).kind).toBe('Allowed');
    expect(cluster.spread.status).toBeUndefined();
  });

  it('passes a filter that selects nothing in particular', async () => {
    const cluster = open(limited, { targetFilter: { replicasPathList: ['spec.replicas'] } });
    await cluster.create(cluster.newPod());
    expect(cluster.placed).toEqual({ a: 1 });
  });

  it('of a dry run changes nothing (18)', async () => {
    const cluster = open(limited);
    expect((await cluster.create(cluster.newPod(), 0, { dryRun: true })).kind).toBe('Allowed');
    expect(cluster.spread.status).toBeUndefined();
  });

  it('is refused when its place cannot be written, and when the patch of its subset does not merge', async () => {
    const cluster = open([aSubset('a', 2, { patch: { spec: { containers: [{ image: 'x' }] } } })]);
    expect(await cluster.create(cluster.newPod())).toMatchObject({
      kind: 'Failed',
      code: 500,
      message: expect.stringContaining('the patch of subset a'),
    });
    cluster.before = ({ subresource }) => {
      if (subresource === 'status') throw new ApiError('no', { kind: 'Forbidden' });
    };
    expect(await cluster.create(cluster.newPod())).toMatchObject({ kind: 'Failed', code: 500 });
    expect(cluster.replicas[0]?.results).toContain('PlacementFailed');
  });

  it('is admitted without a place when the WorkloadSpread is deleted meanwhile', async () => {
    const cluster = open([aSubset('a', 1)]);
    await cluster.create(cluster.newPod());
    cluster.before = ({ subresource }) => {
      if (subresource === 'status') throw new ApiError('changed', { kind: 'Conflict' });
    };
    const { metadata } = cluster.spread;
    await cluster.api.delete(workloadSpreads, { namespace: 'default', name: metadata.name });
    expect((await cluster.create(cluster.newPod())).kind).toBe('Allowed');
  });
});

describe('percentages', () => {
  const halves = [aSubset('a', '50%'), aSubset('b', '50%')];

  it('are those of the workload as it is now, also before the controller has seen that it grew', async () => {
    const cluster = open(halves, {}, { size: 2 });
    for (let index = 0; index < 2; index += 1) await cluster.create(cluster.newPod());
    expect(cluster.placed).toEqual({ a: 1, b: 1 });
    await cluster.api.patch(cloneSets, { namespace: 'default', name: 'web' }, { spec: { replicas: 6 } }, { type: 'merge' });
    for (let index = 0; index < 4; index += 1) await cluster.create(cluster.newPod());
    expect(cluster.placed).toEqual({ a: 3, b: 3 });
    await cluster.create(cluster.newPod());
    expect(cluster.placed).toEqual({ a: 3, b: 3, none: 1 });
  });

  it('of a workload that is not there are none', async () => {
    const cluster = open(halves);
    await cluster.api.delete(cloneSets, { namespace: 'default', name: 'web' }).catch(() => undefined);
    const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: 'x', controller: true };
    expect((await cluster.create({ ...cluster.newPod({ owner }) })).kind).toBe('Allowed');
  });
});

describe('owners above owners', () => {
  const seedSet = (cluster: SpreadCluster, deployment?: KubeObject) =>
    cluster.api.seed(replicaSets, {
      metadata: {
        name: 'site-1',
        namespace: 'default',
        ...(deployment === undefined ? {} : { ownerReferences: [refer(deployments, deployment)] }),
      },
    });
  const refer = ({ group, version, kind }: ResourceType, { metadata }: KubeObject): OwnerReference => ({
    apiVersion: `${group}/${version}`,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
  });
  const ofDeployment = { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'site' } };

  it('are requested: a Pod of a ReplicaSet is one of the Deployment, and its version is counted separately', async () => {
    const cluster = open(limited, ofDeployment);
    const deployment = cluster.api.seed(deployments, { metadata: { name: 'site', namespace: 'default' } });
    const owner = refer(replicaSets, seedSet(cluster, deployment));
    for (const hash of ['1', '1', '2']) await cluster.create(cluster.newPod({ owner, labels: { 'pod-template-hash': hash } }));
    expect([statesOf(cluster, '1'), statesOf(cluster, '2')]).toEqual([
      ['a 0 +2 -0', 'b 1 +0 -0', 'c -1 +0 -0'],
      ['a 1 +1 -0', 'b 1 +0 -0', 'c -1 +0 -0'],
    ]);
    expect(cluster.api.calls.filter(({ verb, type }) => verb === 'get' && type?.kind === 'ReplicaSet')).toHaveLength(1);
  });

  it('that are not there make the Pod be refused, until they are (17)', async () => {
    const cluster = open(limited, ofDeployment);
    const missing: OwnerReference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'site-1', uid: 'x', controller: true };
    const refused = await cluster.create(cluster.newPod({ owner: missing }));
    expect(refused).toMatchObject({ kind: 'Failed', code: 500, message: expect.stringContaining('ReplicaSet site-1') });
    const deployment = cluster.api.seed(deployments, { metadata: { name: 'site', namespace: 'default' } });
    await cluster.create(cluster.newPod({ owner: refer(replicaSets, seedSet(cluster, deployment)) }));
    expect(cluster.placed).toEqual({ a: 1 });
  });

  it('are not read if no spread workload could be among them', async () => {
    const cluster = open(limited);
    const job: OwnerReference = { apiVersion: 'batch/v1', kind: 'Job', name: 'work', uid: 'j', controller: true };
    const set: OwnerReference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'site-1', uid: 'r', controller: true };
    for (const owner of [job, set]) expect((await cluster.create(cluster.newPod({ owner }))).kind).toBe('Allowed');
    expect(cluster.api.calls.filter(({ verb }) => verb === 'get')).toEqual([]);
  });

  it('are climbed as far as five, and no further', async () => {
    const node: ResourceType = { group: 'game.example.com', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: true };
    const ladder = async (height: number) => {
      const cluster = open(limited, { targetRef: { apiVersion: 'game.example.com/v1', kind: 'Node', name: 'n-0' } });
      cluster.api.rawAnswers.set('/apis/game.example.com/v1', {
        resources: [{ name: 'nodes', kind: 'Node', namespaced: true, verbs: ['get'] }],
      });
      cluster.api.seed(configMaps, {
        metadata: { namespace: 'kruise-system', name: 'kruise-configuration' },
        data: { [workloadSpreadWhiteListKey]: JSON.stringify({ workloads: [{ group: 'game.example.com', version: 'v1', kind: 'Node' }] }) },
      });
      await cluster.clock.settle();
      let top: KubeObject = cluster.api.seed(node, { metadata: { name: 'n-0', namespace: 'default' } });
      for (let index = 1; index < height; index += 1)
        top = cluster.api.seed(node, { metadata: { name: `n-${index}`, namespace: 'default', ownerReferences: [refer(node, top)] } });
      await cluster.create(cluster.newPod({ owner: refer(node, top) }));
      return cluster.placed;
    };
    expect([await ladder(5), await ladder(6)]).toEqual([{ a: 1 }, { none: 1 }]);
  });

  it('that cannot be read count as absent', async () => {
    const cluster = open(limited, ofDeployment);
    const owner = refer(replicaSets, seedSet(cluster));
    cluster.before = ({ verb, type }) => {
      if (verb === 'get' && type?.kind === 'ReplicaSet') throw new ApiError('no', { kind: 'Forbidden' });
    };
    expect((await cluster.create(cluster.newPod({ owner }))).kind).toBe('Allowed');
  });

  it('of listed kinds and the kinds between are known from the moment that they are listed', async () => {
    const game: OwnerReference = { apiVersion: 'game.example.com/v1', kind: 'Room', name: 'room-1', uid: 'r', controller: true };
    const cluster = open(limited, { targetRef: { apiVersion: 'game.example.com/v1', kind: 'GameSet', name: 'game' } });
    const resource = (name: string, kind: string) => ({ name, kind, namespaced: true, verbs: ['get'] });
    cluster.api.rawAnswers.set('/apis/game.example.com/v1', { resources: [resource('rooms', 'Room')] });
    const room: ResourceType = { group: 'game.example.com', version: 'v1', kind: 'Room', plural: 'rooms', namespaced: true };
    const above = { apiVersion: 'game.example.com/v1', kind: 'GameSet', name: 'game', uid: 'g', controller: true };
    cluster.api.seed(room, { metadata: { name: 'room-1', namespace: 'default', ownerReferences: [above] } });
    await cluster.create(cluster.newPod({ owner: game }));
    expect(cluster.placed).toEqual({ none: 1 });
    const list = {
      workloads: [
        {
          group: 'game.example.com',
          version: 'v1',
          kind: 'GameSet',
          subResources: [{ group: 'game.example.com', version: 'v1', kind: 'Room' }],
        },
      ],
    };
    cluster.api.seed(configMaps, {
      metadata: { namespace: 'kruise-system', name: 'kruise-configuration' },
      data: { [workloadSpreadWhiteListKey]: JSON.stringify(list) },
    });
    await cluster.clock.settle();
    await cluster.create(cluster.newPod({ owner: game }));
    expect(cluster.placed).toEqual({ none: 1, a: 1 });
  });
});

describe('a Pod that is being deleted', () => {
  /** Three Pods that the controller has seen. */
  async function settled(subsets = [aSubset('a', 2), aSubset('b', 1)], started: Started = {}) {
    const cluster = open(subsets, {}, started);
    const manager = cluster.begin();
    for (let index = 0; index < 3; index += 1) await cluster.create(cluster.newPod());
    await manager.settle();
    await manager.settle();
    await manager.stop();
    return cluster;
  }

  it('leaves its place to the next (19)', async () => {
    const cluster = await settled();
    expect(statesOf(cluster)).toEqual(['a 0 +0 -0', 'b 0 +0 -0']);
    expect((await cluster.delete('web-1')).kind).toBe('Allowed');
    expect(statesOf(cluster)).toEqual(['a 1 +0 -1', 'b 0 +0 -0']);
    await cluster.create(cluster.newPod());
    expect([statesOf(cluster), cluster.placed]).toEqual([['a 0 +1 -1', 'b 0 +0 -0'], { a: 2, b: 1 }]);
  });

  it('by eviction is read, and noted', async () => {
    const cluster = await settled();
    expect((await cluster.evict('web-3')).kind).toBe('Allowed');
    expect(statesOf(cluster)).toEqual(['a 0 +0 -0', 'b 1 +0 -1']);
    expect((await cluster.evict('gone')).kind).toBe('Allowed');
  });

  it('of one name that comes again keeps its subset', async () => {
    const cluster = await settled();
    await cluster.delete('web-3');
    await cluster.delete('web-1');
    await cluster.create(cluster.newPod({ name: 'web-3' }));
    expect(cluster.placed).toEqual({ a: 1, b: 1 });
  });

  it.each<{ name: string; go: (cluster: SpreadCluster) => Promise<unknown> }>([
    { name: 'in a dry run', go: (cluster) => cluster.delete('web-1', 0, { dryRun: true }) },
    { name: 'by an eviction that is a dry run', go: (cluster) => cluster.evict('web-1', 0, { deleteOptions: { dryRun: ['All'] } }) },
    { name: 'without being in a subset', go: async (cluster) => cluster.delete((await addPlain(cluster)).metadata.name) },
    { name: 'without an object in the request', go: (cluster) => cluster.delete('web-1', 0, { oldObject: null }) },
    {
      name: 'that has ended',
      go: (cluster) => {
        const pod = cluster.api.peek(pods, { namespace: 'default', name: 'web-1' }) as Pod;
        return cluster.delete('web-1', 0, { oldObject: { ...pod, status: { phase: 'Succeeded' } } as Pod });
      },
    },
    {
      name: 'that has no controller any more',
      go: (cluster) => {
        const pod = cluster.api.peek(pods, { namespace: 'default', name: 'web-1' }) as Pod;
        const { ownerReferences: _owners, ...metadata } = pod.metadata;
        return cluster.delete('web-1', 0, { oldObject: { ...pod, metadata } });
      },
    },
    {
      name: 'of a WorkloadSpread that is not there',
      go: (cluster) => {
        const pod = cluster.api.peek(pods, { namespace: 'default', name: 'web-1' }) as Pod;
        const annotations = { 'apps.kruise.io/matched-workloadspread': '{"name":"former","subset":"a"}' };
        return cluster.delete('web-1', 0, { oldObject: { ...pod, metadata: { ...pod.metadata, annotations } } });
      },
    },
    {
      name: 'with an annotation that says nothing',
      go: (cluster) => {
        const pod = cluster.api.peek(pods, { namespace: 'default', name: 'web-1' }) as Pod;
        const annotations = { 'apps.kruise.io/matched-workloadspread': '{' };
        return cluster.delete('web-1', 0, { oldObject: { ...pod, metadata: { ...pod.metadata, annotations } } });
      },
    },
    { name: 'in a write to another part of it', go: (cluster) => cluster.delete('web-1', 0, { subResource: 'status' }) },
    {
      name: 'of a subset that is not in the spec any more',
      go: (cluster) => {
        const pod = cluster.api.peek(pods, { namespace: 'default', name: 'web-1' }) as Pod;
        const annotations = { 'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":"former"}' };
        return cluster.delete('web-1', 0, { oldObject: { ...pod, metadata: { ...pod.metadata, annotations } } });
      },
    },
  ])('$name is not noted', async ({ go }) => {
    const cluster = await settled();
    const before = cluster.spread.metadata.resourceVersion;
    expect(await go(cluster)).toEqual({ kind: 'Allowed' });
    expect(cluster.spread.metadata.resourceVersion).toBe(before);
  });
  async function addPlain(cluster: SpreadCluster): Promise<Pod> {
    const pod = cluster.newPod({ owner: { apiVersion: 'x/v1', kind: 'X', name: 'x', uid: 'x', controller: true } });
    return cluster.api.create(pods, pod);
  }

  it.each<{ name: string; subsets: Parameters<typeof open>[0]; over?: Parameters<typeof open>[1] }>([
    { name: 'one subset takes all', subsets: [aSubset('a')] },
    { name: 'its subset takes all', subsets: [aSubset('a'), aSubset('b', 1)] },
    {
      name: 'Pods are spread by ordinals',
      subsets: [aSubset('a', 2), aSubset('b')],
      over: { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' } },
    },
  ])('is not noted where $name', async ({ subsets, over }) => {
    const cluster = open(subsets, over);
    const owner = {
      ...(over?.targetRef ?? { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' }),
      uid: 'x',
      controller: true,
    };
    await cluster.create(cluster.newPod({ name: 'web-0', owner }));
    expect(await cluster.delete('web-0')).toEqual({ kind: 'Allowed' });
    expect(cluster.spread.status).toBeUndefined();
  });

  it('is never kept, whatever fails; that is counted', async () => {
    const cluster = await settled();
    const fault = (failure: 'Conflict' | 'Forbidden' | 'Unreachable', on: 'status' | 'get'): void => {
      cluster.before = ({ verb, subresource }) => {
        if (on === 'get' ? verb === 'get' : subresource === 'status')
          throw new ApiError(failure, failure === 'Unreachable' ? { kind: failure, cause: 0 } : { kind: failure });
      };
    };
    for (const failure of ['Conflict', 'Forbidden', 'Unreachable'] as const) {
      fault(failure, 'status');
      expect(await cluster.evict('web-2')).toEqual({ kind: 'Allowed' });
    }
    fault('Unreachable', 'get');
    expect(await cluster.evict('web-2')).toEqual({ kind: 'Allowed' });
    expect(cluster.replicas[0]?.results.filter((result) => result === 'ReleaseFailed')).toHaveLength(4);
  });
});

describe('replicas beside each other', () => {
  it('64 Pods at once through two of them fill every subset to its limit, and no further', async () => {
    const cluster = open([aSubset('a', 20), aSubset('b', 20), aSubset('c')], {}, { replicas: 2 });
    await Promise.all(Array.from({ length: 64 }, (_, index) => cluster.create(cluster.newPod(), index % 2)));
    expect(cluster.placed).toEqual({ a: 20, b: 20, c: 24 });
    expect(statesOf(cluster)).toEqual(['a 0 +20 -0', 'b 0 +20 -0', 'c -1 +0 -0']);
    const writes = cluster.api.calls.filter(({ subresource }) => subresource === 'status').length;
    // Those who wait are written together.
    expect(writes).toBeLessThan(32);
  });

  it('a request that is given up leaves the others their places', async () => {
    const cluster = open([aSubset('a', 2), aSubset('b')]);
    await cluster.create(cluster.newPod());
    const abort = new AbortController();
    const [replica] = cluster.replicas;
    const ask = (pod: Pod, signal: AbortSignal) =>
      replica?.ask('/mutate-pod', { operation: 'CREATE', object: pod, name: pod.metadata.name }, signal);
    const given = ask(cluster.newPod(), new AbortController().signal);
    const left = ask(cluster.newPod(), abort.signal);
    abort.abort(new Error('nobody waits any more'));
    await expect(left).rejects.toThrow('nobody waits any more');
    expect((await given)?.kind).toBe('Changed');
    await cluster.clock.settle();
    expect(statesOf(cluster)[0]).toMatch(/^a 0/);
  });
});

describe('flags', () => {
  it('say of which kinds versions are counted apart', async () => {
    const labels = { 'controller-revision-hash': 'web-5c9' };
    const versions = async (flags?: Started['flags']) => {
      const cluster = open(limited, {}, flags === undefined ? {} : { flags });
      await cluster.create(cluster.newPod({ labels }));
      return Object.keys(cluster.spread.status?.versionedSubsetStatuses ?? {});
    };
    expect([await versions(), await versions({ 'ws-enabled-versioned-status': 'deployment,CloneSet' })]).toEqual([
      ['versionIgnored'],
      ['5c9'],
    ]);
  });
});

describe('gates', () => {
  it('without a WorkloadSpread nothing is read', () => {
    const cluster = open(limited, {}, { gates: { WorkloadSpread: false } });
    expect(['/mutate-pod', '/validate-pod'].map((path) => cluster.replicas[0]?.serves(path))).toEqual([true, false]);
    expect(defaultGates.WorkloadSpread).toBe(true);
  });
});
