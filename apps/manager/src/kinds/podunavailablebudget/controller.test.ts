import { describe, expect, it } from '@jest/globals';
import { podUnavailableBudgets } from '@kruise/api';
import { apiFailures, quietHour, type FakeCall } from '@kruise/kube/testing';
import { pods, type KubeObject } from '@kruise/objects';
import type { ControllerProcess, ProcessOptions } from '../../module/controller-process.testing.ts';
import { deployments, replicaSets } from '@kruise/workloads';
import { BudgetCluster, namespace, refer, relatedPub, rolloutReference, rollouts } from './cluster.testing.ts';

/** Two Deployments of five Pods, and a budget of a quarter. */
async function begin(options: ProcessOptions = {}, spec: Parameters<BudgetCluster['budget']>[0] = { maxUnavailable: '25%' }) {
  const cluster = new BudgetCluster();
  for (const name of ['one', 'two']) {
    cluster.deployment(name, 5);
    cluster.pods(name, 5);
  }
  cluster.budget(spec);
  const manager = cluster.begin(options);
  await settle(cluster, manager);
  return { cluster, manager };
}

async function settle(cluster: BudgetCluster, manager: ControllerProcess): Promise<void> {
  await manager.settle();
  await cluster.clock.step(500);
  await manager.settle();
}

const reasons = (manager: ControllerProcess): readonly string[] => manager.events.map(({ reason }) => reason);
const statusWrites = (cluster: BudgetCluster): number =>
  cluster.api.calls.filter(({ type, verb, subresource }) => type === podUnavailableBudgets && verb === 'update' && subresource === 'status')
    .length;

describe('the numbers of a budget (9)', () => {
  it('1: without Pods all are 0, which is reported', async () => {
    const cluster = new BudgetCluster();
    cluster.budget({ maxUnavailable: 1 });
    const manager = cluster.begin();
    await settle(cluster, manager);
    expect([cluster.numbers(), manager.events.map(({ type, reason, message }) => [type, reason, message])]).toEqual([
      [0, 0, 0, 0],
      [['Normal', 'NoPods', 'No matching pods found']],
    ]);
    await manager.stop();
  });

  it('2: a quarter of two Deployments of five ready Pods', async () => {
    const { cluster, manager } = await begin();
    expect(cluster.numbers()).toEqual([10, 7, 10, 3]);
    expect(statusWrites(cluster)).toBe(1);
    await manager.stop();
  });

  it('9: the Pods of a Deployment that is scaled to 0 may go, and those of one that is deleted, too', async () => {
    const { cluster, manager } = await begin();
    cluster.deployment('one', 0);
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([5, 3, 10, 7]);
    await cluster.api.delete(deployments, { namespace, name: 'two' }, { propagationPolicy: 'Background' });
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([0, 0, 10, 10]);
    await manager.stop();
  });

  it('follow Pods that become unready and ready, at once', async () => {
    const { cluster, manager } = await begin();
    cluster.pod('one-0', 'one', { ready: false });
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([10, 7, 9, 2]);
    cluster.pod('one-0', 'one');
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([10, 7, 10, 3]);
    await manager.stop();
  });

  it('follow Pods whose labels change', async () => {
    const { cluster, manager } = await begin();
    cluster.pod('one-0', 'one', { labels: { app: 'other' } });
    await settle(cluster, manager);
    expect(cluster.numbers()[2]).toBe(9);
    cluster.pod('extra', undefined);
    await settle(cluster, manager);
    expect(cluster.numbers()[2]).toBe(10);
    await manager.stop();
  });

  it('of a targetRef are those of the workload alone', async () => {
    const { cluster, manager } = await begin(
      {},
      { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'two' }, minAvailable: 2 },
    );
    expect(cluster.numbers()).toEqual([5, 2, 5, 3]);
    cluster.pod('two-0', 'two', { ready: false });
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([5, 2, 4, 2]);
    cluster.deployment('two', 0);
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([0, 2, 0, 0]);
    await manager.stop();
  });

  it.each<{ name: string; before: (cluster: BudgetCluster) => void | Promise<void>; then: readonly number[] }>([
    {
      name: 'Pods without a controller add nothing to the total',
      before: (cluster) => void cluster.pod('lone', undefined),
      then: [10, 7, 11, 4],
    },
    {
      name: 'Pods that have ended do not count',
      before: (cluster) => void cluster.pod('done', 'one', { phase: 'Failed' }),
      then: [10, 7, 10, 3],
    },
    {
      name: 'terminating Pods do not count',
      before: async (cluster) => {
        cluster.pod('one-0', 'one', { finalizers: ['example.com/held'] });
        await cluster.api.delete(pods, { namespace, name: 'one-0' });
      },
      then: [10, 7, 9, 2],
    },
    {
      name: 'a workload that is being deleted adds nothing',
      before: async (cluster) => {
        const key = { namespace, name: 'one' };
        await cluster.api.patch(deployments, key, { metadata: { finalizers: ['example.com/held'] } }, { type: 'merge' });
        await cluster.api.delete(deployments, key);
      },
      then: [5, 3, 10, 7],
    },
    {
      name: 'the ReplicaSets of one Deployment are one workload',
      before: (cluster) => {
        const [held] = cluster.api.peekAll(deployments, namespace).filter(({ metadata }) => metadata.name === 'one');
        if (held === undefined) throw new Error('it is there');
        const newer = cluster.api.seed(replicaSets, {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          metadata: { name: 'one-2', namespace, labels: { app: 'web', of: 'one' }, ownerReferences: [refer(held, deployments)] },
          spec: { replicas: 1 },
        } as KubeObject);
        cluster.pod('one-new', undefined, { owner: refer(newer, replicaSets) });
      },
      then: [10, 7, 11, 4],
    },
    {
      name: 'a workload of unknown size counts as large as its Pods',
      before: (cluster) =>
        void cluster.pod('odd', undefined, {
          owner: { apiVersion: 'none.example.com/v1', kind: 'Odd', name: 'odd', uid: 'odd', controller: true },
        }),
      then: [11, 8, 11, 3],
    },
  ])('$name (5.2)', async ({ before, then }) => {
    const { cluster, manager } = await begin();
    await before(cluster);
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual(then);
    await manager.stop();
  });

  it('count from the annotation of older budgets', async () => {
    const cluster = new BudgetCluster();
    cluster.budget({ maxUnavailable: '50%' }, { annotations: { 'pub.kruise.io/protect-total-replicas': '20' } });
    const manager = cluster.begin();
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([20, 10, 0, 0]);
    await manager.stop();
  });

  it('18: of a kind with no more than a Scale come from it; one that is not served is said, and looked for again', async () => {
    const cluster = new BudgetCluster();
    cluster.budget({ targetRef: rolloutReference('web'), maxUnavailable: 1 });
    const manager = cluster.begin();
    await settle(cluster, manager);
    expect(cluster.get()?.status?.conditions).toMatchObject([{ type: 'Blocked', reason: 'WorkloadUnknown' }]);
    expect(reasons(manager)).toEqual(['CalculateExpectedPodCountFailed']);
    cluster.serveRollouts();
    cluster.rollout('web', 3);
    cluster.pods('web', 2);
    await cluster.clock.step(31_000);
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([3, 2, 2, 0]);
    expect(cluster.get()?.status?.conditions).toBeUndefined();
    await manager.stop();
  });
});

describe('workloads of a kind that is not watched (8)', () => {
  /** Two Pods that only the selector of its Scale finds. */
  async function beginForeign(spec: Parameters<BudgetCluster['budget']>[0] = {}) {
    const cluster = new BudgetCluster();
    cluster.serveRollouts();
    cluster.rollout('web', 2);
    cluster.pods('web', 2);
    cluster.budget({ targetRef: rolloutReference('web'), maxUnavailable: 1, ...spec });
    const manager = cluster.begin();
    await settle(cluster, manager);
    return { cluster, manager };
  }
  const patches = (cluster: BudgetCluster): number =>
    cluster.api.calls.filter(({ type, verb }) => type === pods && verb === 'patch').length;

  it('name their Pods once, including those whose owner is unknown', async () => {
    const { cluster, manager } = await beginForeign();
    cluster.pod('web-0', undefined, { ready: false });
    await settle(cluster, manager);
    expect([cluster.numbers(), patches(cluster)]).toEqual([[2, 1, 1, 0], 2]);
    await manager.stop();
  });

  it('hear of a new Pod at once', async () => {
    const { cluster, manager } = await beginForeign();
    cluster.pod('web-2', undefined);
    await settle(cluster, manager);
    expect([cluster.numbers(), cluster.getPod('web-2')?.metadata.annotations?.[relatedPub]]).toEqual([[2, 1, 3, 2], 'b']);
    await manager.stop();
  });

  it('do not quarrel with another budget over the names of their Pods', async () => {
    const { cluster, manager } = await beginForeign();
    cluster.budget({ selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 }, { name: 'a' });
    cluster.pod('web-2', undefined);
    await cluster.clock.step(60_000);
    expect(patches(cluster)).toBe(3);
    await manager.stop();
  });

  it.each([
    { name: 'its own', spec: { maxUnavailable: 0 } },
    { name: 'that of selected Pods', spec: { targetRef: undefined, selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 } },
  ])('are looked at again while no Pod may go: one that was scaled down lets its surplus go ($name)', async ({ spec }) => {
    const { cluster, manager } = await beginForeign(spec as Parameters<BudgetCluster['budget']>[0]);
    for (const name of ['web-0', 'web-1']) cluster.pod(name, undefined, { owner: refer(cluster.rollout('web', 2), rollouts) });
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([2, 2, 2, 0]);
    cluster.rollout('web', 1);
    await cluster.clock.step(31_000);
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([1, 1, 2, 1]);
    await manager.stop();
  });
});

describe('Pods get the name of their budget (5.2, 6, 8)', () => {
  const namesOf = (cluster: BudgetCluster): readonly (string | undefined)[] =>
    cluster.podList.map(({ metadata }) => metadata.annotations?.[relatedPub]);

  it('when they bear none, those that come later as well, with one write each', async () => {
    const { cluster, manager } = await begin();
    expect(new Set(namesOf(cluster))).toEqual(new Set(['b']));
    cluster.pod('later', 'one');
    await settle(cluster, manager);
    expect(cluster.getPod('later')?.metadata.annotations?.['kruise.io/related-pub']).toBe('b');
    expect(cluster.api.calls.filter(({ type, verb }) => type === pods && verb === 'patch')).toHaveLength(11);
    await manager.stop();
  });

  it('when the one that they name is deleted, or selects others', async () => {
    const { cluster, manager } = await begin();
    cluster.budget({ selector: { matchLabels: { app: 'other' } }, maxUnavailable: 1 }, { name: 'other' });
    for (const [pod, budget] of Object.entries({ 'one-0': 'gone', 'one-1': 'other' }))
      cluster.pod(pod, 'one', { annotations: { [relatedPub]: budget } });
    await settle(cluster, manager);
    expect(['one-0', 'one-1'].map((name) => cluster.getPod(name)?.metadata.annotations?.[relatedPub])).toEqual(['b', 'b']);
    await manager.stop();
  });

  it('not when another budget that is for them has named them', async () => {
    const { cluster, manager } = await begin();
    cluster.budget({ selector: { matchLabels: { of: 'one' } }, maxUnavailable: 1 }, { name: 'also' });
    await settle(cluster, manager);
    expect(new Set(namesOf(cluster))).toEqual(new Set(['b']));
    await manager.stop();
  });

  it('and the pass is made again when that fails', async () => {
    let failures = 2;
    const before: ProcessOptions['before'] = ({ type, verb }) => {
      if (type === pods && verb === 'patch' && failures-- > 0) throw apiFailures.unreachable();
    };
    const { cluster, manager } = await begin({ before });
    await cluster.clock.step(5000);
    await settle(cluster, manager);
    expect(new Set(namesOf(cluster))).toEqual(new Set(['b']));
    await manager.stop();
  });
});

describe('records of admissions (5.5)', () => {
  it('16: a deletion that was admitted and did not happen returns the budget after 20 s, and is reported', async () => {
    const { cluster, manager } = await begin();
    const replica = await cluster.replica();
    expect(await replica.ask({ operation: 'DELETE', name: 'one-0', oldObject: cluster.getPod('one-0')! })).toMatchObject({ code: 200 });
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([10, 7, 9, 2]);
    await cluster.clock.step(19_000);
    expect(cluster.numbers()[3]).toBe(2);
    await cluster.clock.step(5000);
    expect(cluster.numbers()).toEqual([10, 7, 10, 3]);
    expect(manager.events).toEqual([
      { about: 'one-0', type: 'Warning', reason: 'NotDeleted', message: "Pod was expected by PUB default/b to be deleted but it wasn't" },
    ]);
    await cluster.stop();
    await manager.stop();
  });

  it('an update that came to nothing gives it back after 10 s, without a word', async () => {
    const { cluster, manager } = await begin();
    const replica = await cluster.replica();
    const pod = cluster.getPod('one-0')!;
    const object = { ...pod, spec: { ...pod.spec, containers: [{ name: 'main', image: 'app:2' }] } };
    await replica.ask({ operation: 'UPDATE', name: 'one-0', object, oldObject: pod });
    await cluster.clock.step(9000);
    expect(cluster.numbers()[3]).toBe(2);
    await cluster.clock.step(5000);
    expect([cluster.numbers()[3], reasons(manager)]).toEqual([3, []]);
    await cluster.stop();
    await manager.stop();
  });

  it('are removed with their Pods', async () => {
    const { cluster, manager } = await begin();
    const replica = await cluster.replica();
    await cluster.delete('one-0', replica);
    expect(Object.keys(cluster.get()?.status?.disruptedPods ?? {})).toEqual(['one-0']);
    await cluster.clock.step(6000);
    expect([cluster.numbers(), cluster.get()?.status?.disruptedPods]).toEqual([[10, 7, 9, 2], undefined]);
    await cluster.stop();
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
    const { cluster, manager } = await begin();
    cluster.budget(spec, { name: 'bad' });
    await settle(cluster, manager);
    expect(cluster.get('bad')?.status?.conditions).toMatchObject([{ reason: 'InvalidSpec', message: expect.stringContaining(message) }]);
    expect(reasons(manager)).toEqual(['CalculateExpectedPodCountFailed']);
    cluster.pod('one-0', 'one', { ready: false });
    await settle(cluster, manager);
    expect(cluster.numbers()).toEqual([10, 7, 9, 2]);
    await manager.stop();
  });

  it('without any spec', async () => {
    const { cluster, manager } = await begin();
    cluster.api.seed(podUnavailableBudgets, { metadata: { name: 'bad', namespace } } as never);
    await settle(cluster, manager);
    expect(cluster.get('bad')?.status?.conditions).toMatchObject([{ reason: 'InvalidSpec' }]);
    await manager.stop();
  });
});

describe('a write that the API server refuses (5.6, ours)', () => {
  const minute = async (cluster: BudgetCluster, manager: ControllerProcess): Promise<void> => {
    for (let second = 0; second < 60; second += 1) {
      cluster.pod('two-0', 'two', { ready: second % 2 === 0 });
      await settle(cluster, manager);
      await cluster.clock.step(500);
    }
  };

  it.each<{ name: string; isIt: (call: FakeCall) => boolean }>([
    { name: 'an annotation', isIt: ({ verb, type, key: { name } }) => verb === 'patch' && type === pods && name === 'one-0' },
    { name: 'a status', isIt: ({ subresource }) => subresource === 'status' },
  ])('$name is repeated with increasing delays, whatever Pods do meanwhile', async ({ isIt }) => {
    let [isRefused, tries] = [true, 0];
    const before: ProcessOptions['before'] = (call) => {
      if (!isRefused || !isIt(call)) return;
      tries += 1;
      throw apiFailures.badRequest('refused by a policy');
    };
    const { cluster, manager } = await begin({ before });
    await minute(cluster, manager);
    expect(tries).toBeGreaterThanOrEqual(5);
    expect(tries).toBeLessThanOrEqual(7);
    isRefused = false;
    await cluster.clock.step(60_000);
    await settle(cluster, manager);
    expect([cluster.numbers(), cluster.getPod('one-0')?.metadata.annotations?.[relatedPub]]).toEqual([[10, 7, 9, 2], 'b']);
    await manager.stop();
  });

  it('an annotation delays neither the other annotations nor the status', async () => {
    const before: ProcessOptions['before'] = ({ verb, type, key: { name } }) => {
      if (verb === 'patch' && type === pods && name === 'one-0') throw apiFailures.badRequest('refused by a policy');
    };
    const { cluster, manager } = await begin({ before });
    expect([cluster.numbers(), cluster.getPod('one-1')?.metadata.annotations?.[relatedPub]]).toEqual([[10, 7, 10, 3], 'b']);
    await manager.stop();
  });
});

describe('what a budget costs', () => {
  it('an hour in which nothing happens is quiet: no write, and no read', async () => {
    const { cluster, manager } = await begin();
    const before = cluster.api.calls.length;
    expect(await quietHour(cluster)).toEqual([]);
    expect(cluster.api.calls.slice(before).filter(({ verb }) => verb !== 'watch' && verb !== 'list')).toEqual([]);
    await manager.stop();
  });

  it('a Pod of one budget enqueues no other', async () => {
    const { cluster, manager } = await begin();
    for (let i = 0; i < 20; i++)
      cluster.budget({ selector: { matchLabels: { app: `other-${i}` } }, maxUnavailable: 1 }, { name: `other-${i}` });
    await settle(cluster, manager);
    const before = statusWrites(cluster);
    cluster.pod('one-0', 'one', { ready: false });
    await settle(cluster, manager);
    expect(statusWrites(cluster) - before).toBe(1);
    await manager.stop();
  });

  it('ReplicaSets are watched from the first Pod on that needs them', async () => {
    const cluster = new BudgetCluster();
    const manager = cluster.begin();
    await settle(cluster, manager);
    expect(cluster.api.calls.filter(({ type }) => type === replicaSets)).toEqual([]);
    await manager.stop();
  });
});
