/**
 * The test kills the controller at every single write, from creation to deletion of a UnitedDeployment, in each way to die, and starts another
 * process: the result must equal that of an undisturbed run.
 */
import { describe, expect, it } from '@jest/globals';
import { describeKills } from '../../../module/fixtures/kills.testing.ts';
import { adaptive, named, templateOf, type UnitedShape } from '@kruise/kinds/uniteddeployment/testing';
import { UnitedDeploymentCluster } from '../cluster.testing.ts';

/** What must come out the same; times and versions may differ. */
const endOf = (world: UnitedDeploymentCluster): unknown => ({
  shown: world.shown,
  names: world.workloads.children.map(({ object }) => object.metadata.name),
  conditions: world.conditions.toSorted(),
  subsets: world.subsets,
  revisions: world.revisions,
  status: { ...world.status, conditions: undefined, subsetStatuses: undefined },
});

interface Scenario {
  readonly name: string;
  readonly shape: UnitedShape;
  /** Everything that users and nodes do, each to its end. */
  readonly run: (world: UnitedDeploymentCluster) => Promise<void>;
}

/** Even numbers: which subset has one more than others depends on what is there already. */
const scenarios: readonly Scenario[] = [
  {
    name: 'created, scaled, updated and rolled back',
    shape: { limit: 1, replicas: 4 },
    run: async (world) => {
      await world.settle();
      world.change({ replicas: 6 });
      await world.settle();
      world.changeImage('app:2');
      await world.settle();
      world.changeImage('app:1');
      await world.settle();
    },
  },
  {
    name: 'with other subsets and another kind of template',
    shape: { kind: 'StatefulSet', replicas: 4 },
    run: async (world) => {
      await world.settle();
      world.change({ topology: { subsets: named('b', 'c') } });
      await world.settle();
      world.change({ template: templateOf('Deployment') });
      await world.settle();
    },
  },
  {
    name: 'with reserved Pods',
    shape: { schedule: adaptive({ reserveUnschedulablePods: true }) },
    run: async (world) => {
      world.workloads.closed.add('a');
      await world.settle(300, 40);
      world.workloads.closed.clear();
      await world.settle(300, 40);
    },
  },
];

describeKills({
  endOf,
  writes: 15,
  scenarios: scenarios.map(({ name, shape, run }) => ({
    name,
    run,
    begin: (nextDeath) => new UnitedDeploymentCluster(shape, { nextDeath }),
  })),
});

describe('a manager of which each process dies', () => {
  it.each(['before', 'after', 'alone'] as const)('at its second write (%s) still comes to the end', async (when) => {
    await using world = new UnitedDeploymentCluster({ replicas: 4 }, { nextDeath: (index) => (index < 20 ? { at: 2, when } : undefined) });
    await world.ticks(40);
    await world.settle();
    expect(world.shown).toEqual(['a 2 CloneSet', 'b 2 CloneSet']);
    expect(world.revisions).toHaveLength(1);
  });
});

describe('two managers at a time, whose caches do not learn of anything for a while', () => {
  it.each(['CloneSet', 'Deployment'] as const)('double no child of kind %s', async (kind) => {
    await using world = new UnitedDeploymentCluster({ kind, replicas: 4, subsets: named('a', 'b', 'c') });
    world.api.holdWatches();
    world.begin();
    await world.ticks(3);
    world.api.releaseWatches();
    await world.settle();
    const created = world.timeline.text.split('\n').filter((line) => line.includes(`create ${kind} `) && !line.includes('AlreadyExists'));
    expect(created).toHaveLength(3);
    world.api.holdWatches();
    world.change({ replicas: 7 });
    world.changeImage('app:2', kind);
    await world.ticks(3);
    world.api.releaseWatches();
    await world.settle();
    expect(world.workloads.children).toHaveLength(3);
    expect(world.status).toMatchObject({ replicas: 7, updatedReadyReplicas: 7 });
    expect(world.revisions).toHaveLength(2);
    for (const manager of world.managers.slice(0, -1)) await manager.stop();
  });
});
