/**
 * The test kills the controller at every single write of a job, in each way to die, and starts another process: the result must equal
 * that of an undisturbed run.
 */
import { describe, expect, it } from '@jest/globals';
import type { BroadcastJobSpec } from '@kruise/api';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { BroadcastJobCluster } from './cluster.testing.ts';

interface Run {
  readonly spec: Partial<BroadcastJobSpec>;
  readonly broken?: readonly string[];
  readonly slow?: readonly string[];
  readonly isOver: (cluster: BroadcastJobCluster) => boolean;
}

const completed = (cluster: BroadcastJobCluster): boolean => cluster.job.status?.completionTime !== undefined;
const runs: Readonly<Record<string, Run>> = {
  'completes, two at a time': { spec: { parallelism: 2 }, isOver: completed },
  'fails fast while others run': { spec: {}, broken: ['n2'], slow: ['n1', 'n3'], isOver: completed },
  'meets its deadline': {
    spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 20 } },
    slow: ['n3'],
    isOver: completed,
  },
  'goes after its end': {
    spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 3 } },
    isOver: (cluster) => cluster.found === undefined,
  },
};

async function run(
  { spec, broken = [], slow = [], isOver }: Run,
  death?: Death,
): Promise<{ readonly end: unknown; readonly cluster: BroadcastJobCluster }> {
  const cluster = new BroadcastJobCluster(spec, { nextDeath: (index) => (index === 0 ? death : undefined) });
  for (const node of broken) cluster.broken.add(node);
  for (const node of slow) cluster.slow.add(node);
  await cluster.until(() => isOver(cluster), 'the end');
  await cluster.ticks(3);
  const { conditions = [] } = cluster.found?.status ?? {};
  const end = {
    summary: cluster.found === undefined ? 'gone' : cluster.summary,
    conditions: conditions.map(({ type, message }) => `${type}: ${message}`),
    pods: cluster.found === undefined ? [] : cluster.shown,
    created: cluster.created.toSorted(),
  };
  await cluster.manager.stop();
  return { end, cluster };
}

describe('a manager that is killed at any write', () => {
  const cases = Object.keys(runs).flatMap((name) => deathTimes.map((when) => ({ name, when })));
  it.each(cases)('of a job that $name ($when) changes nothing of its end', async ({ name, when }) => {
    const chosen = runs[name] as Run;
    const undisturbed = await run(chosen);
    const deaths = await deathsAtEveryStep(when, async (death) => {
      const { end, cluster } = await run(chosen, death);
      expect({ death, end }).toEqual({ death, end: undisturbed.end });
      return cluster.managers[0] as BroadcastJobCluster['manager'];
    });
    expect(deaths).toBe(undisturbed.cluster.managers[0]?.writes);
    expect(deaths).toBeGreaterThan(4);
  });
});
