/**
 * Rollouts of Pods that run, where Pods are moved or substituted: at every moment as many are ready as the children's budgets allow, however
 * long the rollout takes, whatever the nodes do meanwhile, and whenever the process dies.
 * @see spec/uniteddeployment.md 5.4, 5.6
 */
import { describe, expect, it } from '@jest/globals';
import { unitedDeploymentLabels as labels } from '@kruise/api';
import { isPodReady, pods, type Pod } from '@kruise/objects';
import type { ClusterOptions } from '../../../module/controller-cluster.testing.ts';
import { type ChildKind, type ChildObject, subsetOf } from '@kruise/kinds/uniteddeployment';
import { Gate } from './refusals.testing.ts';
import { adaptive, named, type Topology } from '@kruise/kinds/uniteddeployment/testing';
import { UnitedDeploymentCluster } from '../cluster.testing.ts';

type Reserving = Extract<ChildKind['name'], 'CloneSet' | 'Deployment'>;

const total = 10;
const rollingUpdate = { maxUnavailable: '20%' };
const strategies: Readonly<Record<Reserving, object>> = {
  CloneSet: { updateStrategy: { rollingUpdate } },
  Deployment: { strategy: { rollingUpdate } },
};

const podsIn = (cluster: UnitedDeploymentCluster): readonly Pod[] => cluster.api.peekAll(pods, 'default');
const imagesIn = (cluster: UnitedDeploymentCluster): readonly (string | undefined)[] =>
  podsIn(cluster).map(({ spec }) => spec.containers[0]?.image);
const readyIn = (cluster: UnitedDeploymentCluster): number => podsIn(cluster).filter(isPodReady).length;
const reservedIn = (cluster: UnitedDeploymentCluster): number =>
  podsIn(cluster).filter(({ metadata }) => metadata.labels?.[labels.reservedPod] === 'true').length;

function childOf(cluster: UnitedDeploymentCluster, subset: string): ChildObject {
  const found = cluster.workloads.children.find(({ object }) => subsetOf(object) === subset);
  if (found === undefined) throw new Error(`subset ${subset} has no child`);
  return found.object;
}

/** What the child of a subset says of its budget. */
const budgetOf = (cluster: UnitedDeploymentCluster, subset: string): unknown => {
  const { spec } = childOf(cluster, subset);
  return (spec?.updateStrategy ?? spec?.strategy)?.rollingUpdate?.maxUnavailable;
};

/** Ten Pods of subset a that have run for a minute and take longer to start than a Pod may wait for a node. */
async function running(
  schedule: NonNullable<Topology['scheduleStrategy']>,
  kind: Reserving,
  options: ClusterOptions = {},
): Promise<UnitedDeploymentCluster> {
  const cluster = new UnitedDeploymentCluster(
    { replicas: total, schedule, kind, child: strategies[kind], subsets: named('a', 'b') },
    options,
  );
  await cluster.ticks(60);
  expect(cluster.subsets).toEqual([expect.stringMatching(/^a 10/), expect.stringMatching(/^b 0/)]);
  cluster.workloads.startup = 20;
  return cluster;
}

/** The lowest number of ready Pods, and the lowest number in the status, in any second. */
async function watched(cluster: UnitedDeploymentCluster, seconds: number): Promise<{ readonly ready: number; readonly reported: number }> {
  let [ready, reported] = [Infinity, Infinity];
  for (let i = 0; i < seconds; i++) {
    await cluster.tick();
    ready = Math.min(ready, readyIn(cluster));
    reported = Math.min(reported, cluster.status.replicas);
  }
  return { ready, reported };
}

const reserving = adaptive({ reserveUnschedulablePods: true });
const modes = [
  { mode: 'Adaptive', schedule: adaptive() },
  { mode: 'Reservation', schedule: reserving },
] as const;
const everywhere = modes.flatMap((one) => (['CloneSet', 'Deployment'] as const).map((kind) => ({ ...one, kind })));

describe('a rollout of running Pods', () => {
  it.each(everywhere)('keeps the budget of the child, and moves and reserves no Pod ($mode, $kind)', async ({ schedule, kind }) => {
    await using cluster = await running(schedule, kind);
    const before = cluster.status.currentRevision;
    cluster.changeImage('app:2', kind, strategies[kind]);
    for (let i = 0; i < 12; i++) {
      expect((await watched(cluster, 5)).ready).toBeGreaterThanOrEqual(8);
      expect(reservedIn(cluster)).toBe(0);
      expect(cluster.subsets).toEqual([expect.stringMatching(/^a 10/), expect.stringMatching(/^b 0/)]);
      expect([cluster.status.replicas >= 8, cluster.status.currentRevision, budgetOf(cluster, 'a')]).toEqual([true, before, '20%']);
    }
    await cluster.settle(200, 30);
    expect(new Set(imagesIn(cluster))).toEqual(new Set(['app:2']));
    expect(cluster.status).toMatchObject({ replicas: 10, updatedReadyReplicas: 10, currentRevision: cluster.status.updatedRevision });
  });

  it.each(everywhere)('keeps it through a third template and a rollback ($mode, $kind)', async ({ schedule, kind }) => {
    await using cluster = await running(schedule, kind);
    for (const image of ['app:2', 'app:3', 'app:1']) {
      cluster.changeImage(image, kind, strategies[kind]);
      expect((await watched(cluster, 30)).ready).toBeGreaterThanOrEqual(8);
      expect(reservedIn(cluster)).toBe(0);
    }
    await cluster.settle(300, 30);
    expect(new Set(imagesIn(cluster))).toEqual(new Set(['app:1']));
    expect(cluster.subsets).toEqual([expect.stringMatching(/^a 10/), expect.stringMatching(/^b 0/)]);
  });

  it.each(everywhere)('keeps it when the new image never becomes ready ($mode, $kind)', async ({ schedule, kind }) => {
    await using cluster = await running(schedule, kind);
    cluster.workloads.broken.add('app:2');
    cluster.changeImage('app:2', kind, strategies[kind]);
    expect((await watched(cluster, 90)).ready).toBeGreaterThanOrEqual(8);
    expect([reservedIn(cluster), budgetOf(cluster, 'a')]).toEqual([0, '20%']);
    cluster.changeImage('app:1', kind, strategies[kind]);
    expect((await watched(cluster, 90)).ready).toBeGreaterThanOrEqual(8);
    expect(readyIn(cluster)).toBe(10);
  });

  // One subset may have two Pods unavailable, and so may the one to which Pods are moved.
  it.each(everywhere)('moves Pods that find no node one budget after the other ($mode, $kind)', async ({ schedule, kind }) => {
    await using cluster = await running(schedule, kind);
    cluster.workloads.closed.add('a');
    cluster.changeImage('app:2', kind, strategies[kind]);
    const { ready, reported } = await watched(cluster, 500);
    expect(ready).toBeGreaterThanOrEqual(8);
    expect(reported).toBeGreaterThanOrEqual(8);
    expect(
      podsIn(cluster)
        .filter(isPodReady)
        .map(({ spec }) => spec.containers[0]?.image),
    ).toEqual(Array(10).fill('app:2'));
    expect(cluster.status).toMatchObject({ replicas: 10, readyReplicas: 10, currentRevision: cluster.status.updatedRevision });
    cluster.workloads.closed.clear();
    expect((await watched(cluster, 200)).ready).toBeGreaterThanOrEqual(10);
    expect([reservedIn(cluster), budgetOf(cluster, 'a'), budgetOf(cluster, 'b'), podsIn(cluster).length]).toEqual([0, '20%', '20%', 10]);
  });

  it.each(everywhere)('rolls back while Pods find no node ($mode, $kind)', async ({ schedule, kind }) => {
    await using cluster = await running(schedule, kind);
    cluster.workloads.closed.add('a');
    cluster.changeImage('app:2', kind, strategies[kind]);
    expect((await watched(cluster, 100)).ready).toBeGreaterThanOrEqual(8);
    cluster.changeImage('app:1', kind, strategies[kind]);
    expect((await watched(cluster, 400)).ready).toBeGreaterThanOrEqual(8);
    expect(readyIn(cluster)).toBe(10);
    cluster.workloads.closed.clear();
    await watched(cluster, 200);
    expect(new Set(imagesIn(cluster))).toEqual(new Set(['app:1']));
    expect([reservedIn(cluster), budgetOf(cluster, 'a'), budgetOf(cluster, 'b'), podsIn(cluster).length]).toEqual([0, '20%', '20%', 10]);
  });

  it.each(everywhere)(
    'leaves Pods of a later subset where they are, though an earlier one has nodes again ($mode, $kind)',
    async ({ schedule, kind }) => {
      await using cluster = new UnitedDeploymentCluster({
        replicas: total,
        schedule,
        kind,
        child: strategies[kind],
        subsets: named('a', 'b'),
      });
      cluster.workloads.closed.add('a');
      await cluster.ticks(60);
      expect(cluster.workloads.podsOf(childOf(cluster, 'b')).filter(isPodReady)).toHaveLength(10);
      cluster.workloads.startup = 20;
      cluster.workloads.closed.clear();
      await cluster.ticks(25);
      cluster.changeImage('app:2', kind, strategies[kind]);
      expect((await watched(cluster, 400)).ready).toBeGreaterThanOrEqual(8);
      expect(new Set(imagesIn(cluster))).toEqual(new Set(['app:2']));
      expect(cluster.status).toMatchObject({ replicas: 10, readyReplicas: 10, currentRevision: cluster.status.updatedRevision });
    },
  );

  it.each(everywhere)(
    'keeps the budget while the status cannot be written, and continues later ($mode, $kind)',
    async ({ schedule, kind }) => {
      const gate = new Gate('no', ({ subresource, type }) => subresource === 'status' && type?.kind === 'UnitedDeployment');
      gate.isOn = false;
      await using cluster = await running(schedule, kind, { before: gate.before });
      gate.isOn = true;
      cluster.changeImage('app:2', kind, strategies[kind]);
      await cluster.tick();
      await cluster.manager.stop();
      cluster.begin();
      expect((await watched(cluster, 60)).ready).toBeGreaterThanOrEqual(8);
      gate.isOn = false;
      expect((await watched(cluster, 200)).ready).toBeGreaterThanOrEqual(8);
      expect(new Set(imagesIn(cluster))).toEqual(new Set(['app:2']));
      expect(reservedIn(cluster)).toBe(0);
    },
  );

  it.each(modes)('keeps it when the process dies between the revision and the status ($mode)', async ({ schedule }) => {
    for (const when of ['before', 'after', 'alone'] as const)
      for (let at = 1; at <= 4; at++) {
        await using cluster = await running(schedule, 'CloneSet', { nextDeath: (index) => (index === 1 ? { at, when } : undefined) });
        await cluster.manager.stop();
        cluster.begin();
        cluster.changeImage('app:2', 'CloneSet', strategies.CloneSet);
        expect((await watched(cluster, 150)).ready).toBeGreaterThanOrEqual(8);
        expect(cluster.managers).toHaveLength(3);
        expect(new Set(imagesIn(cluster))).toEqual(new Set(['app:2']));
        expect(reservedIn(cluster)).toBe(0);
      }
  });
});
