/**
 * The test kills the controller at every single write of a job, in each way to die, and starts another process: the result must equal
 * that of an undisturbed run.
 */
import { describe, expect, it } from '@jest/globals';
import type { BroadcastJobSpec } from '@kruise/api';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { World } from './world.testing.ts';

interface Life {
  readonly spec: Partial<BroadcastJobSpec>;
  readonly broken?: readonly string[];
  readonly slow?: readonly string[];
  readonly isOver: (world: World) => boolean;
}

const completed = (world: World): boolean => world.job.status?.completionTime !== undefined;
const lives: Readonly<Record<string, Life>> = {
  'completes, two at a time': { spec: { parallelism: 2 }, isOver: completed },
  'fails fast while others run': { spec: {}, broken: ['n2'], slow: ['n1', 'n3'], isOver: completed },
  'meets its deadline': {
    spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 20 } },
    slow: ['n3'],
    isOver: completed,
  },
  'goes after its end': {
    spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 3 } },
    isOver: (world) => world.found === undefined,
  },
};

async function run(
  { spec, broken = [], slow = [], isOver }: Life,
  death?: Death,
): Promise<{ readonly end: unknown; readonly world: World }> {
  const world = new World(spec, { nextDeath: (life) => (life === 0 ? death : undefined) });
  for (const node of broken) world.broken.add(node);
  for (const node of slow) world.slow.add(node);
  await world.until(() => isOver(world), 'the end');
  await world.ticks(3);
  const { conditions = [] } = world.found?.status ?? {};
  const end = {
    summary: world.found === undefined ? 'gone' : world.summary,
    conditions: conditions.map(({ type, message }) => `${type}: ${message}`),
    pods: world.found === undefined ? [] : world.shown,
    created: world.created.toSorted(),
  };
  await world.life.stop();
  return { end, world };
}

describe('a manager that is killed at any write', () => {
  const cases = Object.keys(lives).flatMap((name) => deathTimes.map((when) => ({ name, when })));
  it.each(cases)('of a job that $name ($when) changes nothing of its end', async ({ name, when }) => {
    const life = lives[name] as Life;
    const undisturbed = await run(life);
    const deaths = await deathsAtEveryStep(when, async (death) => {
      const { end, world } = await run(life, death);
      expect({ death, end }).toEqual({ death, end: undisturbed.end });
      return world.lives[0] as World['life'];
    });
    expect(deaths).toBe(undisturbed.world.lives[0]?.writes);
    expect(deaths).toBeGreaterThan(4);
  });
});
