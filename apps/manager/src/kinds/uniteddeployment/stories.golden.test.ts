/**
 * UnitedDeployments as stories: the controller runs on an API server in memory with workloads and kubelets that work in steps, and what it plans,
 * writes and tells is compared with a text file in testdata/. To write the files anew after an intended change:
 * UPDATE_GOLDEN=1 npm run jest -- uniteddeployment/stories.golden, then review the diff.
 */
import { describe, expect, it } from '@jest/globals';
import { goldenText } from '@kruise/testing';
import { adaptive, named, type UnitedShape } from './testing.ts';
import { World } from './world.testing.ts';

interface Told {
  readonly name: string;
  readonly shape: UnitedShape;
  readonly then: (world: World) => Promise<void>;
  /** How the children are in the end. */
  readonly end: readonly string[];
}

const fileOf = (name: string): URL => new URL(`./testdata/${name}.txt`, import.meta.url);

const stories: readonly Told[] = [
  {
    name: 'created-updated-by-partitions-and-back',
    shape: { kind: 'StatefulSet', partitions: { b: 1 } },
    then: async (world) => {
      await world.settle();
      world.story.note('the user sets app:2, and one Pod of b stays');
      world.changeImage('app:2', 'StatefulSet');
      await world.settle();
      world.story.note('the user lets it go');
      world.change({ updateStrategy: { type: 'Manual', manualUpdate: {} } });
      await world.settle();
      world.story.note('the user goes back');
      world.changeImage('app:1', 'StatefulSet');
      await world.settle();
    },
    end: ['a 1 StatefulSet', 'b 2 StatefulSet'],
  },
  {
    name: 'scaled-and-other-subsets',
    shape: { subsets: [{ name: 'a', replicas: 1 }, { name: 'b', replicas: '50%' }, { name: 'c' }], replicas: 6 },
    then: async (world) => {
      await world.settle();
      world.story.note('the user wants 8');
      world.change({ replicas: 8 });
      await world.settle();
      world.story.note('the user gives up c');
      world.change({ topology: { subsets: named('a', 'b') } });
      await world.settle();
    },
    end: ['a 4 CloneSet', 'b 4 CloneSet'],
  },
  {
    name: 'adaptive-failure-and-recovery',
    shape: { replicas: 5, schedule: adaptive(), subsets: [{ name: 'a', maxReplicas: 3 }, { name: 'b', maxReplicas: 1 }, { name: 'c' }] },
    then: async (world) => {
      world.story.note('there is no node for b');
      world.workloads.closed.add('b');
      await world.settle(100, 20);
      world.story.note('there is one again, and the user wants 7');
      world.workloads.closed.clear();
      await world.ticks(25);
      world.change({ replicas: 7 });
      await world.settle();
    },
    end: ['a 3 CloneSet', 'b 1 CloneSet', 'c 3 CloneSet'],
  },
  {
    name: 'reservation',
    shape: { kind: 'Deployment', replicas: 2, schedule: adaptive({ reserveUnschedulablePods: true }) },
    then: async (world) => {
      world.story.note('there is no node for a');
      world.workloads.closed.add('a');
      await world.settle(100, 30);
      world.story.note('there is one again');
      world.workloads.closed.clear();
      await world.settle(100, 30);
    },
    end: ['a 2 Deployment', 'b 0 Deployment'],
  },
];

describe('one application over several groups of nodes', () => {
  it.each(stories)('$name', async ({ name, shape, then, end }) => {
    await using world = new World(shape);
    await then(world);
    const { text } = world.story;
    expect(text).toBe(goldenText(fileOf(name), text));
    expect(world.shown).toEqual(end);
    expect(await world.quietHour()).toEqual([]);
  });
});
