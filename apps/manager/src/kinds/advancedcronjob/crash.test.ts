/** The controller is killed at every single write, in each of the ways that a death may take, and another process goes on: each time has one job. */
import { describe, expect, it } from '@jest/globals';
import type { AdvancedCronJobSpec } from '@kruise/api';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { nameAt, World } from './world.testing.ts';

const specs: Readonly<Record<string, Partial<AdvancedCronJobSpec>>> = {
  'keeps one finished job': { successfulJobsHistoryLimit: 1 },
  'keeps no finished job': { successfulJobsHistoryLimit: 0 },
  replaces: { concurrencyPolicy: 'Replace' },
  forbids: { concurrencyPolicy: 'Forbid' },
};

async function run(spec: Partial<AdvancedCronJobSpec>, death?: Death): Promise<{ readonly end: unknown; readonly world: World }> {
  const world = new World(spec, { nextDeath: (life) => (life === 0 ? death : undefined) });
  world.jobSeconds = spec.concurrencyPolicy === 'Replace' ? 70 : 5;
  await world.seconds(60 * 4 + 50, 10);
  const end = { created: world.created, jobs: world.jobs.map(({ metadata }) => metadata.name), last: world.last, active: world.active };
  await world.life.stop();
  return { end, world };
}

describe('a manager that is killed at any write', () => {
  const cases = Object.keys(specs).flatMap((name) => deathTimes.map((when) => ({ name, when })));
  it.each(cases)('of one that $name ($when) makes one job for each time', async ({ name, when }) => {
    const spec = specs[name] ?? {};
    const undisturbed = await run(spec);
    expect(undisturbed.world.created).toEqual([1, 2, 3, 4].map(nameAt));
    const deaths = await deathsAtEveryStep(when, async (death) => {
      const { end, world } = await run(spec, death);
      expect({ death, end }).toEqual({ death, end: undisturbed.end });
      return world.lives[0] as World['life'];
    });
    expect(deaths).toBe(undisturbed.world.lives[0]?.writes);
    expect(deaths).toBeGreaterThan(8);
  });
});
