/** The test kills the controller at every single write, in each way to die, and starts another process: each time has one job. */
import { describe, expect, it } from '@jest/globals';
import type { AdvancedCronJobSpec } from '@kruise/api';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { stepsOf } from '@kruise/testing';
import { nameAt, World } from './world.testing.ts';

interface Life {
  readonly spec: Partial<AdvancedCronJobSpec>;
  readonly jobSeconds?: number;
  readonly live: (world: World) => Promise<void>;
  /** Minutes whose jobs are made. */
  readonly made: readonly number[];
}

const hour = 3_600_000;
const fiveMinutes = { live: (world: World) => world.seconds(60 * 4 + 50, 10), made: [1, 2, 3, 4] };

/** An hour is passed over, then comes again without a job, and a day is slept through. */
async function withClocks(world: World): Promise<void> {
  await world.seconds(110, 10);
  world.clock.jumpWallClock(hour);
  await world.seconds(60, 10);
  world.clock.jumpWallClock(-hour);
  await world.seconds(60, 10);
  world.clock.freeze(24 * hour + 20_000);
  await world.seconds(100, 10);
}

const lives: Readonly<Record<string, Life>> = {
  'keeps one finished job': { spec: { successfulJobsHistoryLimit: 1 }, ...fiveMinutes },
  'keeps no finished job': { spec: { successfulJobsHistoryLimit: 0 }, ...fiveMinutes },
  replaces: { spec: { concurrencyPolicy: 'Replace' }, jobSeconds: 70, ...fiveMinutes },
  forbids: { spec: { concurrencyPolicy: 'Forbid' }, ...fiveMinutes },
  'keeps no finished job while clocks are set and processes stand still': {
    spec: { successfulJobsHistoryLimit: 0 },
    live: withClocks,
    made: [1, 62, 24 * 60 + 4, 24 * 60 + 5],
  },
};

async function run({ spec, jobSeconds = 5, live }: Life, death?: Death): Promise<{ readonly end: unknown; readonly world: World }> {
  const world = new World(spec, { nextDeath: (life) => (life === 0 ? death : undefined) });
  world.jobSeconds = jobSeconds;
  await live(world);
  const end = { created: world.created, jobs: world.jobs.map(({ metadata }) => metadata.name), last: world.last, active: world.active };
  await world.life.stop();
  return { end, world };
}

describe('a manager that is killed at any write', () => {
  const cases = Object.keys(lives).flatMap((name) => deathTimes.map((when) => ({ name, when })));
  it.each(cases)('of one that $name ($when) makes one job for each time', async ({ name, when }) => {
    const life = lives[name] as Life;
    const undisturbed = await run(life);
    expect(undisturbed.world.created).toEqual(life.made.map(nameAt));
    const dies = async (death: Death): Promise<World['life']> => {
      const { end, world } = await run(life, death);
      expect({ death, end }).toEqual({ death, end: undisturbed.end });
      return world.lives[0] as World['life'];
    };
    const deaths = await deathsAtEveryStep(when, dies, stepsOf(when, deathTimes));
    expect(deaths).toBe(undisturbed.world.lives[0]?.writes);
    expect(deaths).toBeGreaterThan(8);
  });
});
