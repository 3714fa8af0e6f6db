/** An AdvancedCronJob with its jobs, and one manager at a time, on an API server in memory. */
import { advancedCronJobs, broadcastJobs, type AdvancedCronJob, type AdvancedCronJobSpec } from '@kruise/api';
import { quietHour, Timeline, type Death, type FakeApi, type FakeCall, type FakeClock } from '@kruise/kube/testing';
import { formatTime, jobs, type Job, type KubeObject } from '@kruise/objects';
import { asNew, ControllerProcess, newClock, newFakeApi } from '../../module/controller-process.testing.ts';
import { advancedCronJobController } from './controller.ts';

const namespace = 'default';
const key = { namespace, name: 'cron' };

const template: AdvancedCronJobSpec['template'] = {
  jobTemplate: { metadata: { labels: { app: 'cron' } } as never, spec: { template: { spec: { restartPolicy: 'Never', containers: [] } } } },
};

/** Every minute, from 2026-01-01T00:00:00Z on. */
export const aCronJob = (spec: Partial<AdvancedCronJobSpec> = {}, status?: AdvancedCronJob['status']): AdvancedCronJob => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'AdvancedCronJob',
  metadata: { ...key, uid: 'cron-uid', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    schedule: '* * * * *',
    timeZone: 'UTC',
    concurrencyPolicy: 'Allow',
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    template,
    ...spec,
  },
  ...(status === undefined ? {} : { status }),
});

export interface CronJobClusterOptions {
  /** Where the process of that number, from 0, dies. */
  readonly nextDeath?: (index: number) => Death | undefined;
  /** Called before each call reaches the server; a throw is a call that took no effect. */
  readonly before?: (call: FakeCall) => void;
  /** Kinds that the cluster does not have. */
  readonly absent?: readonly string[];
}

export class AdvancedCronJobCluster {
  readonly clock: FakeClock = newClock();
  readonly api: FakeApi = newFakeApi(this.clock);
  readonly timeline = new Timeline(this.clock);
  /** Every process so far; the last one runs. */
  readonly managers: ControllerProcess[] = [];
  /** Names of all jobs that were ever made, in order. */
  readonly created: string[] = [];
  /** The greatest number of jobs that had not ended at a time. */
  mostActive = 0;
  /** Seconds that a job takes; with Infinity it never finishes. */
  jobSeconds = 5;
  jobFails = false;
  readonly #options: CronJobClusterOptions;

  constructor(spec: Partial<AdvancedCronJobSpec> = {}, options: CronJobClusterOptions = {}) {
    this.#options = options;
    this.api.seed(advancedCronJobs, asNew(aCronJob(spec)));
    this.timeline.recordWrites(this.api);
    this.api.onWrite(({ call, refused }) => {
      if (call.verb === 'create' && refused === undefined && call.type?.kind !== 'Event') this.created.push(call.key.name);
      this.mostActive = Math.max(this.mostActive, this.jobs.filter(({ status }) => status?.conditions === undefined).length);
    });
    this.begin();
  }

  /** A new process takes over. */
  begin(): void {
    const { nextDeath, before, absent = [] } = this.#options;
    const death = nextDeath?.(this.managers.length);
    const options = { death, absent, timeline: this.timeline, ...(before === undefined ? {} : { before }) };
    this.managers.push(new ControllerProcess(this.api, this.clock, advancedCronJobController, options));
  }

  get manager(): ControllerProcess {
    return this.managers.at(-1) as ControllerProcess;
  }

  get cronJob(): AdvancedCronJob {
    return this.api.peek(advancedCronJobs, key) as AdvancedCronJob;
  }

  get jobs(): readonly Job[] {
    return this.api.peekAll(jobs, namespace);
  }

  get broadcastJobs(): readonly KubeObject[] {
    return this.api.peekAll(broadcastJobs, namespace);
  }

  get events(): readonly string[] {
    return this.managers.flatMap(({ events }) => events.map(({ reason, message }) => `${reason}: ${message}`));
  }

  get last(): string | undefined {
    return this.cronJob.status?.lastScheduleTime;
  }

  /** Names of jobs that the status has as active. */
  get active(): readonly string[] {
    return (this.cronJob.status?.active ?? []).map(({ name = '' }) => name);
  }

  change(spec: Partial<AdvancedCronJobSpec>): void {
    const { metadata, ...rest } = this.cronJob;
    const generation = (metadata.generation ?? 0) + 1;
    this.api.seed(advancedCronJobs, { ...rest, metadata: { ...metadata, generation }, spec: { ...rest.spec, ...spec } });
  }

  /** A job of former times. */
  finished(name: string): void {
    const owner = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'AdvancedCronJob',
      name: key.name,
      uid: this.cronJob.metadata.uid,
      controller: true,
    };
    const status = { startTime: formatTime(this.clock.now()), conditions: [{ type: 'Complete', status: 'True' }] };
    this.api.seed(jobs, { apiVersion: 'batch/v1', kind: 'Job', metadata: { namespace, name, ownerReferences: [owner] }, status } as Job);
  }

  finish(name: string, type: 'Complete' | 'Failed'): void {
    const job = this.api.peek(jobs, { namespace, name }) as Job;
    this.api.seed(jobs, { ...job, status: { ...job.status, conditions: [{ type, status: 'True' }] } });
  }

  /** Jobs begin at once, and end when their time is over. */
  #runJobs(): void {
    for (const job of this.jobs) {
      const { startTime, conditions } = job.status ?? {};
      if (startTime === undefined) this.api.seed(jobs, { ...job, status: { startTime: formatTime(this.clock.now()) } });
      else if (conditions === undefined && this.clock.now() - Date.parse(startTime) >= this.jobSeconds * 1000)
        this.finish(job.metadata.name, this.jobFails ? 'Failed' : 'Complete');
    }
  }

  /** A process that died is replaced. */
  async tick(seconds: number): Promise<void> {
    await this.manager.clock.settle();
    if (this.manager.dead) {
      await this.manager.stop();
      this.begin();
      await this.manager.clock.settle();
    }
    this.#runJobs();
    await this.clock.step(seconds * 1_000);
  }

  /** Jobs are looked at every `step` seconds. */
  async seconds(count: number, step = 1): Promise<void> {
    for (let i = 0; i < count; i += step) await this.tick(step);
  }

  quietHour(): Promise<readonly string[]> {
    return quietHour(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.stop();
  }
}

/** The name of the job for that minute after the start. */
export const nameAt = (minutes: number): string => `cron-${Date.UTC(2026, 0, 1) / 1000 + minutes * 60}`;
