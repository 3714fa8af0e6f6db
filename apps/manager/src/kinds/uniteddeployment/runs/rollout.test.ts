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

const podsIn = (world: UnitedDeploymentCluster): readonly Pod[] => world.api.peekAll(pods, 'default');
const imagesIn = (world: UnitedDeploymentCluster): readonly (string | undefined)[] =>
  podsIn(world).map(({ spec }) => spec.containers[0]?.image);
const readyIn = (world: UnitedDeploymentCluster): number => podsIn(world).filter(isPodReady).length;
const reservedIn = (world: UnitedDeploymentCluster): number =>
  podsIn(world).filter(({ metadata }) => metadata.labels?.[labels.reservedPod] === 'true').length;

function childOf(world: UnitedDeploymentCluster, subset: string): ChildObject {
  const found = world.workloads.children.find(({ object }) => subsetOf(object) === subset);
  if (found === undefined) throw new Error(`subset ${subset} has no child`);
  return found.object;
}

/** What the child of a subset says of its budget. */
const budgetOf = (world: UnitedDeploymentCluster, subset: string): unknown => {
  const { spec } = childOf(world, subset);
  return (spec?.updateStrategy ?? spec?.strategy)?.rollingUpdate?.maxUnavailable;
};

/** Ten Pods of subset a that have run for a minute and take longer to start than a Pod may wait for a node. */
async function running(
  schedule: NonNullable<Topology['scheduleStrategy']>,
  kind: Reserving,
  options: ClusterOptions = {},
): Promise<UnitedDeploymentCluster> {
  const world = new UnitedDeploymentCluster(
    { replicas: total, schedule, kind, child: strategies[kind], subsets: named('a', 'b') },
    options,
  );
  await world.ticks(60);
  expect(world.subsets).toEqual([expect.stringMatching(/^a 10/), expect.stringMatching(/^b 0/)]);
  world.workloads.startup = 20;
  return world;
}

/** The lowest number of ready Pods, and the lowest number in the status, in any second. */
async function watched(world: UnitedDeploymentCluster, seconds: number): Promise<{ readonly ready: number; readonly reported: number }> {
  let [ready, reported] = [Infinity, Infinity];
  for (let i = 0; i < seconds; i++) {
    await world.tick();
    ready = Math.min(ready, readyIn(world));
    reported = Math.min(reported, world.status.replicas);
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
    await using world = await running(schedule, kind);
    const before = world.status.currentRevision;
    world.changeImage('app:2', kind, strategies[kind]);
    for (let i = 0; i < 12; i++) {
      expect((await watched(world, 5)).ready).toBeGreaterThanOrEqual(8);
      expect(reservedIn(world)).toBe(0);
      expect(world.subsets).toEqual([expect.stringMatching(/^a 10/), expect.stringMatching(/^b 0/)]);
      expect([world.status.replicas >= 8, world.status.currentRevision, budgetOf(world, 'a')]).toEqual([true, before, '20%']);
    }
    await world.settle(200, 30);
    expect(new Set(imagesIn(world))).toEqual(new Set(['app:2']));
    expect(world.status).toMatchObject({ replicas: 10, updatedReadyReplicas: 10, currentRevision: world.status.updatedRevision });
  });

  it.each(everywhere)('keeps it through a third template and a rollback ($mode, $kind)', async ({ schedule, kind }) => {
    await using world = await running(schedule, kind);
    for (const image of ['app:2', 'app:3', 'app:1']) {
      world.changeImage(image, kind, strategies[kind]);
      expect((await watched(world, 30)).ready).toBeGreaterThanOrEqual(8);
      expect(reservedIn(world)).toBe(0);
    }
    await world.settle(300, 30);
    expect(new Set(imagesIn(world))).toEqual(new Set(['app:1']));
    expect(world.subsets).toEqual([expect.stringMatching(/^a 10/), expect.stringMatching(/^b 0/)]);
  });

  it.each(everywhere)('keeps it when the new image never becomes ready ($mode, $kind)', async ({ schedule, kind }) => {
    await using world = await running(schedule, kind);
    world.workloads.broken.add('app:2');
    world.changeImage('app:2', kind, strategies[kind]);
    expect((await watched(world, 90)).ready).toBeGreaterThanOrEqual(8);
    expect([reservedIn(world), budgetOf(world, 'a')]).toEqual([0, '20%']);
    world.changeImage('app:1', kind, strategies[kind]);
    expect((await watched(world, 90)).ready).toBeGreaterThanOrEqual(8);
    expect(readyIn(world)).toBe(10);
  });

  // One subset may have two Pods unavailable, and so may the one to which Pods are moved.
  it.each(everywhere)('moves Pods that find no node one budget after the other ($mode, $kind)', async ({ schedule, kind }) => {
    await using world = await running(schedule, kind);
    world.workloads.closed.add('a');
    world.changeImage('app:2', kind, strategies[kind]);
    const { ready, reported } = await watched(world, 500);
    expect(ready).toBeGreaterThanOrEqual(8);
    expect(reported).toBeGreaterThanOrEqual(8);
    expect(
      podsIn(world)
        .filter(isPodReady)
        .map(({ spec }) => spec.containers[0]?.image),
    ).toEqual(Array(10).fill('app:2'));
    expect(world.status).toMatchObject({ replicas: 10, readyReplicas: 10, currentRevision: world.status.updatedRevision });
    world.workloads.closed.clear();
    expect((await watched(world, 200)).ready).toBeGreaterThanOrEqual(10);
    expect([reservedIn(world), budgetOf(world, 'a'), budgetOf(world, 'b'), podsIn(world).length]).toEqual([0, '20%', '20%', 10]);
  });

  it.each(everywhere)('rolls back while Pods find no node ($mode, $kind)', async ({ schedule, kind }) => {
    await using world = await running(schedule, kind);
    world.workloads.closed.add('a');
    world.changeImage('app:2', kind, strategies[kind]);
    expect((await watched(world, 100)).ready).toBeGreaterThanOrEqual(8);
    world.changeImage('app:1', kind, strategies[kind]);
    expect((await watched(world, 400)).ready).toBeGreaterThanOrEqual(8);
    expect(readyIn(world)).toBe(10);
    world.workloads.closed.clear();
    await watched(world, 200);
    expect(new Set(imagesIn(world))).toEqual(new Set(['app:1']));
    expect([reservedIn(world), budgetOf(world, 'a'), budgetOf(world, 'b'), podsIn(world).length]).toEqual([0, '20%', '20%', 10]);
  });

  it.each(everywhere)(
    'leaves Pods of a later subset where they are, though an earlier one has nodes again ($mode, $kind)',
    async ({ schedule, kind }) => {
      await using world = new UnitedDeploymentCluster({
        replicas: total,
        schedule,
        kind,
        child: strategies[kind],
        subsets: named('a', 'b'),
      });
      world.workloads.closed.add('a');
      await world.ticks(60);
      expect(world.workloads.podsOf(childOf(world, 'b')).filter(isPodReady)).toHaveLength(10);
      world.workloads.startup = 20;
      world.workloads.closed.clear();
      await world.ticks(25);
      world.changeImage('app:2', kind, strategies[kind]);
      expect((await watched(world, 400)).ready).toBeGreaterThanOrEqual(8);
      expect(new Set(imagesIn(world))).toEqual(new Set(['app:2']));
      expect(world.status).toMatchObject({ replicas: 10, readyReplicas: 10, currentRevision: world.status.updatedRevision });
    },
  );

  it.each(everywhere)(
    'keeps the budget while the status cannot be written, and later goes on ($mode, $kind)',
    async ({ schedule, kind }) => {
      const gate = new Gate('no', ({ subresource, type }) => subresource === 'status' && type?.kind === 'UnitedDeployment');
      gate.isOn = false;
      await using world = await running(schedule, kind, { before: gate.before });
      gate.isOn = true;
      world.changeImage('app:2', kind, strategies[kind]);
      await world.tick();
      await world.manager.stop();
      world.begin();
      expect((await watched(world, 60)).ready).toBeGreaterThanOrEqual(8);
      gate.isOn = false;
      expect((await watched(world, 200)).ready).toBeGreaterThanOrEqual(8);
      expect(new Set(imagesIn(world))).toEqual(new Set(['app:2']));
      expect(reservedIn(world)).toBe(0);
    },
  );

  it.each(modes)('keeps it when the process dies between the revision and the status ($mode)', async ({ schedule }) => {
    for (const when of ['before', 'after', 'alone'] as const)
      for (let at = 1; at <= 4; at++) {
        await using world = await running(schedule, 'CloneSet', { nextDeath: (index) => (index === 1 ? { at, when } : undefined) });
        await world.manager.stop();
        world.begin();
        world.changeImage('app:2', 'CloneSet', strategies.CloneSet);
        expect((await watched(world, 150)).ready).toBeGreaterThanOrEqual(8);
        expect(world.managers).toHaveLength(3);
        expect(new Set(imagesIn(world))).toEqual(new Set(['app:2']));
        expect(reservedIn(world)).toBe(0);
      }
  });
});
