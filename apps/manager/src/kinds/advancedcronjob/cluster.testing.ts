/** An AdvancedCronJob with its jobs, and one manager at a time, on an API server in memory. */
import { advancedCronJobs, broadcastJobs, type AdvancedCronJob, type AdvancedCronJobSpec } from '@kruise/api';
import { quietHour } from '@kruise/kube/testing';
import { formatTime, jobs, type Job, type KubeObject } from '@kruise/objects';
import { ControllerCluster, type ClusterOptions } from '../../module/controller-cluster.testing.ts';
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

export class AdvancedCronJobCluster extends ControllerCluster<AdvancedCronJob> {
  /** Names of all jobs that were ever created, in order. */
  readonly created: string[] = [];
  /** The greatest number of jobs that had not ended at a time. */
  mostActive = 0;
  /** Seconds that a job takes; with Infinity it never finishes. */
  jobSeconds = 5;
  jobFails = false;

  constructor(spec: Partial<AdvancedCronJobSpec> = {}, options: ClusterOptions = {}) {
    super({ type: advancedCronJobs, key, controller: advancedCronJobController }, options);
    this.api.onWrite(({ call, refused }) => {
      if (call.verb === 'create' && refused === undefined && call.type?.kind !== 'Event') this.created.push(call.key.name);
      this.mostActive = Math.max(this.mostActive, this.jobs.filter(({ status }) => status?.conditions === undefined).length);
    });
    this.start(aCronJob(spec));
  }

  get cronJob(): AdvancedCronJob {
    return this.object;
  }

  get jobs(): readonly Job[] {
    return this.api.peekAll(jobs, namespace);
  }

  get broadcastJobs(): readonly KubeObject[] {
    return this.api.peekAll(broadcastJobs, namespace);
  }

  get last(): string | undefined {
    return this.cronJob.status?.lastScheduleTime;
  }

  /** Names of jobs that the status has as active. */
  get active(): readonly string[] {
    return (this.cronJob.status?.active ?? []).map(({ name = '' }) => name);
  }

  /** Each job as `name`, with the type of its condition if it has ended. */
  get shown(): readonly string[] {
    return this.jobs.map(({ metadata, status }) => [metadata.name, ...(status?.conditions ?? []).map(({ type }) => type)].join(' '));
  }

  protected get seen(): unknown {
    return this.jobs;
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

  /** Jobs begin immediately, and end when their time is over. */
  protected override runKubelets(): Promise<void> {
    for (const job of this.jobs) {
      const { startTime, conditions } = job.status ?? {};
      if (startTime === undefined) this.api.seed(jobs, { ...job, status: { startTime: formatTime(this.clock.now()) } });
      else if (conditions === undefined && this.clock.now() - Date.parse(startTime) >= this.jobSeconds * 1000)
        this.finish(job.metadata.name, this.jobFails ? 'Failed' : 'Complete');
    }
    return Promise.resolve();
  }

  /** Without a step of the clock, so that jobs begin at full seconds. */
  protected override settleManager(): Promise<void> {
    return this.clock.settle();
  }

  /** Jobs are looked at every `step` seconds. */
  async seconds(count: number, step = 1): Promise<void> {
    for (let i = 0; i < count; i += step) await this.tick(step);
  }

  /** Jobs that run keep running in this hour: their end is no change by a user. */
  override quietHour(): Promise<readonly string[]> {
    return quietHour({ api: this.api, clock: this.clock });
  }
}

/** The name of the job for that minute after the start. */
export const nameAt = (minutes: number): string => `cron-${Date.UTC(2026, 0, 1) / 1000 + minutes * 60}`;
