/**
 * Kills a manager at every single write of a run and lets another process go on: the end must be that of an undisturbed run. In a normal run the ways
 * to die share the writes; in the nightly run each way tries all of them.
 */
import { describe, expect, it } from '@jest/globals';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { stepsOf } from '@kruise/testing';
import type { ControllerLife } from './one-controller.testing.ts';

interface Mortal {
  readonly lives: readonly ControllerLife[];
  readonly life: ControllerLife;
}

/** A life in one world. */
export interface LifeStory<W extends Mortal> {
  readonly name: string;
  readonly begin: (nextDeath: (life: number) => Death | undefined) => W;
  /** Everything that users and nodes do, each to its end. */
  readonly live: (world: W) => Promise<void>;
}

export interface Kills<W extends Mortal> {
  readonly stories: readonly LifeStory<W>[];
  /** What must come out the same. */
  readonly endOf: (world: W) => unknown;
  /** More than so many writes make up a life. */
  readonly writes: number;
  /** The ways in which a process may die. */
  readonly ways?: readonly Death['when'][];
}

async function run<W extends Mortal>({ begin, live }: LifeStory<W>, death?: Death): Promise<W> {
  const world = begin((life) => (life === 0 ? death : undefined));
  await live(world);
  await world.life.stop();
  return world;
}

export function describeKills<W extends Mortal>({ stories, endOf, writes: least, ways = deathTimes }: Kills<W>): void {
  describe('a manager that is killed', () => {
    it.each(stories.flatMap((one) => ways.map((when) => ({ ...one, when }))))(
      'at any write of a life $name ($when) leaves nothing doubled, lost or left over',
      async (story) => {
        const undisturbed = await run(story);
        const end = endOf(undisturbed);
        const { writes } = undisturbed.life;
        expect(undisturbed.lives).toHaveLength(1);
        expect(writes).toBeGreaterThan(least);
        const dies = async (death: Death): Promise<ControllerLife> => {
          const world = await run(story, death);
          expect({ death, end: endOf(world) }).toEqual({ death, end });
          const [first] = world.lives;
          if (first === undefined) throw new Error('nobody lived');
          return first;
        };
        expect(await deathsAtEveryStep(story.when, dies, stepsOf(story.when, ways))).toBe(writes);
      },
      180_000,
    );
  });
}
