import { expect, it } from '@jest/globals';
import { isWrite } from '@kruise/kube/testing';
import { podCondition, pods, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { podReadinessController } from '../features/podreadiness/controller.ts';
import { asNew } from './controller-process.testing.ts';
import { InMemoryCluster, type ProcessesOptions } from './in-memory-cluster.testing.ts';

const key = { namespace: 'default', name: 'web' };

/** A Pod that waits for its readiness condition, and a manager that gives it one. */
class GatedCluster extends InMemoryCluster {
  constructor(options: ProcessesOptions = {}) {
    super(podReadinessController, options);
    this.add(key.name);
  }

  add(name: string): void {
    const pod = aPod({ name });
    this.api.seed(pods, asNew({ ...pod, spec: { ...pod.spec, readinessGates: [{ conditionType: 'KruisePodReady' }] } }));
  }

  get pod(): Pod | undefined {
    return this.api.peek(pods, key);
  }

  protected override runKubelets(): Promise<void> {
    return this.runPods(this.api.peekAll(pods), () => undefined);
  }
}

it('replaces a process that dies at a write', async () => {
  await using cluster = new GatedCluster({ nextDeath: (index) => (index === 0 ? { at: 1, when: 'before' } : undefined) });
  cluster.begin();
  await cluster.tick();
  expect(cluster.managers.map(({ dead, writes }) => [dead, writes])).toEqual([
    [true, 1],
    [false, 1],
  ]);
  expect(podCondition(cluster.pod as Pod, 'KruisePodReady')?.status).toBe('True');
});

it('deletes a Pod once its kubelet has seen the request', async () => {
  await using cluster = new GatedCluster();
  cluster.begin();
  await cluster.tick();
  await cluster.api.delete(pods, key);
  expect(cluster.pod?.metadata.deletionTimestamp).toBeDefined();
  await cluster.tick();
  expect(cluster.pod).toBeUndefined();
});

it('reports what is written in an hour without changes by users', async () => {
  await using cluster = new GatedCluster();
  cluster.begin();
  await cluster.tick();
  expect(await cluster.quietHour()).toEqual([]);
  cluster.onTick = () => {
    const { pod } = cluster;
    if (pod !== undefined) cluster.api.seed(pods, { ...pod, status: { ...pod.status, conditions: [] } });
  };
  expect(new Set(await cluster.quietHour())).toEqual(new Set(['patch Pod/status default/web']));
});

it('stops every process', async () => {
  const cluster = new GatedCluster();
  cluster.begin();
  cluster.begin();
  await cluster.tick();
  await cluster.stop();
  const writes = cluster.api.calls.filter(isWrite).length;
  expect(writes).toBeGreaterThan(0);
  cluster.add('other');
  await cluster.clock.step(60_000);
  expect(cluster.api.calls.filter(isWrite)).toHaveLength(writes);
});
