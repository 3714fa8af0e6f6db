/**
 * The test kills the controller, and a replica of the webhook, at every single write from creation to deletion of a budget, in each way to die, and
 * starts another process: the result must equal that of an undisturbed run, and no budget is overdrawn in between.
 */
import { describe, expect, it } from '@jest/globals';
import { deathsAtEveryStep, deathTimes, Lifetime, type Death } from '@kruise/kube/testing';
import { BudgetCluster, relatedPub, toImage } from '../cluster.testing.ts';

const endOf = (world: BudgetCluster): unknown => ({
  status: world.get()?.status,
  names: world.podList.map(({ metadata }) => metadata.annotations?.[relatedPub]),
});

async function live(death?: Death): Promise<{ readonly world: BudgetCluster; readonly dead: boolean; readonly writes: number }> {
  const world = new BudgetCluster();
  world.deployment('web', 4);
  world.pods('web', 3);
  world.budget({ maxUnavailable: 2 });
  let manager = world.begin({ death });
  const first = manager;
  const goOn = async (ms: number): Promise<void> => {
    await world.clock.step(ms);
    if (manager.dead) manager = world.begin();
    await world.clock.step(2000);
  };
  await goOn(2000);
  world.pod('web-3', 'web');
  await goOn(2000);
  const replica = await world.replica();
  expect((await world.evict('web-0', replica)).code).toBe(200);
  await goOn(10_000);
  expect((await world.update('web-1', toImage('app:2'), replica)).code).toBe(200);
  expect((await world.delete('web-2', replica)).code).toBe(403);
  await goOn(30_000);
  world.pod('web-0', 'web');
  await goOn(10_000);
  await world.stop();
  if (!manager.dead) await manager.stop();
  return { world, dead: first.dead, writes: first.writes };
}

describe('a controller that is killed', () => {
  it.each(deathTimes)('at any write (%s) leads to the result of an undisturbed run', async (when) => {
    const undisturbed = await live();
    expect(undisturbed.writes).toBeGreaterThan(6);
    const deaths = await deathsAtEveryStep(when, async (death) => {
      const scenario = await live(death);
      expect(endOf(scenario.world)).toEqual(endOf(undisturbed.world));
      return scenario;
    });
    expect(deaths).toBe(undisturbed.writes);
  });
});

describe('a replica that is killed', () => {
  it.each(deathTimes)('while it charges (%s) leaves no more than one charge, which comes back', async (when) => {
    const world = new BudgetCluster();
    world.deployment('web', 4);
    world.pods('web', 4);
    world.budget({ maxUnavailable: 1 });
    const manager = world.begin();
    await world.clock.step(2000);
    const lifetime = new Lifetime({ at: 1, when });
    const connected = lifetime.connect(world.api, 'webhook');
    const dying = await world.replica({ faults: connected.faults });
    const answer = dying.ask({ operation: 'DELETE', name: 'web-0', oldObject: world.getPod('web-0')! });
    await world.clock.step(10_000);
    expect((await answer).code).toBe(403);
    const isCharged = when !== 'before';
    expect(world.get()?.status?.unavailableAllowed).toBe(isCharged ? 0 : 1);
    await world.clock.step(30_000);
    expect(world.numbers()).toEqual([4, 3, 4, 1]);
    expect(manager.events.map(({ reason }) => reason)).toEqual(isCharged ? ['NotDeleted'] : []);
    await world.stop();
    await manager.stop();
  });
});
