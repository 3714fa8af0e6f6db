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

async function settle(world: SpreadCluster, manager: { settle(): Promise<void> }): Promise<void> {
  for (let times = 0; times < 4; times += 1) await manager.settle();
  await world.clock.settle();
}

/** Five Pods that have come through the webhook, seen by a controller. */
async function settled(limits = subsets, over: Partial<WorkloadSpread['spec']> = {}) {
  const world = new SpreadCluster(limits, over);
  const manager = world.begin();
  for (let index = 0; index < 5; index += 1) await world.create(world.newPod());
  await settle(world, manager);
  const stop = async () => {
    await manager.stop();
    await world.stop();
  };
  return { world, manager, stop };
}
const costs = (world: SpreadCluster): readonly string[] =>
  world.active.map(({ metadata }) => metadata.annotations?.[annotations.podDeletionCost] ?? '').toSorted();

describe('the controller', () => {
  it('counts Pods that have come, and writes to none that admission has marked', async () => {
    const { world, stop } = await settled();
    expect([world.counted, world.promised]).toEqual([['a 2/0', 'b 3/-1'], []]);
    expect(world.api.calls.filter(({ verb, type }) => verb === 'patch' && type === pods)).toEqual([]);
    expect(costs(world)).toEqual(['100', '100', '100', '200', '200']);
    await stop();
  });

  it('writes and reads nothing while nothing changes', async () => {
    const { world, manager, stop } = await settled();
    const calls = world.api.calls.length;
    await world.clock.step(3_600_000);
    await settle(world, manager);
    const later = world.api.calls.slice(calls).filter(({ verb }) => verb !== 'watch' && verb !== 'list');
    expect(later).toEqual([]);
    await stop();
  });

  it('marks what is too much when limits fall, before it says that it has seen them (2)', async () => {
    const { world, manager, stop } = await settled();
    const order: string[] = [];
    world.before = ({ verb, type, subresource }) => {
      if (verb === 'patch' && type === pods) order.push('cost');
      if (subresource === 'status') order.push('status');
    };
    world.change({ subsets: [aSubset('a', 1), aSubset('b', 2)] });
    await settle(world, manager);
    expect(costs(world)).toEqual(['-100', '-200', '100', '100', '200']);
    expect([world.counted, world.spread.status?.observedGeneration]).toEqual([['a 2/0', 'b 3/0'], 2]);
    expect(order.filter((one, index) => one !== order[index - 1])).toEqual(['cost', 'status']);
    await stop();
  });

  it('reports a Pod that cannot be marked, leaves the generation, and retries', async () => {
    const { world, manager, stop } = await settled();
    world.before = ({ verb, type }) => {
      if (verb === 'patch' && type === pods) throw new ApiError('no', { kind: 'Forbidden' });
    };
    world.change({ subsets: [aSubset('a', 1), aSubset('b', 2)] });
    await settle(world, manager);
    expect(manager.events.map(({ type, reason }) => `${type} ${reason}`)).toContain('Warning PatchPodDeletionCostFailed');
    expect(world.spread.status?.observedGeneration).toBe(1);
    world.before = () => undefined;
    await world.clock.step(2000);
    await settle(world, manager);
    expect(world.spread.status?.observedGeneration).toBe(2);
    await stop();
  });

  it('marks and counts the other Pods when one refuses its mark, which is tried again less and less often', async () => {
    const { world, manager, stop } = await settled();
    let refused: string | undefined;
    let tries = 0;
    world.before = ({ verb, type, key: { name } }) => {
      if (verb !== 'patch' || type !== pods || name !== (refused ??= name)) return;
      tries += 1;
      throw new ApiError('no', { kind: 'Forbidden' });
    };
    world.change({ subsets: [aSubset('a', 1), aSubset('b', 2)] });
    await settle(world, manager);
    const negative = costs(world).filter((cost) => cost.startsWith('-'));
    expect([negative.length, world.counted, world.spread.status?.observedGeneration]).toEqual([1, ['a 2/0', 'b 3/0'], 1]);
    for (let second = 0; second < 60; second += 1) {
      world.api.seed(pods, {
        ...world.active[1]!,
        metadata: { ...world.active[1]!.metadata, labels: { app: 'web', second: String(second) } },
      });
      await world.clock.step(1000);
      await settle(world, manager);
    }
    expect(tries).toBeLessThanOrEqual(7);
    world.before = () => undefined;
    await world.clock.step(60_000);
    await settle(world, manager);
    expect(world.spread.status?.observedGeneration).toBe(2);
    await stop();
  });

  it('writes a status that is refused again less and less often, whatever Pods come', async () => {
    const { world, manager, stop } = await settled();
    let tries = 0;
    world.before = ({ subresource, from }) => {
      if (subresource !== 'status' || from !== 'manager') return;
      tries += 1;
      throw new ApiError('no', { kind: 'Forbidden' });
    };
    for (let second = 0; second < 60; second += 1) {
      await world.create(world.newPod());
      await world.clock.step(1000);
      await settle(world, manager);
    }
    expect(tries).toBeGreaterThanOrEqual(2);
    expect(tries).toBeLessThanOrEqual(7);
    world.before = () => undefined;
    await world.clock.step(60_000);
    await settle(world, manager);
    expect(world.counted).toEqual(['a 2/0', 'b 63/-1']);
    await stop();
  });

  it('moves the other Pods on when one that found no node cannot be deleted', async () => {
    const scheduleStrategy = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } as const;
    const world = new SpreadCluster(subsets, { scheduleStrategy });
    const manager = world.begin();
    for (const name of ['x', 'y']) await world.create(unschedulable(world.newPod({ node: '', name })));
    world.before = ({ verb, type, key: { name } }) => {
      if (verb === 'delete' && type === pods && name === 'x') throw new ApiError('no', { kind: 'Forbidden' });
    };
    await settle(world, manager);
    await world.clock.step(9000);
    await settle(world, manager);
    expect(world.pods.map(({ metadata }) => metadata.name)).toEqual(['x']);
    await manager.stop();
    await world.stop();
  });

  it('marks one burst of Pods in a pass, and says that it has seen the limits once all have their costs', async () => {
    const world = new SpreadCluster([aSubset('a', 2), aSubset('b')], {}, { size: 520 });
    for (let index = 0; index < 520; index += 1) world.api.seed(pods, asNew(world.newPod()));
    const order: string[] = [];
    world.before = ({ verb, type, subresource, body }) => {
      if (verb === 'patch' && type === pods) order.push('cost');
      if (subresource === 'status') order.push(`generation ${(body as WorkloadSpread).status?.observedGeneration}`);
    };
    const manager = world.begin();
    await world.clock.step(60_000);
    await settle(world, manager);
    const until = (text: string): number => order.slice(0, order.indexOf(text)).filter((one) => one === 'cost').length;
    expect([until('generation 0'), until('generation 1')]).toEqual([500, 520]);
    expect(costs(world).filter((cost) => cost !== '')).toHaveLength(520);
    await manager.stop();
    await world.stop();
  });

  it('keeps what admission promises while Pods are marked', async () => {
    const { world, manager, stop } = await settled([aSubset('a', 6), aSubset('b')]);
    let asked: Promise<unknown> | undefined;
    world.before = ({ verb, type }) => {
      if (verb !== 'patch' || type !== pods || asked !== undefined) return;
      asked = world.replicas[0]?.ask('/mutate-pod', { operation: 'CREATE', object: world.newPod({ name: 'next' }), name: 'next' });
    };
    world.change({ subsets: [aSubset('a', 6), aSubset('b'), aSubset('c')] });
    await settle(world, manager);
    await asked;
    await settle(world, manager);
    const missing = world.spread.status?.versionedSubsetStatuses?.['versionIgnored']?.map(({ missingReplicas }) => missingReplicas);
    expect([world.promised, missing]).toEqual([['next'], [0, -1, -1]]);
    await stop();
  });

  it('says nothing by a spec that has changed while Pods were marked', async () => {
    const { world, manager, stop } = await settled();
    const observed: unknown[] = [];
    let isChanged = false;
    world.before = ({ verb, type, subresource, body, from }) => {
      if (subresource === 'status' && from === 'manager') observed.push((body as WorkloadSpread).status?.observedGeneration);
      if (verb !== 'patch' || type !== pods || isChanged) return;
      isChanged = true;
      world.change({ subsets: [aSubset('a', 1), aSubset('b', 1)] });
    };
    world.change({ subsets: [aSubset('a', 1), aSubset('b', 2)] });
    await settle(world, manager);
    expect([observed, costs(world)]).toEqual([[3], ['-100', '-200', '-200', '100', '200']]);
    await stop();
  });

  it('requeues without an event when another client has written the status meanwhile', async () => {
    const { world, manager, stop } = await settled();
    let refused = 0;
    world.before = ({ subresource, from }) => {
      if (subresource !== 'status' || from !== 'manager' || refused > 0) return;
      refused += 1;
      throw new ApiError('changed', { kind: 'Conflict' });
    };
    world.change({ subsets: [aSubset('a', 5), aSubset('b')] });
    await settle(world, manager);
    expect([refused, world.counted, manager.events]).toEqual([1, ['a 2/3', 'b 3/-1'], []]);
    await stop();
  });

  it('reports a Pod without a node that cannot be deleted, and retries (9)', async () => {
    const scheduleStrategy = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } as const;
    const world = new SpreadCluster(subsets, { scheduleStrategy });
    const manager = world.begin();
    await world.create(unschedulable(world.newPod({ node: '' })));
    world.before = ({ verb, type }) => {
      if (verb === 'delete' && type === pods) throw new ApiError('no', { kind: 'Forbidden' });
    };
    await settle(world, manager);
    await world.clock.step(9000);
    await settle(world, manager);
    const reported = new Set(manager.events.map(({ type, reason }) => `${type} ${reason}`));
    expect([world.placed, [...reported]]).toEqual([{ a: 1 }, ['Warning DeletePodFailed']]);
    world.before = () => undefined;
    await world.clock.step(2000);
    await settle(world, manager);
    expect(world.placed).toEqual({});
    await manager.stop();
    await world.stop();
  });

  it('waits for the ReplicaSet of a Deployment, and counts by its version from then on (5)', async () => {
    const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'site' };
    const world = new SpreadCluster(subsets, { targetRef });
    const template = { metadata: { labels: { app: 'site' } }, spec: { containers: [] } };
    const hashed = { app: 'site', 'pod-template-hash': 'x' };
    const spec = { replicas: 2, selector: { matchLabels: { app: 'site' } }, template };
    const deployment = world.api.seed(deployments, { metadata: { name: 'site', namespace: 'default' }, spec });
    const manager = world.begin();
    await settle(world, manager);
    expect(world.spread.status).toBeUndefined();
    const set = world.api.seed(replicaSets, {
      metadata: { name: 'site-x', namespace: 'default', labels: hashed, ownerReferences: [newControllerRef(deployment, deployments)] },
      spec: { ...spec, template: { ...template, metadata: { labels: hashed } } },
    });
    await settle(world, manager);
    await world.create(world.newPod({ owner: newControllerRef(set, replicaSets), labels: hashed }));
    await settle(world, manager);
    expect([world.counted, Object.keys(world.spread.status?.versionedSubsetStatuses ?? {})]).toEqual([['a 1/1', 'b 0/-1'], ['x']]);
    await manager.stop();
    await world.stop();
  });

  it('gives a Pod up that was counted and never came (20)', async () => {
    const { world, manager, stop } = await settled([aSubset('a', 6)]);
    await world.replicas[0]?.ask('/mutate-pod', { operation: 'CREATE', object: world.newPod({ name: 'ghost' }), name: 'ghost' });
    await settle(world, manager);
    expect([world.counted, world.promised]).toEqual([['a 5/1'], ['ghost']]);
    await world.clock.step(30_000);
    await settle(world, manager);
    expect([world.promised, manager.events.map(({ reason, message }) => [reason, message.includes('ghost')])]).toEqual([
      [],
      [['CreatePodFailed', true]],
    ]);
    expect(world.spread.status?.versionedSubsetStatuses?.['versionIgnored']?.[0]?.missingReplicas).toBe(1);
    await stop();
  });

  it('takes back the place of a Pod that was to go and stayed', async () => {
    const { world, manager, stop } = await settled();
    await world.evict('web-1');
    await settle(world, manager);
    expect(world.promised).toEqual(['web-1']);
    await world.clock.step(15_000);
    await settle(world, manager);
    expect([world.promised, manager.events.map(({ reason }) => reason)]).toEqual([[], ['DeletePodFailed']]);
    await stop();
  });

  it('deletes Pods that find no node, only those it has seen, and the next go elsewhere (9)', async () => {
    const strategy = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } as const;
    const world = new SpreadCluster(subsets, { scheduleStrategy: strategy });
    const manager = world.begin();
    const decision = await world.create(unschedulable(world.newPod({ node: '' })));
    expect(decision.kind).toBe('Changed');
    await settle(world, manager);
    await world.clock.step(9000);
    await settle(world, manager);
    expect(world.pods).toEqual([]);
    await world.create(world.newPod());
    await settle(world, manager);
    expect(world.placed).toEqual({ b: 1 });
    const conditions = () => world.spread.status?.subsetStatuses?.map((state) => state.conditions?.[0]?.status);
    expect(conditions()).toEqual(['False', 'True']);
    await world.clock.step(300_000);
    await settle(world, manager);
    expect([conditions(), manager.events.map(({ reason }) => reason)]).toEqual([['True', 'True'], ['RecoverSchedulable']]);
    await manager.stop();
    await world.stop();
  });

  it('reports no Pods for a deleted workload', async () => {
    const { world, manager, stop } = await settled();
    for (const pod of world.pods)
      await world.api.delete(pods, { namespace: 'default', name: pod.metadata.name }, { gracePeriodSeconds: 0 });
    await world.api.delete(cloneSets, { namespace: 'default', name: 'web' });
    await settle(world, manager);
    expect([world.counted, world.spread.status?.versionedSubsetStatuses]).toEqual([['a 0/2', 'b 0/-1'], undefined]);
    await stop();
  });

  it('reports one that admission did not check and that cannot be processed, and no other', async () => {
    const { world, manager, stop } = await settled();
    const broken = { ...world.spread, metadata: { name: 'broken', namespace: 'default' }, spec: { targetRef: null, subsets: 7 } };
    world.api.seed(workloadSpreads, broken as unknown as WorkloadSpread);
    await settle(world, manager);
    expect(manager.events.map(({ about, type, reason }) => [about, type, reason])).toEqual([['broken', 'Warning', 'InvalidSpec']]);
    await world.create(world.newPod());
    await settle(world, manager);
    expect(world.counted).toEqual(['a 2/0', 'b 4/-1']);
    await stop();
  });

  it('spreads by the scale of an unknown kind, and of none by the value at a path', async () => {
    const game: ResourceType = { group: 'game.example.com', version: 'v1', kind: 'GameSet', plural: 'gamesets', namespaced: true };
    const targetRef = { apiVersion: 'game.example.com/v1', kind: 'GameSet', name: 'game' };
    const run = async (spec: object, filter?: WorkloadSpread['spec']['targetFilter']) => {
      const world = new SpreadCluster([aSubset('a', '50%'), aSubset('b')], {
        targetRef,
        ...(filter === undefined ? {} : { targetFilter: filter }),
      });
      const resource = (name: string, kind: string) => ({ name, kind, namespaced: true, verbs: ['get'] });
      world.api.rawAnswers.set('/apis/game.example.com/v1', {
        resources: [resource('gamesets', 'GameSet'), resource('gamesets/scale', 'Scale')],
      });
      const set = world.api.seed(game, { metadata: { name: 'game', namespace: 'default' }, spec } as KubeObject);
      const owner = { ...targetRef, uid: set.metadata.uid ?? '', controller: true };
      world.api.seed(
        pods,
        asNew(aPod({ name: 'x', owner, annotations: { 'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":"a"}' } })),
      );
      const manager = world.begin();
      await settle(world, manager);
      await manager.stop();
      await world.stop();
      return world.counted;
    };
    expect(await run({ replicas: 6 })).toEqual(['a 1/2', 'b 0/-1']);
    expect(await run({ replicas: 0, roles: [{ size: 8 }] }, { replicasPathList: ['spec.roles.0.size'] })).toEqual(['a 1/3', 'b 0/-1']);
  });

  it('counts Pods of a Job by its parallelism, and those alone that its selector selects (11)', async () => {
    const targetRef = { apiVersion: 'batch/v1', kind: 'Job', name: 'work' };
    const world = new SpreadCluster([aSubset('a', '50%'), aSubset('b', '50%')], { targetRef });
    const job = world.api.seed(jobs, {
      metadata: { name: 'work', namespace: 'default' },
      spec: { parallelism: 4, selector: { matchLabels: { job: 'x' } } },
    });
    const owner = { ...targetRef, uid: job.metadata.uid ?? '', controller: true };
    const manager = world.begin();
    for (let index = 0; index < 4; index += 1) await world.create(world.newPod({ owner, labels: { job: 'x' } }));
    await settle(world, manager);
    expect([world.placed, world.counted]).toEqual([{ a: 2, b: 2 }, ['a 2/0', 'b 2/0']]);
    const [first] = world.active;
    await world.api.patch(
      pods,
      { namespace: 'default', name: first?.metadata.name ?? '' },
      { status: { phase: 'Succeeded' } },
      { type: 'merge', subresource: 'status' },
    );
    await settle(world, manager);
    expect(world.counted).toEqual(['a 1/1', 'b 2/0']);
    await world.create(world.newPod({ owner, labels: { job: 'x' } }));
    expect(world.placed).toEqual({ a: 2, b: 2 });
    await manager.stop();
    await world.stop();
  });

  it('takes over what another manager has left: no Pod is written, nor the status', async () => {
    const { world, stop } = await settled();
    await stop();
    const calls = world.api.calls.length;
    const next = world.begin();
    await settle(world, next);
    await next.stop();
    expect(world.api.calls.slice(calls).filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))).toEqual([]);
  });

  it('watches no kind of workload without a WorkloadSpread', async () => {
    const { world, stop } = await settled();
    const watched = new Set(world.api.calls.filter(({ verb }) => verb === 'watch').map(({ type }) => type?.kind));
    expect([watched.has('CloneSet'), watched.has('Deployment'), watched.has('Job'), watched.has('StatefulSet')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    await stop();
  });

  it('does nothing more for a deleted one', async () => {
    const { world, manager, stop } = await settled();
    await world.api.delete(workloadSpreads, key);
    const calls = world.api.calls.length;
    await world.api.delete(pods, { namespace: 'default', name: 'web-1' }, { gracePeriodSeconds: 0 });
    await settle(world, manager);
    expect(world.api.calls.slice(calls).filter(({ verb }) => verb === 'patch' || verb === 'update')).toEqual([]);
    await stop();
  });
});
