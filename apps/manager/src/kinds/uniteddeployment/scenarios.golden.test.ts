/**
 * Golden scenarios of UnitedDeployments: the controller runs on an in-memory API server with workloads and kubelets that work in steps, and the test
 * compares its plans, writes and events with a text file in testdata/. To rewrite the files after an intended change:
 * `UPDATE_GOLDEN=1 npm run jest -- uniteddeployment/scenarios.golden`, then review the diff.
 */
import { describe, expect, it } from '@jest/globals';
import { RunStates } from '../../module/fixtures/argo-health.testing.ts';
import { goldenOf, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { creates, Gate, quota } from './runs/refusals.testing.ts';
import { adaptive, named, templateOf, type UnitedShape } from '@kruise/kinds/uniteddeployment/testing';
import { UnitedDeploymentCluster } from './cluster.testing.ts';

/** The gate refuses to create a child of subset b, in a run that uses it. */
interface Scenario extends GoldenScenario<UnitedDeploymentCluster, [gate: Gate]> {
  readonly shape: UnitedShape;
  /** How the children are in the end. */
  readonly end: readonly string[];
}

/** Running Pods are updated, one of them finds no node, and the user rolls back. */
async function rolledOutAndBack(cluster: UnitedDeploymentCluster): Promise<void> {
  await cluster.ticks(30);
  cluster.workloads.startup = 5;
  cluster.timeline.note('all Pods run, and the user sets app:2');
  cluster.changeImage('app:2');
  await cluster.ticks(40);
  cluster.timeline.note('there is no node for a, and the user sets app:3');
  cluster.workloads.closed.add('a');
  cluster.changeImage('app:3');
  await cluster.ticks(18);
  cluster.timeline.note('the user goes back, and there are nodes again');
  cluster.changeImage('app:2');
  cluster.workloads.closed.clear();
  await cluster.settle(200, 30);
}

const scenarios: readonly Scenario[] = [
  {
    name: 'created-updated-by-partitions-and-back',
    shape: { kind: 'StatefulSet', partitions: { b: 1 } },
    then: async (cluster) => {
      await cluster.settle();
      cluster.timeline.note('the user sets app:2, and one Pod of b stays');
      cluster.changeImage('app:2', 'StatefulSet');
      await cluster.settle();
      cluster.timeline.note('the user lets it go');
      cluster.change({ updateStrategy: { type: 'Manual', manualUpdate: {} } });
      await cluster.settle();
      cluster.timeline.note('the user goes back');
      cluster.changeImage('app:1', 'StatefulSet');
      await cluster.settle();
    },
    end: ['a 1 StatefulSet', 'b 2 StatefulSet'],
  },
  {
    name: 'scaled-and-other-subsets',
    shape: { subsets: [{ name: 'a', replicas: 1 }, { name: 'b', replicas: '50%' }, { name: 'c' }], replicas: 6 },
    then: async (cluster) => {
      await cluster.settle();
      cluster.timeline.note('the user wants 8');
      cluster.change({ replicas: 8 });
      await cluster.settle();
      cluster.timeline.note('the user gives up c');
      cluster.change({ topology: { subsets: named('a', 'b') } });
      await cluster.settle();
    },
    end: ['a 4 CloneSet', 'b 4 CloneSet'],
  },
  {
    name: 'adaptive-failure-and-recovery',
    shape: { replicas: 5, schedule: adaptive(), subsets: [{ name: 'a', maxReplicas: 3 }, { name: 'b', maxReplicas: 1 }, { name: 'c' }] },
    then: async (cluster) => {
      cluster.timeline.note('there is no node for b');
      cluster.workloads.closed.add('b');
      await cluster.settle(100, 20);
      cluster.timeline.note('there is one again, and the user wants 7');
      cluster.workloads.closed.clear();
      await cluster.ticks(25);
      cluster.change({ replicas: 7 });
      await cluster.settle();
    },
    end: ['a 3 CloneSet', 'b 1 CloneSet', 'c 3 CloneSet'],
  },
  {
    name: 'reservation',
    shape: { kind: 'Deployment', replicas: 2, schedule: adaptive({ reserveUnschedulablePods: true }) },
    then: async (cluster) => {
      cluster.timeline.note('there is no node for a');
      cluster.workloads.closed.add('a');
      await cluster.settle(100, 30);
      cluster.timeline.note('there is one again');
      cluster.workloads.closed.clear();
      await cluster.settle(100, 30);
    },
    end: ['a 2 Deployment', 'b 0 Deployment'],
  },
  {
    name: 'reservation-rollout-of-running-pods',
    shape: { replicas: 3, schedule: adaptive({ reserveUnschedulablePods: true }) },
    then: rolledOutAndBack,
    end: ['a 3 CloneSet', 'b 0 CloneSet'],
  },
  {
    name: 'adaptive-rollout-of-running-pods',
    shape: { replicas: 3, schedule: adaptive() },
    then: rolledOutAndBack,
    end: ['a 2 CloneSet', 'b 1 CloneSet'],
  },
  {
    name: 'other-limits-a-patch-and-another-kind',
    shape: {
      kind: 'AdvancedStatefulSet',
      replicas: 4,
      subsets: [{ name: 'a', minReplicas: 1, maxReplicas: 2 }, { name: 'b' }],
    },
    then: async (cluster) => {
      await cluster.settle();
      cluster.timeline.note('the user lets a have more, puts c first, and patches b');
      const patch = { metadata: { labels: { zone: 'b' } } };
      const subsets = [
        { name: 'c', maxReplicas: 1 },
        { name: 'a', maxReplicas: 3 },
        { name: 'b', minReplicas: 1, patch },
      ];
      cluster.change({ topology: { subsets } });
      await cluster.settle();
      cluster.timeline.note('the user wants Deployments');
      cluster.change({ template: templateOf('Deployment') });
      await cluster.settle();
    },
    end: ['a 2 Deployment', 'b 1 Deployment', 'c 1 Deployment'],
  },
  {
    name: 'refused-and-made-later',
    shape: { replicas: 4, subsets: named('a') },
    then: async (cluster, gate) => {
      await cluster.settle();
      cluster.timeline.note('the user adds b, which a quota refuses');
      cluster.change({ topology: { subsets: named('a', 'b') } });
      await cluster.ticks(1);
      cluster.timeline.note('the user sets app:2');
      cluster.changeImage('app:2');
      await cluster.ticks(1);
      cluster.timeline.note('the quota is lifted');
      gate.isOn = false;
      await cluster.settle(400, 30);
    },
    end: ['a 2 CloneSet', 'b 2 CloneSet'],
  },
];

const states = new RunStates('UnitedDeployment');

describe('one application over several groups of nodes', () => {
  it.each(scenarios)('$name', async ({ name, shape, then, end }) => {
    const gate = new Gate(quota, creates('b'));
    gate.isOn = then.length > 1;
    await using cluster = new UnitedDeploymentCluster(shape, gate);
    states.watch(name, cluster.api);
    await then(cluster, gate);
    const { text } = cluster.timeline;
    expect(text).toBe(goldenOf(import.meta.url, name, text));
    expect(cluster.shown).toEqual(end);
    expect(await cluster.quietHour()).toEqual([]);
  });

  states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));
});
