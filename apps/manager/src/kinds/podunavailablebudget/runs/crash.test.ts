/**
 * The test kills the controller, and a replica of the webhook, at every single write from creation to deletion of a budget, in each way to die, and
 * starts another process: the result must equal that of an undisturbed run, and no budget is overdrawn in between.
 */
import { describe, expect, it } from '@jest/globals';
import { deathsAtEveryStep, deathTimes, Lifetime, type Death } from '@kruise/kube/testing';
import { BudgetCluster, relatedPub, toImage } from '../cluster.testing.ts';

const endOf = (cluster: BudgetCluster): unknown => ({
  status: cluster.get()?.status,
  names: cluster.podList.map(({ metadata }) => metadata.annotations?.[relatedPub]),
});

async function live(death?: Death): Promise<{ readonly cluster: BudgetCluster; readonly dead: boolean; readonly writes: number }> {
  const cluster = new BudgetCluster();
  cluster.deployment('web', 4);
  cluster.pods('web', 3);
  cluster.budget({ maxUnavailable: 2 });
  let manager = cluster.begin({ death });
  const first = manager;
  const goOn = async (ms: number): Promise<void> => {
    await cluster.clock.step(ms);
    if (manager.dead) manager = cluster.begin();
    await cluster.clock.step(2000);
  };
  await goOn(2000);
  cluster.pod('web-3', 'web');
  await goOn(2000);
  const replica = await cluster.replica();
  expect((await cluster.evict('web-0', replica)).code).toBe(200);
  await goOn(10_000);
  expect((await cluster.update('web-1', toImage('app:2'), replica)).code).toBe(200);
  expect((await cluster.delete('web-2', replica)).code).toBe(403);
  await goOn(30_000);
  cluster.pod('web-0', 'web');
  await goOn(10_000);
  await cluster.stop();
  if (!manager.dead) await manager.stop();
  return { cluster, dead: first.dead, writes: first.writes };
}

describe('a controller that is killed', () => {
  it.each(deathTimes)('at any write (%s) leads to the result of an undisturbed run', async (when) => {
    const undisturbed = await live();
    expect(undisturbed.writes).toBeGreaterThan(6);
    const deaths = await deathsAtEveryStep(when, async (death) => {
      const scenario = await live(death);
      expect(endOf(scenario.cluster)).toEqual(endOf(undisturbed.cluster));
      return scenario;
    });
    expect(deaths).toBe(undisturbed.writes);
  });
});

describe('a replica that is killed', () => {
  it.each(deathTimes)('while it charges (%s) leaves no more than one charge, which comes back', async (when) => {
    const cluster = new BudgetCluster();
    cluster.deployment('web', 4);
    cluster.pods('web', 4);
    cluster.budget({ maxUnavailable: 1 });
    const manager = cluster.begin();
    await cluster.clock.step(2000);
    const lifetime = new Lifetime({ at: 1, when });
    const connected = lifetime.connect(cluster.api, 'webhook');
    const dying = await cluster.replica({ faults: connected.faults });
    const answer = dying.ask({ operation: 'DELETE', name: 'web-0', oldObject: cluster.getPod('web-0')! });
    await cluster.clock.step(10_000);
    expect((await answer).code).toBe(403);
    const isCharged = when !== 'before';
    expect(cluster.get()?.status?.unavailableAllowed).toBe(isCharged ? 0 : 1);
    await cluster.clock.step(30_000);
    expect(cluster.numbers()).toEqual([4, 3, 4, 1]);
    expect(manager.events.map(({ reason }) => reason)).toEqual(isCharged ? ['NotDeleted'] : []);
    await cluster.stop();
    await manager.stop();
  });
});
