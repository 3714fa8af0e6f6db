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
    then: (cluster) => cluster.seconds(190),
    made: [1, 2, 3],
  },
  {
    name: 'forbid-while-one-runs',
    spec: { concurrencyPolicy: 'Forbid' },
    jobSeconds: 70,
    then: (cluster) => cluster.seconds(200),
    made: [1, 2],
  },
  {
    name: 'replace-what-runs',
    spec: { concurrencyPolicy: 'Replace' },
    jobSeconds: 600,
    then: (cluster) => cluster.seconds(130),
    made: [1, 2],
  },
  {
    name: 'paused-and-late',
    spec: { startingDeadlineSeconds: 100 },
    then: async (cluster) => {
      cluster.timeline.note('the user pauses it');
      cluster.change({ paused: true });
      await cluster.seconds(200);
      cluster.timeline.note('the user lets it go on: one late job is made');
      cluster.change({ paused: false });
      await cluster.seconds(10);
    },
    made: [3],
  },
  {
    name: 'jobs-fail-and-the-schedule-changes',
    spec: { failedJobsHistoryLimit: 1 },
    then: async (cluster) => {
      cluster.jobFails = true;
      await cluster.seconds(130);
      cluster.timeline.note('the user wants it every five minutes');
      cluster.change({ schedule: '*/5 * * * *' });
      await cluster.seconds(180);
    },
    made: [1, 2, 5],
  },
];

const states = new RunStates('AdvancedCronJob');

describe('jobs on a schedule', () => {
  it.each(scenarios)('$name', async ({ name, spec, jobSeconds = 5, then, made }) => {
    await using cluster = new AdvancedCronJobCluster(spec);
    states.watch(name, cluster.api);
    cluster.jobSeconds = jobSeconds;
    await then(cluster);
    const { text } = cluster.timeline;
    expect(text).toBe(goldenOf(import.meta.url, name, text));
    expect(cluster.created).toEqual(made.map(nameAt));
    cluster.change({ paused: true });
    await cluster.seconds(60); // jobs that run come to their ends
    expect(await cluster.quietHour()).toEqual([]);
  });

  states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));
});
