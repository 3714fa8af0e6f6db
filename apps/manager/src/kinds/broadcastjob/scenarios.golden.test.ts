/**
 * Golden scenarios of jobs: the controller runs on an in-memory API server with kubelets that work in steps, and the test compares its plans, writes
 * and events with a text file in testdata/. To rewrite the files after an intended change:
 * `UPDATE_GOLDEN=1 npm run jest -- broadcastjob/scenarios.golden`, then review the diff.
 */
import { describe, expect, it } from '@jest/globals';
import type { BroadcastJobSpec } from '@kruise/api';
import { RunStates } from '../../module/fixtures/argo-health.testing.ts';
import { goldenOf, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { BroadcastJobCluster } from './cluster.testing.ts';

interface Scenario extends GoldenScenario<BroadcastJobCluster> {
  readonly spec: Partial<BroadcastJobSpec>;
  readonly broken?: readonly string[];
  /** The final state of the Pods, and the numbers; undefined if the job is deleted. */
  readonly end: { readonly shown: readonly string[]; readonly summary: string } | undefined;
}

const scenarios: readonly Scenario[] = [
  {
    name: 'two-at-a-time-and-deleted-after-its-end',
    spec: { parallelism: 2, completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 5 } },
    then: (cluster) => cluster.until(() => cluster.found === undefined, 'the job is gone'),
    end: undefined,
  },
  {
    name: 'one-node-fails-and-all-stop',
    spec: { failurePolicy: { type: 'FailFast' } },
    broken: ['n2'],
    then: async (cluster) => {
      cluster.slow.add('n1').add('n3');
      await cluster.until(() => cluster.job.status?.completionTime !== undefined, 'the job has failed');
    },
    end: { shown: ['n2 Failed'], summary: 'failed: desired 3, active 0, succeeded 0, failed 3' },
  },
  {
    name: 'one-node-fails-and-a-user-goes-on',
    spec: { parallelism: 1, failurePolicy: { type: 'Pause' } },
    broken: ['n1'],
    then: async (cluster) => {
      await cluster.until(() => cluster.job.status?.phase === 'paused', 'the job is paused');
      cluster.timeline.note('the user lets it go on, whatever fails');
      cluster.change({ paused: false, failurePolicy: { type: 'Continue' } });
      await cluster.until(() => cluster.job.status?.completionTime !== undefined, 'the job has ended');
    },
    end: {
      shown: ['n1 Failed', 'n2 Succeeded', 'n3 Succeeded'],
      summary: 'completed: desired 3, active 0, succeeded 2, failed 1',
    },
  },
  {
    name: 'nodes-join-and-leave-a-job-that-never-ends',
    spec: { completionPolicy: { type: 'Never' } },
    then: async (cluster) => {
      await cluster.until(() => cluster.job.status?.succeeded === 3, 'it has run everywhere');
      cluster.timeline.note('a node joins');
      cluster.node('n4');
      await cluster.until(() => cluster.job.status?.succeeded === 4, 'it has run there');
    },
    end: {
      shown: ['n1 Succeeded', 'n2 Succeeded', 'n3 Succeeded', 'n4 Succeeded'],
      summary: 'running: desired 4, active 0, succeeded 4, failed 0',
    },
  },
  {
    name: 'its-time-is-over',
    spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 10 } },
    then: async (cluster) => {
      cluster.slow.add('n3');
      await cluster.until(() => cluster.job.status?.completionTime !== undefined, 'the deadline');
    },
    end: { shown: ['n1 Succeeded', 'n2 Succeeded'], summary: 'failed: desired 3, active 0, succeeded 2, failed 1' },
  },
];

const states = new RunStates('BroadcastJob');

describe('jobs', () => {
  it.each(scenarios)('$name', async ({ name, spec, broken = [], then, end }) => {
    await using cluster = new BroadcastJobCluster(spec);
    states.watch(name, cluster.api);
    for (const node of broken) cluster.broken.add(node);
    await then(cluster);
    await cluster.ticks(3);
    const { text } = cluster.timeline;
    expect(text).toBe(goldenOf(import.meta.url, name, text));
    expect(cluster.found === undefined ? undefined : { shown: cluster.shown, summary: cluster.summary }).toEqual(end);
    expect(await cluster.quietHour()).toEqual([]);
  });

  states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));
});
