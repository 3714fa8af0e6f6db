import { describe, expect, it } from '@jest/globals';
import { podUnavailableBudgets } from '@kruise/api';
import { apiFailures, quietHour } from '@kruise/kube/testing';
import { pods, type KubeObject } from '@kruise/objects';
import type { ControllerProcess, ProcessOptions } from '../../module/controller-process.testing.ts';
import { deployments, replicaSets } from '@kruise/workloads';
import { BudgetCluster, namespace, refer, relatedPub, rolloutReference, rollouts } from './cluster.testing.ts';

/** Two Deployments of five Pods, and a budget of a quarter. */
async function begin(options: ProcessOptions = {}, spec: Parameters<BudgetCluster['budget']>[0] = { maxUnavailable: '25%' }) {
  const world = new BudgetCluster();
  for (const name of ['one', 'two']) {
    world.deployment(name, 5);
    world.pods(name, 5);
  }
  world.budget(spec);
  const manager = world.begin(options);
  await settle(world, manager);
  return { world, manager };
}

async function settle(world: BudgetCluster, manager: ControllerProcess): Promise<void> {
  await manager.settle();
  await world.clock.step(500);
  await manager.settle();
}

const reasons = (manager: ControllerProcess): readonly string[] => manager.events.map(({ reason }) => reason);
const statusWrites = (world: BudgetCluster): number =>
  world.api.calls.filter(({ type, verb, subresource }) => type === podUnavailableBudgets && verb === 'update' && subresource === 'status')
    .length;

describe('the numbers of a budget (9)', () => {
  it('1: without Pods all are 0, which is reported', async () => {
    const world = new BudgetCluster();
    world.budget({ maxUnavailable: 1 });
    const manager = world.begin();
    await settle(world, manager);
    expect([world.numbers(), manager.events.map(({ type, reason, message }) => [type, reason, message])]).toEqual([
      [0, 0, 0, 0],
      [['Normal', 'NoPods', 'No matching pods found']],
    ]);
    await manager.stop();
  });

  it('2: a quarter of two Deployments of five ready Pods', async () => {
    const { world, manager } = await begin();
    expect(world.numbers()).toEqual([10, 7, 10, 3]);
    expect(statusWrites(world)).toBe(1);
    await manager.stop();
  });

  it('9: the Pods of a Deployment that is scaled to 0 may go, and those of one that is deleted, too', async () => {
    const { world, manager } = await begin();
    world.deployment('one', 0);
    await settle(world, manager);
    expect(world.numbers()).toEqual([5, 3, 10, 7]);
    await world.api.delete(deployments, { namespace, name: 'two' }, { propagationPolicy: 'Background' });
    await settle(world, manager);
    expect(world.numbers()).toEqual([0, 0, 10, 10]);
    await manager.stop();
  });

  it('follow Pods that become unready and ready, at once', async () => {
    const { world, manager } = await begin();
    world.pod('one-0', 'one', { ready: false });
    await settle(world, manager);
    expect(world.numbers()).toEqual([10, 7, 9, 2]);
    world.pod('one-0', 'one');
    await settle(world, manager);
    expect(world.numbers()).toEqual([10, 7, 10, 3]);
    await manager.stop();
  });

  it('follow Pods whose labels change', async () => {
    const { world, manager } = await begin();
    world.pod('one-0', 'one', { labels: { app: 'other' } });
    await settle(world, manager);
    expect(world.numbers()[2]).toBe(9);
    world.pod('extra', undefined);
    await settle(world, manager);
    expect(world.numbers()[2]).toBe(10);
    await manager.stop();
  });

  it('of a targetRef are those of the workload alone', async () => {
    const { world, manager } = await begin({}, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'two' }, minAvailable: 2 });
    expect(world.numbers()).toEqual([5, 2, 5, 3]);
    world.pod('two-0', 'two', { ready: false });
    await settle(world, manager);
    expect(world.numbers()).toEqual([5, 2, 4, 2]);
    world.deployment('two', 0);
    await settle(world, manager);
    expect(world.numbers()).toEqual([0, 2, 0, 0]);
    await manager.stop();
  });

  it.each<{ name: string; before: (world: BudgetCluster) => void | Promise<void>; then: readonly number[] }>([
    {
      name: 'Pods without a controller add nothing to the total',
      before: (world) => void world.pod('lone', undefined),
      then: [10, 7, 11, 4],
    },
    {
      name: 'Pods that have ended do not count',
      before: (world) => void world.pod('done', 'one', { phase: 'Failed' }),
      then: [10, 7, 10, 3],
    },
    {
      name: 'terminating Pods do not count',
      before: async (world) => {
        world.pod('one-0', 'one', { finalizers: ['example.com/held'] });
        await world.api.delete(pods, { namespace, name: 'one-0' });
      },
      then: [10, 7, 9, 2],
    },
    {
      name: 'a workload that is being deleted adds nothing',
      before: async (world) => {
        const key = { namespace, name: 'one' };
        await world.api.patch(deployments, key, { metadata: { finalizers: ['example.com/held'] } }, { type: 'merge' });
        await world.api.delete(deployments, key);
      },
      then: [5, 3, 10, 7],
    },
    {
      name: 'the ReplicaSets of one Deployment are one workload',
      before: (world) => {
        const [held] = world.api.peekAll(deployments, namespace).filter(({ metadata }) => metadata.name === 'one');
        if (held === undefined) throw new Error('it is there');
        const newer = world.api.seed(replicaSets, {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          metadata: { name: 'one-2', namespace, labels: { app: 'web', of: 'one' }, ownerReferences: [refer(held, deployments)] },
          spec: { replicas: 1 },
        } as KubeObject);
        world.pod('one-new', undefined, { owner: refer(newer, replicaSets) });
      },
      then: [10, 7, 11, 4],
    },
    {
      name: 'a workload of unknown size counts as large as its Pods',
      before: (world) =>
        void world.pod('odd', undefined, {
          owner: { apiVersion: 'none.example.com/v1', kind: 'Odd', name: 'odd', uid: 'odd', controller: true },
        }),
      then: [11, 8, 11, 3],
    },
  ])('$name (5.2)', async ({ before, then }) => {
    const { world, manager } = await begin();
    await before(world);
    await settle(world, manager);
    expect(world.numbers()).toEqual(then);
    await manager.stop();
  });

  it('count from the annotation of older budgets', async () => {
    const world = new BudgetCluster();
    world.budget({ maxUnavailable: '50%' }, { annotations: { 'pub.kruise.io/protect-total-replicas': '20' } });
    const manager = world.begin();
    await settle(world, manager);
    expect(world.numbers()).toEqual([20, 10, 0, 0]);
    await manager.stop();
  });

  it('18: of a kind with no more than a Scale come from it; one that is not served is said, and looked for again', async () => {
    const world = new BudgetCluster();
    world.budget({ targetRef: rolloutReference('web'), maxUnavailable: 1 });
    const manager = world.begin();
    await settle(world, manager);
    expect(world.get()?.status?.conditions).toMatchObject([{ type: 'Blocked', reason: 'WorkloadUnknown' }]);
    expect(reasons(manager)).toEqual(['CalculateExpectedPodCountFailed']);
    world.serveRollouts();
    world.rollout('web', 3);
    world.pods('web', 2);
    await world.clock.step(31_000);
    await settle(world, manager);
    expect(world.numbers()).toEqual([3, 2, 2, 0]);
    expect(world.get()?.status?.conditions).toBeUndefined();
    await manager.stop();
  });
});

describe('workloads of a kind that is not watched (8)', () => {
  /** Two Pods that only the selector of its Scale finds. */
  async function beginForeign(spec: Parameters<BudgetCluster['budget']>[0] = {}) {
    const world = new BudgetCluster();
    world.serveRollouts();
    world.rollout('web', 2);
    world.pods('web', 2);
    world.budget({ targetRef: rolloutReference('web'), maxUnavailable: 1, ...spec });
    const manager = world.begin();
    await settle(world, manager);
    return { world, manager };
  }
  const patches = (world: BudgetCluster): number => world.api.calls.filter(({ type, verb }) => type === pods && verb === 'patch').length;

  it('name their Pods once, including those whose owner is unknown', async () => {
    const { world, manager } = await beginForeign();
    world.pod('web-0', undefined, { ready: false });
    await settle(world, manager);
    expect([world.numbers(), patches(world)]).toEqual([[2, 1, 1, 0], 2]);
    await manager.stop();
  });

  it('hear of a new Pod at once', async () => {
    const { world, manager } = await beginForeign();
    world.pod('web-2', undefined);
    await settle(world, manager);
    expect([world.numbers(), world.getPod('web-2')?.metadata.annotations?.[relatedPub]]).toEqual([[2, 1, 3, 2], 'b']);
    await manager.stop();
  });

  it('do not quarrel with another budget over the names of their Pods', async () => {
    const { world, manager } = await beginForeign();
    world.budget({ selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 }, { name: 'a' });
    world.pod('web-2', undefined);
    await world.clock.step(60_000);
    expect(patches(world)).toBe(3);
    await manager.stop();
  });

  it.each([
    { name: 'its own', spec: { maxUnavailable: 0 } },
    { name: 'that of selected Pods', spec: { targetRef: undefined, selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 } },
  ])('are looked at again while no Pod may go: one that was scaled down lets its surplus go ($name)', async ({ spec }) => {
    const { world, manager } = await beginForeign(spec as Parameters<BudgetCluster['budget']>[0]);
    for (const name of ['web-0', 'web-1']) world.pod(name, undefined, { owner: refer(world.rollout('web', 2), rollouts) });
    await settle(world, manager);
    expect(world.numbers()).toEqual([2, 2, 2, 0]);
    world.rollout('web', 1);
    await world.clock.step(31_000);
    await settle(world, manager);
    expect(world.numbers()).toEqual([1, 1, 2, 1]);
    await manager.stop();
  });
});

describe('Pods get the name of their budget (5.2, 6, 8)', () => {
  const namesOf = (world: BudgetCluster): readonly (string | undefined)[] =>
    world.podList.map(({ metadata }) => metadata.annotations?.[relatedPub]);

  it('when they bear none, those that come later as well, with one write each', async () => {
    const { world, manager } = await begin();
    expect(new Set(namesOf(world))).toEqual(new Set(['b']));
    world.pod('later', 'one');
    await settle(world, manager);
    expect(world.getPod('later')?.metadata.annotations?.['kruise.io/related-pub']).toBe('b');
    expect(world.api.calls.filter(({ type, verb }) => type === pods && verb === 'patch')).toHaveLength(11);
    await manager.stop();
  });

  it('when the one that they name is deleted, or selects others', async () => {
    const { world, manager } = await begin();
    world.budget({ selector: { matchLabels: { app: 'other' } }, maxUnavailable: 1 }, { name: 'other' });
    for (const [pod, budget] of Object.entries({ 'one-0': 'gone', 'one-1': 'other' }))
      world.pod(pod, 'one', { annotations: { [relatedPub]: budget } });
    await settle(world, manager);
    expect(['one-0', 'one-1'].map((name) => world.getPod(name)?.metadata.annotations?.[relatedPub])).toEqual(['b', 'b']);
    await manager.stop();
  });

  it('not when another budget that is for them has named them', async () => {
    const { world, manager } = await begin();
    world.budget({ selector: { matchLabels: { of: 'one' } }, maxUnavailable: 1 }, { name: 'also' });
    await settle(world, manager);
    expect(new Set(namesOf(world))).toEqual(new Set(['b']));
    await manager.stop();
  });

  it('and the pass is made again when that fails', async () => {
    let failures = 2;
    const before: ProcessOptions['before'] = ({ type, verb }) => {
      if (type === pods && verb === 'patch' && failures-- > 0) throw apiFailures.unreachable();
    };
    const { world, manager } = await begin({ before });
    await world.clock.step(5000);
    await settle(world, manager);
    expect(new Set(namesOf(world))).toEqual(new Set(['b']));
    await manager.stop();
  });
});

describe('records of admissions (5.5)', () => {
  it('16: a deletion that was admitted and did not happen returns the budget after 20 s, and is reported', async () => {
    const { world, manager } = await begin();
    const replica = await world.replica();
    expect(await replica.ask({ operation: 'DELETE', name: 'one-0', oldObject: world.getPod('one-0')! })).toMatchObject({ code: 200 });
    await settle(world, manager);
    expect(world.numbers()).toEqual([10, 7, 9, 2]);
    await world.clock.step(19_000);
    expect(world.numbers()[3]).toBe(2);
    await world.clock.step(5000);
    expect(world.numbers()).toEqual([10, 7, 10, 3]);
    expect(manager.events).toEqual([
      { about: 'one-0', type: 'Warning', reason: 'NotDeleted', message: "Pod was expected by PUB default/b to be deleted but it wasn't" },
    ]);
    await world.stop();
    await manager.stop();
  });

  it('an update that came to nothing gives it back after 10 s, without a word', async () => {
    const { world, manager } = await begin();
    const replica = await world.replica();
    const pod = world.getPod('one-0')!;
    const object = { ...pod, spec: { ...pod.spec, containers: [{ name: 'main', image: 'app:2' }] } };
    await replica.ask({ operation: 'UPDATE', name: 'one-0', object, oldObject: pod });
    await world.clock.step(9000);
    expect(world.numbers()[3]).toBe(2);
    await world.clock.step(5000);
    expect([world.numbers()[3], reasons(manager)]).toEqual([3, []]);
    await world.stop();
    await manager.stop();
  });

  it('are removed with their Pods', async () => {
    const { world, manager } = await begin();
    const replica = await world.replica();
    await world.delete('one-0', replica);
    expect(Object.keys(world.get()?.status?.disruptedPods ?? {})).toEqual(['one-0']);
    await world.clock.step(6000);
    expect([world.numbers(), world.get()?.status?.disruptedPods]).toEqual([[10, 7, 9, 2], undefined]);
    await world.stop();
    await manager.stop();
  });
});

describe('a budget that came past admission', () => {
  it.each<{ name: string; spec: object; message: string }>([
    { name: 'with a selector of nothing', spec: { selector: {}, maxUnavailable: 1 }, message: 'spec.selector' },
    { name: 'with an illegal selector', spec: { selector: { matchLabels: { a: '!' } }, maxUnavailable: 1 }, message: 'spec.selector' },
    { name: 'with half a target', spec: { targetRef: { kind: 'Deployment' }, maxUnavailable: 1 }, message: 'spec.targetRef' },
    {
      name: 'with a target of no kind',
      spec: { targetRef: { apiVersion: 'apps/v1', kind: '', name: 'one' }, maxUnavailable: 1 },
      message: 'spec.targetRef: apiVersion, kind and name must be given',
    },
    {
      name: 'with a target of no name',
      spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: '' }, maxUnavailable: 1 },
      message: 'spec.targetRef: apiVersion, kind and name must be given',
    },
    { name: 'with an amount that is none', spec: { maxUnavailable: 'many' }, message: 'spec.maxUnavailable' },
    { name: 'with nothing', spec: { selector: null }, message: 'one of them must be given' },
  ])('$name says so, and no other is the worse for it', async ({ spec, message }) => {
    const { world, manager } = await begin();
    world.budget(spec, { name: 'bad' });
    await settle(world, manager);
    expect(world.get('bad')?.status?.conditions).toMatchObject([{ reason: 'InvalidSpec', message: expect.stringContaining(message) }]);
    expect(reasons(manager)).toEqual(['CalculateExpectedPodCountFailed']);
    world.pod('one-0', 'one', { ready: false });
    await settle(world, manager);
    expect(world.numbers()).toEqual([10, 7, 9, 2]);
    await manager.stop();
  });

  it('without any spec', async () => {
    const { world, manager } = await begin();
    world.api.seed(podUnavailableBudgets, { metadata: { name: 'bad', namespace } } as never);
    await settle(world, manager);
    expect(world.get('bad')?.status?.conditions).toMatchObject([{ reason: 'InvalidSpec' }]);
    await manager.stop();
  });
});

describe('what a budget costs', () => {
  it('an hour in which nothing happens is quiet: no write, and no read', async () => {
    const { world, manager } = await begin();
    const before = world.api.calls.length;
    expect(await quietHour(world)).toEqual([]);
    expect(world.api.calls.slice(before).filter(({ verb }) => verb !== 'watch' && verb !== 'list')).toEqual([]);
    await manager.stop();
  });

  it('a Pod of one budget wakes no other', async () => {
    const { world, manager } = await begin();
    for (let i = 0; i < 20; i++)
      world.budget({ selector: { matchLabels: { app: `other-${i}` } }, maxUnavailable: 1 }, { name: `other-${i}` });
    await settle(world, manager);
    const before = statusWrites(world);
    world.pod('one-0', 'one', { ready: false });
    await settle(world, manager);
    expect(statusWrites(world) - before).toBe(1);
    await manager.stop();
  });

  it('ReplicaSets are watched from the first Pod on that needs them', async () => {
    const world = new BudgetCluster();
    const manager = world.begin();
    await settle(world, manager);
    expect(world.api.calls.filter(({ type }) => type === replicaSets)).toEqual([]);
    await manager.stop();
  });
});
