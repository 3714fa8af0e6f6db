/** Subsets that find no nodes, with the whole controller. @see spec/uniteddeployment.md 5.4, 9 */
import { describe, expect, it } from '@jest/globals';
import { unitedDeploymentLabels } from '@kruise/api';
import { pods } from '@kruise/objects';
import { adaptive, named } from '@kruise/kinds/uniteddeployment/testing';
import { UnitedDeploymentCluster } from '../cluster.testing.ts';

const reserving = adaptive({ reserveUnschedulablePods: true });

describe('mode Adaptive', () => {
  it('Pods that find no node go to the next subset, and the subset is tried again by a later scaling (9)', async () => {
    await using cluster = new UnitedDeploymentCluster({
      replicas: 5,
      schedule: adaptive(),
      subsets: [{ name: 'a', maxReplicas: 3 }, { name: 'b', maxReplicas: 1 }, { name: 'c' }],
    });
    cluster.workloads.closed.add('b');
    await cluster.ticks(10);
    expect(cluster.subsets).toEqual(['a 3', 'b 1', 'c 1']);
    await cluster.settle();
    expect(cluster.subsets).toEqual(['a 3', 'b 0 Schedulable=False', 'c 2']);
    cluster.change({ replicas: 6 });
    await cluster.settle();
    expect(cluster.subsets).toEqual(['a 3', 'b 0 Schedulable=False', 'c 3']);
    cluster.workloads.closed.clear();
    await cluster.ticks(25);
    expect(cluster.subsets).toEqual(['a 3', 'b 0 Schedulable=True', 'c 3']);
    cluster.change({ replicas: 7 });
    await cluster.settle();
    expect(cluster.subsets).toEqual(['a 3', 'b 1 Schedulable=True', 'c 3']);
    expect(await cluster.quietHour()).toEqual([]);
  });

  it('minReplicas of a subset stay with it, although they wait, and the condition is not written repeatedly (10)', async () => {
    await using cluster = new UnitedDeploymentCluster({
      replicas: 5,
      schedule: adaptive(),
      subsets: [{ name: 'a', minReplicas: 2 }, { name: 'b' }],
    });
    cluster.workloads.closed.add('a');
    await cluster.ticks(30);
    expect(cluster.subsets).toEqual(['a 2 Schedulable=False', 'b 3']);
    expect(cluster.status.replicas).toBe(5);
    const since = cluster.status.subsetStatuses?.[0]?.conditions?.[0]?.lastTransitionTime;
    expect(await cluster.quietHour()).toEqual([]);
    expect(cluster.status.subsetStatuses?.[0]?.conditions?.[0]?.lastTransitionTime).toBe(since);
    cluster.workloads.closed.clear();
    await cluster.settle(400, 30);
    expect(cluster.subsets).toEqual(['a 2 Schedulable=True', 'b 3']);
  });

  it('conditions go with the mode', async () => {
    await using cluster = new UnitedDeploymentCluster({ replicas: 2, schedule: adaptive() });
    cluster.workloads.closed.add('a');
    await cluster.settle(100, 20);
    expect(cluster.subsets).toEqual(['a 0 Schedulable=True', 'b 2']);
    cluster.change({ topology: { subsets: named('a', 'b') } });
    await cluster.settle();
    expect(cluster.subsets.join()).not.toContain('Schedulable');
  });
});

describe('mode Reservation', () => {
  it('that is turned off leaves its labels, and takes the selector and the conditions back', async () => {
    await using cluster = new UnitedDeploymentCluster({ replicas: 2, schedule: reserving });
    cluster.workloads.closed.add('a');
    await cluster.settle(300, 40);
    expect(cluster.subsets).toEqual(['a 2 2 reserved Schedulable=False', 'b 2 Schedulable=True']);
    cluster.change({ topology: { subsets: named('a', 'b') } });
    await cluster.settle();
    expect(cluster.subsets).toEqual(['a 1', 'b 1']);
    expect(cluster.status).toMatchObject({ labelSelector: 'app=web', replicas: 2 });
    expect(cluster.status.reservedPods).toBeUndefined();
    expect(reservedLabels(cluster).toSorted()).toEqual(['a true', 'b false']);
  });

  const three = { replicas: 3, schedule: reserving, subsets: named('a', 'b', 'c') };
  const reservedLabels = (cluster: UnitedDeploymentCluster): readonly string[] =>
    cluster.api
      .peekAll(pods, 'default')
      .map(
        ({ metadata: { labels = {} } }) =>
          `${labels[unitedDeploymentLabels.subsetName] ?? ''} ${labels[unitedDeploymentLabels.reservedPod] ?? ''}`,
      )
      .sort();

  it.each(['CloneSet', 'Deployment'] as const)('waiting Pods of a %s get substitutes, and return (11, 12)', async (kind) => {
    await using cluster = new UnitedDeploymentCluster({ ...three, kind });
    for (const subset of ['a', 'b']) cluster.workloads.closed.add(subset);
    await cluster.settle(300, 40);
    expect(cluster.subsets).toEqual(['a 3 3 reserved Schedulable=False', 'b 3 3 reserved Schedulable=False', 'c 3 Schedulable=True']);
    expect(reservedLabels(cluster)).toEqual([
      ...Array<string>(3).fill('a true'),
      ...Array<string>(3).fill('b true'),
      ...Array<string>(3).fill('c false'),
    ]);
    expect(cluster.status).toMatchObject({
      replicas: 3,
      reservedPods: 6,
      readyReplicas: 3,
      labelSelector: `app=web,${unitedDeploymentLabels.reservedPod}=false`,
    });
    expect(await cluster.quietHour()).toEqual([]);
    cluster.workloads.closed.delete('a');
    await cluster.ticks(10);
    expect(cluster.status).toMatchObject({ replicas: 3, reservedPods: 6, readyReplicas: 6 });
    await cluster.settle(300, 40);
    expect(cluster.subsets).toEqual(['a 3 Schedulable=True', 'b 0 Schedulable=True', 'c 0 Schedulable=True']);
    expect(cluster.shown).toEqual([`a 3 ${kind}`, `b 0 ${kind}`, `c 0 ${kind}`]);
    expect(cluster.status.reservedPods).toBeUndefined();
  });

  it('a subset that was short of nodes and gets more Pods keeps their substitutes until they run', async () => {
    await using cluster = new UnitedDeploymentCluster({
      ...three,
      replicas: 5,
      subsets: [{ name: 'a', maxReplicas: 3 }, { name: 'b' }, { name: 'c' }],
    });
    for (const subset of ['a', 'b']) cluster.workloads.closed.add(subset);
    await cluster.settle(300, 40);
    expect(cluster.shown.map((line) => line.slice(0, 3))).toEqual(['a 3', 'b 2', 'c 5']);
    cluster.workloads.closed.delete('b');
    const least: number[] = [];
    for (let i = 0; i < 120; i++) {
      await cluster.tick();
      least.push(cluster.status.readyReplicas ?? 0);
    }
    expect(Math.min(...least)).toBeGreaterThanOrEqual(5);
    expect(cluster.shown.map((line) => line.slice(0, 3))).toEqual(['a 3', 'b 5', 'c 0']);
  });

  it('a subset that is added begins as one that is short of nodes', async () => {
    await using cluster = new UnitedDeploymentCluster(three);
    await cluster.settle();
    cluster.change({ topology: { scheduleStrategy: reserving, subsets: [...named('a', 'b', 'c'), { name: 'd', minReplicas: 1 }] } });
    await cluster.ticks(3);
    expect(cluster.subsets).toEqual([
      'a 3 Schedulable=True',
      'b 0 Schedulable=True',
      'c 0 Schedulable=True',
      'd 1 1 reserved Schedulable=False',
    ]);
    await cluster.settle(300, 40);
    expect(cluster.subsets).toEqual(['a 2 Schedulable=True', 'b 0 Schedulable=True', 'c 0 Schedulable=True', 'd 1 Schedulable=True']);
  });

  it('Pods that are stuck at the old revision do not delay the rollout', async () => {
    await using cluster = new UnitedDeploymentCluster({ ...three, subsets: named('a', 'b') });
    cluster.workloads.closed.add('a');
    await cluster.settle(300, 40);
    cluster.changeImage('app:2');
    await cluster.settle(300, 40);
    expect(cluster.status.currentRevision).toBe(cluster.status.updatedRevision);
    expect(cluster.subsets).toEqual(['a 3 3 reserved Schedulable=False', 'b 3 Schedulable=True']);
    const budgets = cluster.workloads.children.map(({ object }) => object.spec?.updateStrategy?.rollingUpdate?.maxUnavailable);
    expect(budgets).toEqual([undefined, undefined]);
  });

  it('Pods that have run since before the mode was set are not reserved, though their subset was short of nodes', async () => {
    await using cluster = new UnitedDeploymentCluster({ replicas: 4, schedule: adaptive(), subsets: named('a', 'b') });
    await cluster.settle();
    cluster.workloads.closed.add('a');
    cluster.change({ replicas: 6 });
    await cluster.ticks(20);
    expect(cluster.subsets).toEqual(['a 4 Schedulable=False', 'b 2']);
    await cluster.ticks(10);
    cluster.change({ topology: { subsets: named('a', 'b'), scheduleStrategy: reserving } });
    await cluster.ticks(5);
    expect(reservedLabels(cluster).filter((line) => line === 'a false')).toHaveLength(4);
    expect(cluster.status).toMatchObject({ replicas: 6, readyReplicas: 6 });
  });
});
