import { describe, expect, it } from '@jest/globals';
import { annotations, cloneSets, workloadSpreads, type WorkloadSpread } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { jobs, newControllerRef, pods, type KubeObject, type ResourceType } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { asNew } from '../../module/controller-process.testing.ts';
import { deployments, replicaSets } from '@kruise/workloads';
import { aSubset, unschedulable } from '@kruise/kinds/workloadspread/testing';
import { SpreadCluster } from './cluster.testing.ts';

const key = { namespace: 'default', name: 'spread' };
const subsets = [aSubset('a', 2), aSubset('b')];

async function settle(cluster: SpreadCluster, manager: { settle(): Promise<void> }): Promise<void> {
  for (let times = 0; times < 4; times += 1) await manager.settle();
  await cluster.clock.settle();
}

/** Five Pods that have come through the webhook, seen by a controller. */
async function settled(limits = subsets, over: Partial<WorkloadSpread['spec']> = {}) {
  const cluster = new SpreadCluster(limits, over);
  const manager = cluster.begin();
  for (let index = 0; index < 5; index += 1) await cluster.create(cluster.newPod());
  await settle(cluster, manager);
  const stop = async () => {
    await manager.stop();
    await cluster.stop();
  };
  return { cluster, manager, stop };
}
const costs = (cluster: SpreadCluster): readonly string[] =>
  cluster.active.map(({ metadata }) => metadata.annotations?.[annotations.podDeletionCost] ?? '').toSorted();

describe('the controller', () => {
  it('counts Pods that have come, and writes to none that admission has marked', async () => {
    const { cluster, stop } = await settled();
    expect([cluster.counted, cluster.promised]).toEqual([['a 2/0', 'b 3/-1'], []]);
    expect(cluster.api.calls.filter(({ verb, type }) => verb === 'patch' && type === pods)).toEqual([]);
    expect(costs(cluster)).toEqual(['100', '100', '100', '200', '200']);
    await stop();
  });

  it('writes and reads nothing while nothing changes', async () => {
    const { cluster, manager, stop } = await settled();
    const calls = cluster.api.calls.length;
    await cluster.clock.step(3_600_000);
    await settle(cluster, manager);
    const later = cluster.api.calls.slice(calls).filter(({ verb }) => verb !== 'watch' && verb !== 'list');
    expect(later).toEqual([]);
    await stop();
  });

  it('marks what is too much when limits fall, before it says that it has seen them (2)', async () => {
    const { cluster, manager, stop } = await settled();
    const order: string[] = [];
    cluster.before = ({ verb, type, subresource }) => {
      if (verb === 'patch' && type === pods) order.push('cost');
      if (subresource === 'status') order.push('status');
    };
    cluster.change({ subsets: [aSubset('a', 1), aSubset('b', 2)] });
    await settle(cluster, manager);
    expect(costs(cluster)).toEqual(['-100', '-200', '100', '100', '200']);
    expect([cluster.counted, cluster.spread.status?.observedGeneration]).toEqual([['a 2/0', 'b 3/0'], 2]);
    expect(order.filter((one, index) => one !== order[index - 1])).toEqual(['cost', 'status']);
    await stop();
  });

  it('reports a Pod that cannot be marked, leaves the generation, and retries', async () => {
    const { cluster, manager, stop } = await settled();
    cluster.before = ({ verb, type }) => {
      if (verb === 'patch' && type === pods) throw new ApiError('no', { kind: 'Forbidden' });
    };
    cluster.change({ subsets: [aSubset('a', 1), aSubset('b', 2)] });
    await settle(cluster, manager);
    expect(manager.events.map(({ type, reason }) => `${type} ${reason}`)).toContain('Warning PatchPodDeletionCostFailed');
    expect(cluster.spread.status?.observedGeneration).toBe(1);
    cluster.before = () => undefined;
    await cluster.clock.step(2000);
    await settle(cluster, manager);
    expect(cluster.spread.status?.observedGeneration).toBe(2);
    await stop();
  });

  it('marks and counts the other Pods when one refuses its mark, which is tried again less and less often', async () => {
    const { cluster, manager, stop } = await settled();
    let refused: string | undefined;
    let tries = 0;
    cluster.before = ({ verb, type, key: { name } }) => {
      if (verb !== 'patch' || type !== pods || name !== (refused ??= name)) return;
      tries += 1;
      throw new ApiError('no', { kind: 'Forbidden' });
    };
    cluster.change({ subsets: [aSubset('a', 1), aSubset('b', 2)] });
    await settle(cluster, manager);
    const negative = costs(cluster).filter((cost) => cost.startsWith('-'));
    expect([negative.length, cluster.counted, cluster.spread.status?.observedGeneration]).toEqual([1, ['a 2/0', 'b 3/0'], 1]);
    for (let second = 0; second < 60; second += 1) {
      cluster.api.seed(pods, {
        ...cluster.active[1]!,
        metadata: { ...cluster.active[1]!.metadata, labels: { app: 'web', second: String(second) } },
      });
      await cluster.clock.step(1000);
      await settle(cluster, manager);
    }
    expect(tries).toBeLessThanOrEqual(7);
    cluster.before = () => undefined;
    await cluster.clock.step(60_000);
    await settle(cluster, manager);
    expect(cluster.spread.status?.observedGeneration).toBe(2);
    await stop();
  });

  it('writes a status that is refused again less and less often, whatever Pods come', async () => {
    const { cluster, manager, stop } = await settled();
    let tries = 0;
    cluster.before = ({ subresource, from }) => {
      if (subresource !== 'status' || from !== 'manager') return;
      tries += 1;
      throw new ApiError('no', { kind: 'Forbidden' });
    };
    for (let second = 0; second < 60; second += 1) {
      await cluster.create(cluster.newPod());
      await cluster.clock.step(1000);
      await settle(cluster, manager);
    }
    expect(tries).toBeGreaterThanOrEqual(2);
    expect(tries).toBeLessThanOrEqual(7);
    cluster.before = () => undefined;
    await cluster.clock.step(60_000);
    await settle(cluster, manager);
    expect(cluster.counted).toEqual(['a 2/0', 'b 63/-1']);
    await stop();
  });

  it('moves the other Pods on when one that found no node cannot be deleted', async () => {
    const scheduleStrategy = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } as const;
    const cluster = new SpreadCluster(subsets, { scheduleStrategy });
    const manager = cluster.begin();
    for (const name of ['x', 'y']) await cluster.create(unschedulable(cluster.newPod({ node: '', name })));
    cluster.before = ({ verb, type, key: { name } }) => {
      if (verb === 'delete' && type === pods && name === 'x') throw new ApiError('no', { kind: 'Forbidden' });
    };
    await settle(cluster, manager);
    await cluster.clock.step(9000);
    await settle(cluster, manager);
    expect(cluster.pods.map(({ metadata }) => metadata.name)).toEqual(['x']);
    await manager.stop();
    await cluster.stop();
  });

  it('marks one burst of Pods in a pass, and says that it has seen the limits once all have their costs', async () => {
    const cluster = new SpreadCluster([aSubset('a', 2), aSubset('b')], {}, { size: 520 });
    for (let index = 0; index < 520; index += 1) cluster.api.seed(pods, asNew(cluster.newPod()));
    const order: string[] = [];
    cluster.before = ({ verb, type, subresource, body }) => {
      if (verb === 'patch' && type === pods) order.push('cost');
      if (subresource === 'status') order.push(`generation ${(body as WorkloadSpread).status?.observedGeneration}`);
    };
    const manager = cluster.begin();
    await cluster.clock.step(60_000);
    await settle(cluster, manager);
    const until = (text: string): number => order.slice(0, order.indexOf(text)).filter((one) => one === 'cost').length;
    expect([until('generation 0'), until('generation 1')]).toEqual([500, 520]);
    expect(costs(cluster).filter((cost) => cost !== '')).toHaveLength(520);
    await manager.stop();
    await cluster.stop();
  });

  it('keeps what admission promises while Pods are marked', async () => {
    const { cluster, manager, stop } = await settled([aSubset('a', 6), aSubset('b')]);
    let asked: Promise<unknown> | undefined;
    cluster.before = ({ verb, type }) => {
      if (verb !== 'patch' || type !== pods || asked !== undefined) return;
      asked = cluster.replicas[0]?.ask('/mutate-pod', { operation: 'CREATE', object: cluster.newPod({ name: 'next' }), name: 'next' });
    };
    cluster.change({ subsets: [aSubset('a', 6), aSubset('b'), aSubset('c')] });
    await settle(cluster, manager);
    await asked;
    await settle(cluster, manager);
    const missing = cluster.spread.status?.versionedSubsetStatuses?.['versionIgnored']?.map(({ missingReplicas }) => missingReplicas);
    expect([cluster.promised, missing]).toEqual([['next'], [0, -1, -1]]);
    await stop();
  });

  it('says nothing by a spec that has changed while Pods were marked', async () => {
    const { cluster, manager, stop } = await settled();
    const observed: unknown[] = [];
    let isChanged = false;
    cluster.before = ({ verb, type, subresource, body, from }) => {
      if (subresource === 'status' && from === 'manager') observed.push((body as WorkloadSpread).status?.observedGeneration);
      if (verb !== 'patch' || type !== pods || isChanged) return;
      isChanged = true;
      cluster.change({ subsets: [aSubset('a', 1), aSubset('b', 1)] });
    };
    cluster.change({ subsets: [aSubset('a', 1), aSubset('b', 2)] });
    await settle(cluster, manager);
    expect([observed, costs(cluster)]).toEqual([[3], ['-100', '-200', '-200', '100', '200']]);
    await stop();
  });

  it('requeues without an event when another client has written the status meanwhile', async () => {
    const { cluster, manager, stop } = await settled();
    let refused = 0;
    cluster.before = ({ subresource, from }) => {
      if (subresource !== 'status' || from !== 'manager' || refused > 0) return;
      refused += 1;
      throw new ApiError('changed', { kind: 'Conflict' });
    };
    cluster.change({ subsets: [aSubset('a', 5), aSubset('b')] });
    await settle(cluster, manager);
    expect([refused, cluster.counted, manager.events]).toEqual([1, ['a 2/3', 'b 3/-1'], []]);
    await stop();
  });

  it('reports a Pod without a node that cannot be deleted, and retries (9)', async () => {
    const scheduleStrategy = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } as const;
    const cluster = new SpreadCluster(subsets, { scheduleStrategy });
    const manager = cluster.begin();
    await cluster.create(unschedulable(cluster.newPod({ node: '' })));
    cluster.before = ({ verb, type }) => {
      if (verb === 'delete' && type === pods) throw new ApiError('no', { kind: 'Forbidden' });
    };
    await settle(cluster, manager);
    await cluster.clock.step(9000);
    await settle(cluster, manager);
    const reported = new Set(manager.events.map(({ type, reason }) => `${type} ${reason}`));
    expect([cluster.placed, [...reported]]).toEqual([{ a: 1 }, ['Warning DeletePodFailed']]);
    cluster.before = () => undefined;
    await cluster.clock.step(2000);
    await settle(cluster, manager);
    expect(cluster.placed).toEqual({});
    await manager.stop();
    await cluster.stop();
  });

  it('waits for the ReplicaSet of a Deployment, and counts by its version from then on (5)', async () => {
    const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'site' };
    const cluster = new SpreadCluster(subsets, { targetRef });
    const template = { metadata: { labels: { app: 'site' } }, spec: { containers: [] } };
    const hashed = { app: 'site', 'pod-template-hash': 'x' };
    const spec = { replicas: 2, selector: { matchLabels: { app: 'site' } }, template };
    const deployment = cluster.api.seed(deployments, { metadata: { name: 'site', namespace: 'default' }, spec });
    const manager = cluster.begin();
    await settle(cluster, manager);
    expect(cluster.spread.status).toBeUndefined();
    const set = cluster.api.seed(replicaSets, {
      metadata: { name: 'site-x', namespace: 'default', labels: hashed, ownerReferences: [newControllerRef(deployment, deployments)] },
      spec: { ...spec, template: { ...template, metadata: { labels: hashed } } },
    });
    await settle(cluster, manager);
    await cluster.create(cluster.newPod({ owner: newControllerRef(set, replicaSets), labels: hashed }));
    await settle(cluster, manager);
    expect([cluster.counted, Object.keys(cluster.spread.status?.versionedSubsetStatuses ?? {})]).toEqual([['a 1/1', 'b 0/-1'], ['x']]);
    await manager.stop();
    await cluster.stop();
  });

  it('gives a Pod up that was counted and never came (20)', async () => {
    const { cluster, manager, stop } = await settled([aSubset('a', 6)]);
    await cluster.replicas[0]?.ask('/mutate-pod', { operation: 'CREATE', object: cluster.newPod({ name: 'ghost' }), name: 'ghost' });
    await settle(cluster, manager);
    expect([cluster.counted, cluster.promised]).toEqual([['a 5/1'], ['ghost']]);
    await cluster.clock.step(30_000);
    await settle(cluster, manager);
    expect([cluster.promised, manager.events.map(({ reason, message }) => [reason, message.includes('ghost')])]).toEqual([
      [],
      [['CreatePodFailed', true]],
    ]);
    expect(cluster.spread.status?.versionedSubsetStatuses?.['versionIgnored']?.[0]?.missingReplicas).toBe(1);
    await stop();
  });

  it('takes back the place of a Pod that was to go and stayed', async () => {
    const { cluster, manager, stop } = await settled();
    await cluster.evict('web-1');
    await settle(cluster, manager);
    expect(cluster.promised).toEqual(['web-1']);
    await cluster.clock.step(15_000);
    await settle(cluster, manager);
    expect([cluster.promised, manager.events.map(({ reason }) => reason)]).toEqual([[], ['DeletePodFailed']]);
    await stop();
  });

  it('deletes Pods that find no node, only those it has seen, and the next go elsewhere (9)', async () => {
    const strategy = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } as const;
    const cluster = new SpreadCluster(subsets, { scheduleStrategy: strategy });
    const manager = cluster.begin();
    const decision = await cluster.create(unschedulable(cluster.newPod({ node: '' })));
    expect(decision.kind).toBe('Changed');
    await settle(cluster, manager);
    await cluster.clock.step(9000);
    await settle(cluster, manager);
    expect(cluster.pods).toEqual([]);
    await cluster.create(cluster.newPod());
    await settle(cluster, manager);
    expect(cluster.placed).toEqual({ b: 1 });
    const conditions = () => cluster.spread.status?.subsetStatuses?.map((state) => state.conditions?.[0]?.status);
    expect(conditions()).toEqual(['False', 'True']);
    await cluster.clock.step(300_000);
    await settle(cluster, manager);
    expect([conditions(), manager.events.map(({ reason }) => reason)]).toEqual([['True', 'True'], ['RecoverSchedulable']]);
    await manager.stop();
    await cluster.stop();
  });

  it('reports no Pods for a deleted workload', async () => {
    const { cluster, manager, stop } = await settled();
    for (const pod of cluster.pods)
      await cluster.api.delete(pods, { namespace: 'default', name: pod.metadata.name }, { gracePeriodSeconds: 0 });
    await cluster.api.delete(cloneSets, { namespace: 'default', name: 'web' });
    await settle(cluster, manager);
    expect([cluster.counted, cluster.spread.status?.versionedSubsetStatuses]).toEqual([['a 0/2', 'b 0/-1'], undefined]);
    await stop();
  });

  it('reports one that admission did not check and that cannot be processed, and no other', async () => {
    const { cluster, manager, stop } = await settled();
    const broken = { ...cluster.spread, metadata: { name: 'broken', namespace: 'default' }, spec: { targetRef: null, subsets: 7 } };
    cluster.api.seed(workloadSpreads, broken as unknown as WorkloadSpread);
    await settle(cluster, manager);
    expect(manager.events.map(({ about, type, reason }) => [about, type, reason])).toEqual([['broken', 'Warning', 'InvalidSpec']]);
    await cluster.create(cluster.newPod());
    await settle(cluster, manager);
    expect(cluster.counted).toEqual(['a 2/0', 'b 4/-1']);
    await stop();
  });

  it('spreads by the scale of an unknown kind, and of none by the value at a path', async () => {
    const game: ResourceType = { group: 'game.example.com', version: 'v1', kind: 'GameSet', plural: 'gamesets', namespaced: true };
    const targetRef = { apiVersion: 'game.example.com/v1', kind: 'GameSet', name: 'game' };
    const run = async (spec: object, filter?: WorkloadSpread['spec']['targetFilter']) => {
      const cluster = new SpreadCluster([aSubset('a', '50%'), aSubset('b')], {
        targetRef,
        ...(filter === undefined ? {} : { targetFilter: filter }),
      });
      const resource = (name: string, kind: string) => ({ name, kind, namespaced: true, verbs: ['get'] });
      cluster.api.rawAnswers.set('/apis/game.example.com/v1', {
        resources: [resource('gamesets', 'GameSet'), resource('gamesets/scale', 'Scale')],
      });
      const set = cluster.api.seed(game, { metadata: { name: 'game', namespace: 'default' }, spec } as KubeObject);
      const owner = { ...targetRef, uid: set.metadata.uid ?? '', controller: true };
      cluster.api.seed(
        pods,
        asNew(aPod({ name: 'x', owner, annotations: { 'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":"a"}' } })),
      );
      const manager = cluster.begin();
      await settle(cluster, manager);
      await manager.stop();
      await cluster.stop();
      return cluster.counted;
    };
    expect(await run({ replicas: 6 })).toEqual(['a 1/2', 'b 0/-1']);
    expect(await run({ replicas: 0, roles: [{ size: 8 }] }, { replicasPathList: ['spec.roles.0.size'] })).toEqual(['a 1/3', 'b 0/-1']);
  });

  it('counts Pods of a Job by its parallelism, and those alone that its selector selects (11)', async () => {
    const targetRef = { apiVersion: 'batch/v1', kind: 'Job', name: 'work' };
    const cluster = new SpreadCluster([aSubset('a', '50%'), aSubset('b', '50%')], { targetRef });
    const job = cluster.api.seed(jobs, {
      metadata: { name: 'work', namespace: 'default' },
      spec: { parallelism: 4, selector: { matchLabels: { job: 'x' } } },
    });
    const owner = { ...targetRef, uid: job.metadata.uid ?? '', controller: true };
    const manager = cluster.begin();
    for (let index = 0; index < 4; index += 1) await cluster.create(cluster.newPod({ owner, labels: { job: 'x' } }));
    await settle(cluster, manager);
    expect([cluster.placed, cluster.counted]).toEqual([{ a: 2, b: 2 }, ['a 2/0', 'b 2/0']]);
    const [first] = cluster.active;
    await cluster.api.patch(
      pods,
      { namespace: 'default', name: first?.metadata.name ?? '' },
      { status: { phase: 'Succeeded' } },
      { type: 'merge', subresource: 'status' },
    );
    await settle(cluster, manager);
    expect(cluster.counted).toEqual(['a 1/1', 'b 2/0']);
    await cluster.create(cluster.newPod({ owner, labels: { job: 'x' } }));
    expect(cluster.placed).toEqual({ a: 2, b: 2 });
    await manager.stop();
    await cluster.stop();
  });

  it('takes over what another manager has left: no Pod is written, nor the status', async () => {
    const { cluster, stop } = await settled();
    await stop();
    const calls = cluster.api.calls.length;
    const next = cluster.begin();
    await settle(cluster, next);
    await next.stop();
    expect(cluster.api.calls.slice(calls).filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))).toEqual([]);
  });

  it('watches no kind of workload without a WorkloadSpread', async () => {
    const { cluster, stop } = await settled();
    const watched = new Set(cluster.api.calls.filter(({ verb }) => verb === 'watch').map(({ type }) => type?.kind));
    expect([watched.has('CloneSet'), watched.has('Deployment'), watched.has('Job'), watched.has('StatefulSet')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    await stop();
  });

  it('does nothing more for a deleted one', async () => {
    const { cluster, manager, stop } = await settled();
    await cluster.api.delete(workloadSpreads, key);
    const calls = cluster.api.calls.length;
    await cluster.api.delete(pods, { namespace: 'default', name: 'web-1' }, { gracePeriodSeconds: 0 });
    await settle(cluster, manager);
    expect(cluster.api.calls.slice(calls).filter(({ verb }) => verb === 'patch' || verb === 'update')).toEqual([]);
    await stop();
  });
});
