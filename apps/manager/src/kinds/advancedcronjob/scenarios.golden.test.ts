/**
 * Golden scenarios of AdvancedCronJobs: the controller runs on an in-memory API server with Jobs that take time, and the test compares its plans,
 * writes and events with a text file in testdata/. To rewrite the files after an intended change:
 * `UPDATE_GOLDEN=1 npm run jest -- advancedcronjob/scenarios.golden`, then review the diff.
 */
import { describe, expect, it } from '@jest/globals';
import type { AdvancedCronJobSpec } from '@kruise/api';
import { RunStates } from '../../module/fixtures/argo-health.testing.ts';
import { goldenOf, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { nameAt, AdvancedCronJobCluster } from './cluster.testing.ts';

interface Scenario extends GoldenScenario<AdvancedCronJobCluster> {
  readonly spec: Partial<AdvancedCronJobSpec>;
  readonly jobSeconds?: number;
  /** Minutes after the start whose job was made. */
  readonly made: readonly number[];
}

const scenarios: readonly Scenario[] = [
  {
    name: 'every-minute-with-a-short-history',
    spec: { successfulJobsHistoryLimit: 1 },
    then: (world) => world.seconds(190),
    made: [1, 2, 3],
  },
  {
    name: 'forbid-while-one-runs',
    spec: { concurrencyPolicy: 'Forbid' },
    jobSeconds: 70,
    then: (world) => world.seconds(200),
    made: [1, 2],
  },
  {
    name: 'replace-what-runs',
    spec: { concurrencyPolicy: 'Replace' },
    jobSeconds: 600,
    then: (world) => world.seconds(130),
    made: [1, 2],
  },
  {
    name: 'paused-and-late',
    spec: { startingDeadlineSeconds: 100 },
    then: async (world) => {
      world.timeline.note('the user pauses it');
      world.change({ paused: true });
      await world.seconds(200);
      world.timeline.note('the user lets it go on: one late job is made');
      world.change({ paused: false });
      await world.seconds(10);
    },
    made: [3],
  },
  {
    name: 'jobs-fail-and-the-schedule-changes',
    spec: { failedJobsHistoryLimit: 1 },
    then: async (world) => {
      world.jobFails = true;
      await world.seconds(130);
      world.timeline.note('the user wants it every five minutes');
      world.change({ schedule: '*/5 * * * *' });
      await world.seconds(180);
    },
    made: [1, 2, 5],
  },
];

const states = new RunStates('AdvancedCronJob');

describe('jobs by the clock', () => {
  it.each(scenarios)('$name', async ({ name, spec, jobSeconds = 5, then, made }) => {
    await using world = new AdvancedCronJobCluster(spec);
    states.watch(name, world.api);
    world.jobSeconds = jobSeconds;
    await then(world);
    const { text } = world.timeline;
    expect(text).toBe(goldenOf(import.meta.url, name, text));
    expect(world.created).toEqual(made.map(nameAt));
    world.change({ paused: true });
    await world.seconds(60); // jobs that run come to their ends
    expect(await world.quietHour()).toEqual([]);
  });

  states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));
});
