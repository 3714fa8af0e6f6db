/**
 * The test kills the controller at every single write, from creation to deletion of a UnitedDeployment, in each way to die, and starts another
 * process: the result must equal that of an undisturbed run.
 */
import { describe, expect, it } from '@jest/globals';
import { describeKills } from '../../../module/fixtures/kills.testing.ts';
import { adaptive, named, templateOf, type UnitedShape } from '@kruise/kinds/uniteddeployment/testing';
import { UnitedDeploymentCluster } from '../cluster.testing.ts';

/** What must come out the same; times and versions may differ. */
const endOf = (cluster: UnitedDeploymentCluster): unknown => ({
  shown: cluster.shown,
  names: cluster.workloads.children.map(({ object }) => object.metadata.name),
  conditions: cluster.conditions.toSorted(),
  subsets: cluster.subsets,
  revisions: cluster.revisions,
  status: { ...cluster.status, conditions: undefined, subsetStatuses: undefined },
});

interface Scenario {
  readonly name: string;
  readonly shape: UnitedShape;
  /** Everything that users and nodes do, each to its end. */
  readonly run: (cluster: UnitedDeploymentCluster) => Promise<void>;
}

/** Even numbers: which subset has one more than others depends on what is there already. */
const scenarios: readonly Scenario[] = [
  {
    name: 'created, scaled, updated and rolled back',
    shape: { limit: 1, replicas: 4 },
    run: async (cluster) => {
      await cluster.settle();
      cluster.change({ replicas: 6 });
      await cluster.settle();
      cluster.changeImage('app:2');
      await cluster.settle();
      cluster.changeImage('app:1');
      await cluster.settle();
    },
  },
  {
    name: 'with other subsets and another kind of template',
    shape: { kind: 'StatefulSet', replicas: 4 },
    run: async (cluster) => {
      await cluster.settle();
      cluster.change({ topology: { subsets: named('b', 'c') } });
      await cluster.settle();
      cluster.change({ template: templateOf('Deployment') });
      await cluster.settle();
    },
  },
  {
    name: 'with reserved Pods',
    shape: { schedule: adaptive({ reserveUnschedulablePods: true }) },
    run: async (cluster) => {
      cluster.workloads.closed.add('a');
      await cluster.settle(300, 40);
      cluster.workloads.closed.clear();
      await cluster.settle(300, 40);
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
    await using cluster = new UnitedDeploymentCluster(
      { replicas: 4 },
      { nextDeath: (index) => (index < 20 ? { at: 2, when } : undefined) },
    );
    await cluster.ticks(40);
    await cluster.settle();
    expect(cluster.shown).toEqual(['a 2 CloneSet', 'b 2 CloneSet']);
    expect(cluster.revisions).toHaveLength(1);
  });
});

describe('two managers at a time, whose caches do not learn of anything for a while', () => {
  it.each(['CloneSet', 'Deployment'] as const)('double no child of kind %s', async (kind) => {
    await using cluster = new UnitedDeploymentCluster({ kind, replicas: 4, subsets: named('a', 'b', 'c') });
    cluster.api.holdWatches();
    cluster.begin();
    await cluster.ticks(3);
    cluster.api.releaseWatches();
    await cluster.settle();
    const created = cluster.timeline.text.split('\n').filter((line) => line.includes(`create ${kind} `) && !line.includes('AlreadyExists'));
    expect(created).toHaveLength(3);
    cluster.api.holdWatches();
    cluster.change({ replicas: 7 });
    cluster.changeImage('app:2', kind);
    await cluster.ticks(3);
    cluster.api.releaseWatches();
    await cluster.settle();
    expect(cluster.workloads.children).toHaveLength(3);
    expect(cluster.status).toMatchObject({ replicas: 7, updatedReadyReplicas: 7 });
    expect(cluster.revisions).toHaveLength(2);
    for (const manager of cluster.managers.slice(0, -1)) await manager.stop();
  });
});
