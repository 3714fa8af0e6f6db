/**
 * Kills a manager at every single write of a run and lets another process go on: the end must be that of an undisturbed run. In a normal run the ways
 * to die share the writes; in the nightly run each way tries all of them.
 */
import { describe, expect, it } from '@jest/globals';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { stepsOf } from '@kruise/testing';
import type { ControllerProcess } from './controller-process.testing.ts';

interface KillableCluster {
  readonly managers: readonly ControllerProcess[];
  readonly manager: ControllerProcess;
}

/** What happens in one cluster from beginning to end. */
export interface Scenario<W extends KillableCluster> {
  readonly name: string;
  readonly begin: (nextDeath: (index: number) => Death | undefined) => W;
  /** Everything that users and nodes do, each to its end. */
  readonly run: (world: W) => Promise<void>;
}

export interface Kills<W extends KillableCluster> {
  readonly scenarios: readonly Scenario<W>[];
  /** What must come out the same. */
  readonly endOf: (world: W) => unknown;
  /** A scenario takes more writes than this. */
  readonly writes: number;
  /** The ways in which a process may die. */
  readonly ways?: readonly Death['when'][];
}

async function carryOut<W extends KillableCluster>({ begin, run }: Scenario<W>, death?: Death): Promise<W> {
  const world = begin((index) => (index === 0 ? death : undefined));
  await run(world);
  await world.manager.stop();
  return world;
}

export function describeKills<W extends KillableCluster>({ scenarios, endOf, writes: least, ways = deathTimes }: Kills<W>): void {
  describe('a manager that is killed', () => {
    it.each(scenarios.flatMap((one) => ways.map((when) => ({ ...one, when }))))(
      'at any write of a scenario $name ($when) leaves nothing doubled, lost or left over',
      async (scenario) => {
        const undisturbed = await carryOut(scenario);
        const end = endOf(undisturbed);
        const { writes } = undisturbed.manager;
        expect(undisturbed.managers).toHaveLength(1);
        expect(writes).toBeGreaterThan(least);
        const dies = async (death: Death): Promise<ControllerProcess> => {
          const world = await carryOut(scenario, death);
          expect({ death, end: endOf(world) }).toEqual({ death, end });
          const [first] = world.managers;
          if (first === undefined) throw new Error('no process was started');
          return first;
        };
        expect(await deathsAtEveryStep(scenario.when, dies, stepsOf(scenario.when, ways))).toBe(writes);
      },
      180_000,
    );
  });
}
