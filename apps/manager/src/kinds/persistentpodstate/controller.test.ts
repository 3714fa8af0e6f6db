import { describe, expect, it } from '@jest/globals';
import { persistentPodStates, persistentPodStateWhiteListKey } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { apiFailures, deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { configMaps, nodes, type KubeObject, type ResourceType } from '@kruise/objects';
import { goldenText } from '@kruise/testing';
import { builtInStatefulSets } from '@kruise/workloads';
import { RunStates } from '../../module/fixtures/argo-health.testing.ts';
import type { ControllerProcess } from '../../module/controller-process.testing.ts';
import { asking, aState, host, names, namespace, PersistentPodStateCluster, zone } from './cluster.testing.ts';

const keyOf = (name: string) => ({ namespace, name });
const setKey = keyOf('db');

/** A StatefulSet of so many ready Pods, and the PersistentPodState `mine` for it. */
async function recording(
  replicas: number,
  spec: Parameters<typeof aState>[0] = {},
  options: Parameters<PersistentPodStateCluster['begin']>[0] = {},
) {
  const cluster = new PersistentPodStateCluster();
  cluster.set(replicas);
  cluster.api.seed(persistentPodStates, aState(spec));
  for (let ordinal = 0; ordinal < replicas; ordinal++) cluster.pod(ordinal);
  const manager = cluster.begin(options);
  await manager.settle();
  return { cluster, manager };
}

describe('the record', () => {
  it('holds each ready Pod with its node and the labels of the keys, written at once', async () => {
    const { cluster, manager } = await recording(2, { preferredPersistentTopology: [{ weight: 1, preference: { keys: [host] } }] });
    expect(cluster.state()?.status).toEqual({
      observedGeneration: 1,
      podStates: {
        'db-0': { nodeName: 'n0', nodeTopologyLabels: { [zone]: 'zone-n0', [host]: 'n0' } },
        'db-1': { nodeName: 'n1', nodeTopologyLabels: { [zone]: 'zone-n1', [host]: 'n1' } },
      },
    });
    expect(cluster.statusWrites).toBe(1);
    await manager.stop();
  });

  it('of thousands of Pods is one write', async () => {
    const replicas = 5_000;
    const cluster = new PersistentPodStateCluster();
    cluster.set(replicas);
    cluster.api.seed(persistentPodStates, aState());
    for (let ordinal = 0; ordinal < replicas; ordinal++) cluster.pod(ordinal, { node: `n${ordinal % 4}` });
    const manager = cluster.begin();
    await manager.settle();
    expect(Object.keys(cluster.recorded())).toHaveLength(replicas);
    expect(cluster.statusWrites).toBe(1);
    await manager.stop();
  });

  it('follows a Pod that becomes ready elsewhere, and outlives its deletion', async () => {
    const { cluster, manager } = await recording(1);
    await cluster.remove(0);
    await manager.settle();
    expect(cluster.recorded()).toEqual({ 'db-0': 'n0' });
    await cluster.readyPod(manager, 0, { node: 'n2' });
    expect(cluster.recorded()).toEqual({ 'db-0': 'n2' });
    await manager.stop();
  });

  it('follows an annotation of a ready Pod', async () => {
    const { cluster, manager } = await recording(1, { persistentPodAnnotations: [{ key: 'ip' }] });
    cluster.pod(0, { annotations: { ip: '10.0.0.1', other: 'x' } });
    await manager.settle();
    expect(cluster.state()?.status?.podStates?.['db-0']?.annotations).toEqual({ ip: '10.0.0.1' });
    cluster.pod(0, { annotations: { ip: '10.0.0.2' } });
    await manager.settle();
    expect(cluster.state()?.status?.podStates?.['db-0']?.annotations).toEqual({ ip: '10.0.0.2' });
    await manager.stop();
  });

  it('forgets a scaled-in Pod once it is deleted (5)', async () => {
    const { cluster, manager } = await recording(4);
    cluster.set(2);
    await manager.settle();
    expect(Object.keys(cluster.recorded())).toHaveLength(4);
    for (const ordinal of [3, 2]) await cluster.remove(ordinal);
    await manager.settle();
    expect(cluster.recorded()).toEqual({ 'db-0': 'n0', 'db-1': 'n1' });
    await manager.stop();
  });

  it('keeps it with retention WhenDeleted (6)', async () => {
    const { cluster, manager } = await recording(4, { persistentPodStateRetentionPolicy: 'WhenDeleted' });
    cluster.set(2);
    for (const ordinal of [3, 2]) await cluster.remove(ordinal);
    await manager.settle();
    expect(Object.keys(cluster.recorded())).toHaveLength(4);
    await manager.stop();
  });

  it('counts from the start ordinal of the built-in kind', async () => {
    const cluster = new PersistentPodStateCluster();
    cluster.set(2, {}, { ordinals: { start: 1 } });
    cluster.api.seed(persistentPodStates, aState());
    for (const ordinal of [1, 2]) cluster.pod(ordinal);
    const manager = cluster.begin();
    await manager.settle();
    await cluster.remove(2);
    await manager.settle();
    expect(cluster.recorded()).toEqual({ 'db-1': 'n1', 'db-2': 'n2' });
    await manager.stop();
  });

  it('is cleared when the workload is being deleted, and when it is deleted (10)', async () => {
    const { cluster, manager } = await recording(2);
    await cluster.api.delete(builtInStatefulSets, setKey, { propagationPolicy: 'Background' });
    await manager.settle();
    expect(cluster.state()?.status).toEqual({ observedGeneration: 1 });
    await manager.stop();
  });

  it('skips a Pod whose node cannot be read, and records it when it can', async () => {
    let away = true;
    const cluster = new PersistentPodStateCluster();
    cluster.set(2);
    cluster.api.seed(persistentPodStates, aState());
    cluster.pod(0);
    cluster.pod(1, { node: 'late' });
    const before: NonNullable<Parameters<PersistentPodStateCluster['begin']>[0]>['before'] = ({ verb, type }) => {
      if (away && verb === 'get' && type === nodes) throw apiFailures.unreachable();
    };
    const manager = cluster.begin({ before });
    await manager.settle();
    expect(cluster.recorded()).toEqual({ 'db-0': 'n0' });
    away = false;
    cluster.api.seed(nodes, { metadata: { name: 'late', labels: { [zone]: 'z' } } });
    await cluster.clock.step(60_000);
    expect(cluster.recorded()).toEqual({ 'db-0': 'n0', 'db-1': 'late' });
    await manager.stop();
  });

  it('is neither read nor written while nothing changes', async () => {
    const { cluster, manager } = await recording(3);
    const calls = cluster.api.calls.length;
    await cluster.clock.step(3_600_000);
    expect(cluster.api.calls.slice(calls).filter(({ verb }) => verb !== 'watch')).toEqual([]);
    await manager.stop();
  });

  it('of 500 Pods costs one write a pass and no read of nodes', async () => {
    const cluster = new PersistentPodStateCluster();
    cluster.set(500);
    cluster.api.seed(persistentPodStates, aState());
    for (let ordinal = 0; ordinal < 500; ordinal++) cluster.pod(ordinal, { node: `n${ordinal % 4}` });
    const manager = cluster.begin();
    // Long lists are taken in slices of real time.
    for (let turn = 0; turn < 50 && Object.keys(cluster.recorded()).length < 500; turn++) await manager.settle();
    expect(Object.keys(cluster.recorded())).toHaveLength(500);
    const writes = cluster.statusWrites;
    for (const ordinal of [7, 8, 9]) await cluster.remove(ordinal);
    for (const ordinal of [7, 8, 9]) cluster.pod(ordinal, { ready: false, node: 'n0' });
    await manager.settle();
    for (const ordinal of [7, 8, 9]) cluster.pod(ordinal, { node: 'n0' });
    await manager.settle();
    expect([cluster.recorded()['db-9'], cluster.statusWrites - writes]).toEqual(['n0', 1]);
    expect(cluster.api.calls.filter(({ verb, type }) => verb === 'get' && type === nodes)).toEqual([]);
    await manager.stop();
  });
});

describe('a deleted node', () => {
  const losing = async (gate: boolean) => {
    const { cluster, manager } = await recording(2, {}, { gates: { PersistentPodStateAutoCleanup: gate } });
    await cluster.remove(1);
    await cluster.api.delete(nodes, { namespace: '', name: 'n1' });
    await manager.settle();
    const recorded = cluster.recorded();
    await manager.stop();
    return recorded;
  };

  it('is forgotten with the gate on (16)', async () => {
    expect(await losing(true)).toEqual({ 'db-0': 'n0' });
  });

  it('holds its Pods indefinitely with the gate off (16)', async () => {
    expect(await losing(false)).toEqual({ 'db-0': 'n0', 'db-1': 'n1' });
  });

  it('is not forgotten when the API server cannot say so', async () => {
    let away = false;
    const before: NonNullable<Parameters<PersistentPodStateCluster['begin']>[0]>['before'] = ({ verb, type }) => {
      if (away && verb === 'get' && type === nodes) throw apiFailures.unreachable();
    };
    const { cluster, manager } = await recording(2, {}, { gates: { PersistentPodStateAutoCleanup: true }, before });
    away = true;
    await cluster.api.delete(nodes, { namespace: '', name: 'n1' });
    await manager.settle();
    expect(cluster.recorded()).toEqual({ 'db-0': 'n0', 'db-1': 'n1' });
    away = false;
    await cluster.clock.step(60_000);
    expect(cluster.recorded()).toEqual({ 'db-0': 'n0' });
    await manager.stop();
  });
});

/** A StatefulSet that requests a PersistentPodState, with two ready Pods. */
function generating(): PersistentPodStateCluster {
  const cluster = new PersistentPodStateCluster();
  cluster.set(2, asking);
  for (const ordinal of [0, 1]) cluster.pod(ordinal);
  return cluster;
}

describe('a workload that requests it', () => {
  it('gets a PersistentPodState that dies with it (1, 2)', async () => {
    const cluster = generating();
    const manager = cluster.begin();
    await manager.settle();
    const { uid } = cluster.api.peek(builtInStatefulSets, setKey)?.metadata ?? {};
    expect(cluster.state('db')).toMatchObject({
      metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid, controller: true }] },
      spec: {
        targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' },
        requiredPersistentTopology: { keys: [zone] },
        preferredPersistentTopology: [{ weight: 100, preference: { keys: [host] } }],
      },
    });
    expect(cluster.state('db')?.metadata.ownerReferences?.[0]).not.toHaveProperty('blockOwnerDeletion');
    expect(cluster.recorded('db')).toEqual({ 'db-0': 'n0', 'db-1': 'n1' });
    await manager.stop();
  });

  it('loses required topology, and then all, as its annotations do; back they bring the states of the running Pods (7, 8)', async () => {
    const cluster = generating();
    const manager = cluster.begin();
    await manager.settle();
    cluster.set(2, { ...asking, [names.requiredTopology]: '' });
    await manager.settle();
    expect(cluster.state('db')?.spec.requiredPersistentTopology).toBeUndefined();
    expect(cluster.state('db')?.status?.podStates?.['db-0']?.nodeTopologyLabels).toEqual({ [host]: 'n0' });
    cluster.set(2, {});
    await manager.settle();
    expect(cluster.state('db')).toBeUndefined();
    cluster.set(2, asking);
    await manager.settle();
    expect(cluster.recorded('db')).toEqual({ 'db-0': 'n0', 'db-1': 'n1' });
    await manager.stop();
  });

  it('gets it again when a user deletes it', async () => {
    const cluster = generating();
    const manager = cluster.begin();
    await manager.settle();
    await cluster.api.delete(persistentPodStates, setKey);
    await manager.settle();
    expect(cluster.recorded('db')).toEqual({ 'db-0': 'n0', 'db-1': 'n1' });
    await manager.stop();
  });

  it('that was recreated gets its own once that of the former is collected', async () => {
    const cluster = generating();
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'former', controller: true };
    cluster.api.seed(persistentPodStates, aState({}, { name: 'db', ownerReferences: [owner] }));
    const manager = cluster.begin();
    await manager.settle();
    expect(cluster.state('db')?.metadata.ownerReferences?.[0]?.uid).toBe('former');
    await cluster.api.delete(persistentPodStates, setKey);
    await manager.settle();
    const { uid } = cluster.api.peek(builtInStatefulSets, setKey)?.metadata ?? {};
    expect(cluster.state('db')?.metadata.ownerReferences?.[0]?.uid).toBe(uid);
    await manager.stop();
  });

  it('does not change one that a user created (12)', async () => {
    const cluster = new PersistentPodStateCluster();
    cluster.set(2, {});
    cluster.api.seed(persistentPodStates, aState({}, { name: 'db' }));
    const manager = cluster.begin();
    await manager.settle();
    const { spec } = cluster.state('db') ?? {};
    for (const annotations of [asking, { ...asking, [names.autoGenerate]: 'false' }, {}]) {
      cluster.set(2, annotations);
      await manager.settle();
      expect(cluster.state('db')?.spec).toEqual(spec);
    }
    await manager.stop();
  });

  it('changed its mind while no manager ran', async () => {
    const cluster = generating();
    const first = cluster.begin();
    await first.settle();
    await first.stop();
    cluster.set(2, {});
    const second = cluster.begin();
    await second.settle();
    expect(cluster.state('db')).toBeUndefined();
    await second.stop();
  });
});

describe('a kind of the white list', () => {
  const gameSets: ResourceType = { group: 'game.example.com', version: 'v1', kind: 'GameSet', plural: 'gamesets', namespaced: true };
  const listing = (...kinds: readonly object[]): KubeObject =>
    ({
      metadata: { name: 'kruise-configuration', namespace: 'kruise-system' },
      data: { [persistentPodStateWhiteListKey]: JSON.stringify({ workloads: kinds }) },
    }) as KubeObject;
  const serve = (cluster: PersistentPodStateCluster): void => {
    const resources = [{ name: 'gamesets', kind: 'GameSet', namespaced: true, verbs: ['get'] }];
    cluster.api.rawAnswers.set('/apis/game.example.com/v1', { resources });
  };
  const gameCluster = (): PersistentPodStateCluster => {
    const cluster = new PersistentPodStateCluster();
    const metadata = { name: 'db', namespace, annotations: { ...asking, [names.podAnnotations]: 'ip' } };
    cluster.api.seed(gameSets, { apiVersion: 'game.example.com/v1', kind: 'GameSet', metadata, spec: { replicas: 1 } } as KubeObject);
    cluster.pod(0, { annotations: { ip: '10.0.0.1' } }, { type: gameSets, version: 'game.example.com/v1' });
    return cluster;
  };
  const list = (cluster: PersistentPodStateCluster, ...kinds: readonly object[]): void =>
    void cluster.api.seed(configMaps, listing(...kinds));
  const gameKind = { group: 'game.example.com', Version: 'v1', KIND: 'GameSet' };
  const watchesOf = (cluster: PersistentPodStateCluster): number =>
    cluster.api.calls.filter(({ verb, type }) => verb === 'watch' && type?.kind === 'GameSet').length;

  it('is served from the moment that it is listed, without a restart (13)', async () => {
    const cluster = gameCluster();
    serve(cluster);
    const manager = cluster.begin();
    await manager.settle();
    expect(cluster.state('db')).toBeUndefined();
    list(cluster, gameKind);
    await manager.settle();
    await manager.settle();
    expect(cluster.state('db')?.spec.targetRef).toEqual({ apiVersion: 'game.example.com/v1', kind: 'GameSet', name: 'db' });
    expect(cluster.state('db')?.status?.podStates).toEqual({
      'db-0': { nodeName: 'n0', nodeTopologyLabels: { [zone]: 'zone-n0', [host]: 'n0' }, annotations: { ip: '10.0.0.1' } },
    });
    await manager.stop();
  });

  it('is served when its CRD comes later', async () => {
    const cluster = gameCluster();
    list(cluster, gameKind);
    const manager = cluster.begin();
    await manager.settle();
    expect([cluster.state('db'), watchesOf(cluster)]).toEqual([undefined, 0]);
    serve(cluster);
    await cluster.clock.step(60_000);
    expect(cluster.recorded('db')).toEqual({ 'db-0': 'n0' });
    await manager.stop();
  });

  it('is not watched any more once it is taken off, and what was recorded stays', async () => {
    const cluster = gameCluster();
    serve(cluster);
    list(cluster, gameKind);
    const manager = cluster.begin();
    await manager.settle();
    await manager.settle();
    expect(watchesOf(cluster)).toBeGreaterThan(0);
    list(cluster);
    await manager.settle();
    const watches = watchesOf(cluster);
    cluster.api.endWatches();
    await cluster.remove(0);
    await cluster.clock.step(600_000);
    expect(watchesOf(cluster)).toBe(watches);
    expect(cluster.recorded('db')).toEqual({ 'db-0': 'n0' });
    await manager.stop();
  });

  it('that may not be read is retried, and delays no other', async () => {
    let forbidden = true;
    const cluster = gameCluster();
    serve(cluster);
    list(cluster, gameKind);
    const before: NonNullable<Parameters<PersistentPodStateCluster['begin']>[0]>['before'] = ({ verb, type }) => {
      if (forbidden && verb !== 'raw' && type?.kind === 'GameSet')
        throw new ApiError('the manager may not read gamesets', { kind: 'Forbidden' });
    };
    cluster.api.seed(builtInStatefulSets, {
      metadata: { name: 'other', namespace, annotations: asking },
      spec: { replicas: 0 },
    } as KubeObject);
    const manager = cluster.begin({ before });
    await manager.settle();
    await manager.settle();
    expect([cluster.state('db'), cluster.state('other')?.metadata.name]).toEqual([undefined, 'other']);
    forbidden = false;
    await cluster.clock.step(120_000);
    expect(cluster.recorded('db')).toEqual({ 'db-0': 'n0' });
    await manager.stop();
  });
});

/** From the first annotation to the last: created, recorded, scaled, changed, deleted. */
async function runThrough(
  cluster: PersistentPodStateCluster,
  manager: ControllerProcess,
  step: (what: string) => void = () => undefined,
): Promise<void> {
  const go = async (what: string, change: () => void | Promise<void>): Promise<void> => {
    step(what);
    await change();
    await manager.settle();
  };
  await go('a StatefulSet asks for it', () => void cluster.set(3, asking));
  for (const ordinal of [0, 1, 2]) {
    await go(`db-${ordinal} starts`, () => void cluster.pod(ordinal, { ready: false }));
    await go(`db-${ordinal} is ready`, () => void cluster.pod(ordinal));
  }
  await go('db-1 is deleted', () => cluster.remove(1));
  await go('db-1 starts on n3', () => void cluster.pod(1, { ready: false, node: 'n3' }));
  await go('db-1 is ready', () => void cluster.pod(1, { node: 'n3' }));
  await go('scaled to 2', () => void cluster.set(2, asking));
  await go('db-2 is deleted', () => cluster.remove(2));
  await go('hosts do not count any more', () => void cluster.set(2, { ...asking, [names.preferredTopology]: '' }));
}

describe('a complete run', () => {
  const states = new RunStates('PersistentPodState');

  it('matches the golden scenario', async () => {
    const cluster = new PersistentPodStateCluster();
    const { timeline } = cluster;
    cluster.record();
    states.watch('life', cluster.api);
    const manager = cluster.begin();
    await manager.settle();
    await runThrough(cluster, manager, (what) => timeline.note(what));
    await manager.stop();
    expect(timeline.text).toBe(goldenText(new URL('./testdata/scenario.txt', import.meta.url), timeline.text));
  });

  states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));

  it.each(deathTimes)(
    'ends the same when the manager dies at any write (%s)',
    async (when) => {
      const reportOf = async (death?: Death) => {
        const cluster = new PersistentPodStateCluster();
        const manager = cluster.begin({ death });
        await runThrough(cluster, manager);
        const next = manager.dead ? cluster.begin() : manager;
        await next.settle();
        expect(cluster.state('db')).toMatchObject({ spec: { requiredPersistentTopology: { keys: [zone] } } });
        expect(cluster.state('db')?.status?.podStates).toEqual({
          'db-0': { nodeName: 'n0', nodeTopologyLabels: { [zone]: 'zone-n0' } },
          'db-1': { nodeName: 'n3', nodeTopologyLabels: { [zone]: 'zone-n3' } },
        });
        cluster.set(2, {});
        await next.settle();
        const last = next.dead ? cluster.begin() : next;
        await last.settle();
        expect(cluster.state('db')).toBeUndefined();
        await last.stop();
        return manager;
      };
      expect(await deathsAtEveryStep(when, reportOf)).toBe((await reportOf()).writes);
    },
    120_000,
  );
});
