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

async function settle(world: SpreadCluster, manager: ControllerProcess): Promise<void> {
  for (let times = 0; times < 4; times += 1) await manager.settle();
  await world.clock.settle();
}

const endOf = (world: SpreadCluster): unknown => ({
  placed: world.placed,
  counted: world.counted,
  promised: world.promised,
  marks: world.active.map(({ metadata }) => [metadata.name, metadata.annotations]),
});

/** Pods that were there before, a scale-out, lower limits, and what time alone brings. */
async function runController(death?: Death): Promise<{ readonly end: unknown; readonly manager: ControllerProcess }> {
  const world = new SpreadCluster([aSubset('a', 3), aSubset('b')]);
  for (const name of ['old-1', 'old-2']) {
    const { metadata, ...pod } = world.newPod({ name });
    world.api.seed(pods, asNew({ ...pod, metadata: { ...metadata, creationTimestamp: '2025-12-31T00:00:00Z' } }));
  }
  const manager = world.begin({ death });
  let running = manager;
  const goOn = async (): Promise<void> => {
    await settle(world, running);
    if (running.dead) running = world.begin();
    await settle(world, running);
  };
  await goOn();
  for (let index = 1; index <= 4; index += 1) await world.create(world.newPod({ name: `new-${index}` }));
  await goOn();
  world.change({ subsets: [aSubset('a', 1), aSubset('b', 2)] });
  await goOn();
  await world.clock.step(31_000);
  await goOn();
  await running.stop();
  if (running !== manager) await manager.stop();
  await world.stop();
  return { end: endOf(world), manager };
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
  const world = new SpreadCluster([aSubset('a', 2), aSubset('b', 2), aSubset('c')], {}, { deaths: [death] });
  const manager = world.begin();
  const [replica] = world.replicas as [Replica];
  const another = async (): Promise<number> => {
    if (!replica.lifetime.dead) return 0;
    if (world.replicas.length === 1) world.replicas.push(new Replica(world.api, world.clock));
    return 1;
  };
  const comes = async (name: string): Promise<void> => {
    const pod = world.newPod({ name });
    const decision = await world.create(pod, await another());
    // The process died before it answered, so no Pod was created.
    if (decision.kind === 'Failed') await world.create(pod, await another());
    await settle(world, manager);
  };
  for (let index = 1; index <= 4; index += 1) await comes(`web-${index}`);
  await world.delete('web-1', await another());
  await settle(world, manager);
  await comes('web-5');
  await world.clock.step(31_000);
  await settle(world, manager);
  await manager.stop();
  await world.stop();
  return { end: { counted: world.counted, promised: world.promised, total: world.active.length, placed: world.placed }, replica };
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
