/**
 * The controller is killed at every single write of a DaemonSet's life, in each of the ways that a death may take, and another process goes on: the
 * end must be that of an undisturbed run.
 */
import { describe, expect, it } from '@jest/globals';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { podCondition } from '@kruise/objects';
import type { SetShape } from './testing.ts';
import { World } from './world.testing.ts';

/** What must come out the same; names, times and versions may differ. */
const endOf = (world: World): unknown => ({
  shown: world.shown,
  conditions: world.conditions,
  revisions: world.revisions,
  restarts: world.pods.map(({ status }) => status?.containerStatuses?.[0]?.restartCount),
  inService: world.pods.map((pod) => podCondition(pod, 'InPlaceUpdateReady')?.status),
  status: { ...world.set.status, conditions: undefined },
});

interface Story {
  readonly name: string;
  readonly shape: SetShape;
  /** Everything that users and nodes do, each to its end. */
  readonly live: (world: World) => Promise<void>;
}

const updateAndBack = async (world: World): Promise<void> => {
  await world.settle();
  world.changeImage('app:2');
  await world.settle();
  world.changeImage('app:1');
  await world.settle();
};
const nodesChange = async (world: World): Promise<void> => {
  await world.settle();
  world.node('n4');
  world.node('n1', { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
  await world.settle();
  world.node('n1');
  await world.settle();
};

const stories: readonly Story[] = [
  { name: 'made anew', shape: {}, live: updateAndBack },
  { name: 'in place', shape: { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 2 } }, live: updateAndBack },
  { name: 'surging', shape: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } }, live: updateAndBack },
  { name: 'of changing nodes', shape: {}, live: nodesChange },
];

async function run({ shape, live }: Story, death?: Death): Promise<World> {
  const world = new World(shape, { nextDeath: (life) => (life === 0 ? death : undefined) });
  await live(world);
  await world.life.stop();
  return world;
}

describe('a manager that is killed', () => {
  it.each(stories.flatMap((one) => deathTimes.map((when) => ({ ...one, when }))))(
    'at any write of a life $name ($when) leaves nothing doubled, lost or left over',
    async (story) => {
      const undisturbed = await run(story);
      const end = endOf(undisturbed);
      const { writes } = undisturbed.life;
      expect(undisturbed.lives).toHaveLength(1);
      expect(writes).toBeGreaterThan(9);
      const died = await deathsAtEveryStep(story.when, async (death) => {
        const world = await run(story, death);
        expect({ death, end: endOf(world) }).toEqual({ death, end });
        const [first] = world.lives;
        if (first === undefined) throw new Error('nobody lived');
        return first;
      });
      expect(died).toBe(writes);
    },
    180_000,
  );
});
