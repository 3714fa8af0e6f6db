/** The test kills the controller at every single write, in each way to die, and starts another process: each time has one job. */
import { describe, expect, it } from '@jest/globals';
import type { AdvancedCronJobSpec } from '@kruise/api';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { stepsOf } from '@kruise/testing';
import { nameAt, AdvancedCronJobCluster } from './cluster.testing.ts';

interface Run {
  readonly spec: Partial<AdvancedCronJobSpec>;
  readonly jobSeconds?: number;
  readonly run: (cluster: AdvancedCronJobCluster) => Promise<void>;
  /** Minutes whose jobs are made. */
  readonly made: readonly number[];
}

const hour = 3_600_000;
const fiveMinutes = { run: (cluster: AdvancedCronJobCluster) => cluster.seconds(60 * 4 + 50, 10), made: [1, 2, 3, 4] };

/** An hour is passed over, then comes again without a job, and a day is slept through. */
async function withClocks(cluster: AdvancedCronJobCluster): Promise<void> {
  await cluster.seconds(110, 10);
  cluster.clock.jumpWallClock(hour);
  await cluster.seconds(60, 10);
  cluster.clock.jumpWallClock(-hour);
  await cluster.seconds(60, 10);
  cluster.clock.freeze(24 * hour + 20_000);
  await cluster.seconds(100, 10);
}

const runs: Readonly<Record<string, Run>> = {
  'keeps one finished job': { spec: { successfulJobsHistoryLimit: 1 }, ...fiveMinutes },
  'keeps no finished job': { spec: { successfulJobsHistoryLimit: 0 }, ...fiveMinutes },
  replaces: { spec: { concurrencyPolicy: 'Replace' }, jobSeconds: 70, ...fiveMinutes },
  forbids: { spec: { concurrencyPolicy: 'Forbid' }, ...fiveMinutes },
  'keeps no finished job while clocks are set and processes stand still': {
    spec: { successfulJobsHistoryLimit: 0 },
    run: withClocks,
    made: [1, 62, 24 * 60 + 4, 24 * 60 + 5],
  },
};

async function run(
  { spec, jobSeconds = 5, run }: Run,
  death?: Death,
): Promise<{ readonly end: unknown; readonly cluster: AdvancedCronJobCluster }> {
  const cluster = new AdvancedCronJobCluster(spec, { nextDeath: (index) => (index === 0 ? death : undefined) });
  cluster.jobSeconds = jobSeconds;
  await run(cluster);
  const end = {
    created: cluster.created,
    jobs: cluster.jobs.map(({ metadata }) => metadata.name),
    last: cluster.last,
    active: cluster.active,
  };
  await cluster.manager.stop();
  return { end, cluster };
}

describe('a manager that is killed at any write', () => {
  const cases = Object.keys(runs).flatMap((name) => deathTimes.map((when) => ({ name, when })));
  it.each(cases)('of one that $name ($when) makes one job for each time', async ({ name, when }) => {
    const chosen = runs[name] as Run;
    const undisturbed = await run(chosen);
    expect(undisturbed.cluster.created).toEqual(chosen.made.map(nameAt));
    const dies = async (death: Death): Promise<AdvancedCronJobCluster['manager']> => {
      const { end, cluster } = await run(chosen, death);
      expect({ death, end }).toEqual({ death, end: undisturbed.end });
      return cluster.managers[0] as AdvancedCronJobCluster['manager'];
    };
    const deaths = await deathsAtEveryStep(when, dies, stepsOf(when, deathTimes));
    expect(deaths).toBe(undisturbed.cluster.managers[0]?.writes);
    expect(deaths).toBeGreaterThan(8);
  });
});
