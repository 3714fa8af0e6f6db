/** Many AdvancedCronJobs of the same minute: how long after it each of their jobs is there. */
import { advancedCronJobs, type AdvancedCronJob } from '@kruise/api';
import { inParallel, type Client } from '@kruise/kube';
import { jobs } from '@kruise/objects';
import { namespace } from './clone-set.ts';
import type { PhaseResult } from './phase.ts';
import { onStage, runPhases, type StageOptions } from './stage.ts';

export interface CronJobsOptions extends Omit<StageOptions, 'pods'> {
  /** Each of them makes a job every minute. */
  readonly count: number;
}

export interface CronJobsResult {
  /** Milliseconds from the minute to the sight of its job, of every job. */
  readonly delays: readonly number[];
  /** The manager meanwhile. */
  readonly phase: PhaseResult;
}

const minute = 60_000;
/** Minutes that are measured. */
const minutes = 2;
const parallelWrites = 16;

/** Its Jobs are suspended, so that no Pod comes of them. */
const cronJob = (index: number): AdvancedCronJob => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'AdvancedCronJob',
  metadata: { name: `cron-${index}`, namespace },
  spec: {
    schedule: '* * * * *',
    template: {
      jobTemplate: {
        spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'app:1' }] } } },
      },
    },
  },
});

/** Takes the time of every job that appears until there are `wanted`. */
async function watchJobs(client: Client, wanted: number): Promise<readonly number[]> {
  const delays: number[] = [];
  const signal = AbortSignal.timeout((minutes + 3) * minute);
  for await (const event of client.watch(jobs, { namespace, signal })) {
    if (event.type !== 'ADDED') continue;
    const scheduledAt = Number(event.object.metadata.name.split('-').at(-1)) * 1000;
    delays.push(Date.now() - scheduledAt);
    if (delays.length >= wanted) return delays;
  }
  throw new Error(`only ${delays.length} of ${wanted} jobs appeared`);
}

export const measureCronJobs = ({ count, ...options }: CronJobsOptions): Promise<CronJobsResult> =>
  onStage({ ...options, pods: 0 }, [], async ({ client, instruments }) => {
    options.progress(`${count} AdvancedCronJobs, ${minutes} minutes`);
    // None is left to be made when the minute is about to be over.
    const left = minute - (Date.now() % minute);
    if (left < minute / 2) await new Promise((resolve) => setTimeout(resolve, left));
    const numbers = Array.from({ length: count }, (_, index) => index);
    await inParallel(numbers, parallelWrites, async (index) => void (await client.create(advancedCronJobs, cronJob(index))));
    let delays: readonly number[] | undefined;
    const [phase] = await runPhases(
      [
        {
          name: `${count} AdvancedCronJobs, ${minutes} minutes`,
          begin: async () => void (delays = await watchJobs(client, count * minutes)),
          isOver: () => Promise.resolve(delays !== undefined),
          timeoutMs: (minutes + 4) * minute,
        },
      ],
      instruments,
      options.progress,
    );
    if (phase === undefined || delays === undefined) throw new Error('nothing was measured');
    return { delays, phase };
  });
