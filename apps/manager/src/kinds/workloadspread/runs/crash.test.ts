/**
 * The test kills the manager at every single write, in each way to die: the controller, and the webhook between the write of a place and the
 * creation of its Pod. Another process starts, and the result must equal that of an undisturbed run.
 */
import { describe, expect, it } from '@jest/globals';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { pods } from '@kruise/objects';
import { asNew, type ControllerProcess } from '../../../module/controller-process.testing.ts';
import { aSubset } from '@kruise/kinds/workloadspread/testing';
import { Replica, SpreadCluster } from '../cluster.testing.ts';

async function settle(cluster: SpreadCluster, manager: ControllerProcess): Promise<void> {
  for (let times = 0; times < 4; times += 1) await manager.settle();
  await cluster.clock.settle();
}

const endOf = (cluster: SpreadCluster): unknown => ({
  placed: cluster.placed,
  counted: cluster.counted,
  promised: cluster.promised,
  marks: cluster.active.map(({ metadata }) => [metadata.name, metadata.annotations]),
});

/** Pods that were there before, a scale-out, lower limits, and what time alone brings. */
async function runController(death?: Death): Promise<{ readonly end: unknown; readonly manager: ControllerProcess }> {
  const cluster = new SpreadCluster([aSubset('a', 3), aSubset('b')]);
  for (const name of ['old-1', 'old-2']) {
    const { metadata, ...pod } = cluster.newPod({ name });
    cluster.api.seed(pods, asNew({ ...pod, metadata: { ...metadata, creationTimestamp: '2025-12-31T00:00:00Z' } }));
  }
  const manager = cluster.begin({ death });
  let running = manager;
  const goOn = async (): Promise<void> => {
    await settle(cluster, running);
    if (running.dead) running = cluster.begin();
    await settle(cluster, running);
  };
  await goOn();
  for (let index = 1; index <= 4; index += 1) await cluster.create(cluster.newPod({ name: `new-${index}` }));
  await goOn();
  cluster.change({ subsets: [aSubset('a', 1), aSubset('b', 2)] });
  await goOn();
  await cluster.clock.step(31_000);
  await goOn();
  await running.stop();
  if (running !== manager) await manager.stop();
  await cluster.stop();
  return { end: endOf(cluster), manager };
}

describe('a controller that is killed at any write', () => {
  it.each(deathTimes)('(%s) changes nothing of the end', async (when) => {
    const undisturbed = await runController();
    const deaths = await deathsAtEveryStep(when, async (death) => {
      const { end, manager } = await runController(death);
      expect({ death, end }).toEqual({ death, end: undisturbed.end });
      return manager;
    });
    expect(deaths).toBe(undisturbed.manager.writes);
    expect(deaths).toBeGreaterThan(3);
  });
});

/** Creates Pods and deletes one; refused creations are retried, as workload controllers do. */
async function runWebhook(death?: Death): Promise<{ readonly end: unknown; readonly replica: Replica }> {
  const cluster = new SpreadCluster([aSubset('a', 2), aSubset('b', 2), aSubset('c')], {}, { deaths: [death] });
  const manager = cluster.begin();
  const [replica] = cluster.replicas as [Replica];
  const another = async (): Promise<number> => {
    if (!replica.lifetime.dead) return 0;
    if (cluster.replicas.length === 1) cluster.replicas.push(new Replica(cluster.api, cluster.clock));
    return 1;
  };
  const comes = async (name: string): Promise<void> => {
    const pod = cluster.newPod({ name });
    const decision = await cluster.create(pod, await another());
    // The process died before it answered, so no Pod was created.
    if (decision.kind === 'Failed') await cluster.create(pod, await another());
    await settle(cluster, manager);
  };
  for (let index = 1; index <= 4; index += 1) await comes(`web-${index}`);
  await cluster.delete('web-1', await another());
  await settle(cluster, manager);
  await comes('web-5');
  await cluster.clock.step(31_000);
  await settle(cluster, manager);
  await manager.stop();
  await cluster.stop();
  return { end: { counted: cluster.counted, promised: cluster.promised, total: cluster.active.length, placed: cluster.placed }, replica };
}

describe('a replica of the webhook that is killed', () => {
  it.each(deathTimes)(
    'at the write of a place, before the Pod is there (%s), leaves nothing behind, and no subset too full',
    async (when) => {
      const undisturbed = await runWebhook();
      const deaths = await deathsAtEveryStep(when, async (death) => {
        const { end, replica } = await runWebhook(death);
        expect({ death, end }).toEqual({ death, end: undisturbed.end });
        return replica.lifetime;
      });
      expect(deaths).toBe(undisturbed.replica.lifetime.steps);
      expect(deaths).toBeGreaterThan(3);
    },
  );
});
