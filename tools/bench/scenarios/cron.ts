/** Many AdvancedCronJobs of the same minute: how long after it each of their jobs is there. */
import { setTimeout as sleep } from 'node:timers/promises';
import { advancedCronJobs, type AdvancedCronJob } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { jobs } from '@kruise/objects';
import { each } from '../each.ts';
import { cpu, ownWork, rowsOf } from '../manager/measures.ts';
import { onStage } from '../manager/stage.ts';
import { manifest } from '../objects/manifest.ts';
import { namespace } from '../objects/workloads.ts';
import { quantile } from '../statistics.ts';
import { rowsAbout } from '../table.ts';

/** Each of them creates a job every minute. */
const count = 1_000;
const minute = 60_000;
/** Minutes that are measured. */
const minutes = 2;

const cronJob = manifest<AdvancedCronJob>('cron-job.yaml');

/** @returns for each Job that appears until there are `wanted`, the milliseconds from its minute until then */
async function watchJobs(client: Client, wanted: number): Promise<readonly number[]> {
  const delays: number[] = [];
  const signal = AbortSignal.timeout((minutes + 3) * minute);
  for await (const event of client.watch(jobs, { namespace, signal })) {
    if (event.type !== 'ADDED') continue;
    const scheduledAt = Number(event.object.metadata.name.split('-').at(-1)) * 1000;
    if (delays.push(Date.now() - scheduledAt) === wanted) return delays;
  }
  throw new Error(`only ${delays.length} of ${wanted} jobs appeared`);
}

export const measure = onStage(
  () => ({ pods: 0 }),
  async ({ client, phase: runPhase, progress, record }) => {
    progress(`${count} AdvancedCronJobs, ${minutes} minutes`);
    // None is left to be created when the minute is about to end.
    const left = minute - (Date.now() % minute);
    if (left < minute / 2) await sleep(left);
    await each(count, (at) => client.create(advancedCronJobs, cronJob({ at })));
    let delays: readonly number[] = [];
    const phase = await runPhase({
      name: `${count.toLocaleString('en-US')} AdvancedCronJobs of the same minute`,
      begin: async () => void (delays = await watchJobs(client, count * minutes)),
      timeoutMs: (minutes + 4) * minute,
    });
    record({ delays });
    const ofDelays = rowsAbout(`${phase.name}: from the minute to the job,`, {
      'median (ms)': quantile(delays, 0.5),
      'p99 (ms)': { ours: quantile(delays, 0.99), limit: 1000 },
    });
    return [...ofDelays, ...rowsOf([phase], [{ what: 'API calls a job', ours: ({ apiCalls }) => apiCalls / delays.length }, cpu, ownWork])];
  },
);
