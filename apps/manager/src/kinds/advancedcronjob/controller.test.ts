/** The acceptance scenarios of the kind, with the whole controller on an API server in memory. @see spec/advancedcronjob.md 9 */
import { describe, expect, it } from '@jest/globals';
import { advancedCronJobs, imageListPullJobs, type AdvancedCronJobSpec } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { jobs, workloadLimits } from '@kruise/objects';
import { nameAt, AdvancedCronJobCluster } from './cluster.testing.ts';

const at = (minutes: number): string => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString().replace('.000Z', 'Z');

describe('an AdvancedCronJob', () => {
  it('makes a Job at each time, which says for which (1)', async () => {
    await using cluster = new AdvancedCronJobCluster();
    await cluster.seconds(62);
    expect(cluster.created).toEqual([nameAt(1)]);
    const [job] = cluster.jobs;
    expect(job?.metadata).toMatchObject({
      labels: { app: 'cron' },
      annotations: { 'apps.kruise.io/scheduled-at': at(1), 'batch.kubernetes.io/cronjob-scheduled-timestamp': at(1) },
      ownerReferences: [
        { apiVersion: 'apps.kruise.io/v1beta1', kind: 'AdvancedCronJob', name: 'cron', controller: true, blockOwnerDeletion: true },
      ],
    });
    expect(cluster.cronJob.status).toMatchObject({
      type: 'Job',
      lastScheduleTime: at(1),
      active: [{ kind: 'Job', apiVersion: 'batch/v1', name: nameAt(1) }],
    });
    await cluster.seconds(65);
    expect(cluster.created).toEqual([nameAt(1), nameAt(2)]);
    expect(cluster.events).toEqual([
      `SuccessfulCreate: Created job ${nameAt(1)}`,
      `SawCompletedJob: Saw completed job: ${nameAt(1)}, condition: Complete`,
      `SuccessfulCreate: Created job ${nameAt(2)}`,
      `SawCompletedJob: Saw completed job: ${nameAt(2)}, condition: Complete`,
    ]);
  });

  it('creates a job once although it is deleted before the status shows it', async () => {
    await using cluster = new AdvancedCronJobCluster();
    cluster.api.onWrite(({ call, refused }) => {
      if (call.verb === 'create' && call.type === jobs && refused === undefined) void cluster.api.delete(jobs, call.key);
    });
    await cluster.seconds(62);
    expect(cluster.jobs).toEqual([]);
    expect(cluster.created).toEqual([nameAt(1)]);
    expect(cluster.cronJob.status?.lastScheduleTime).toBe(at(1));
    await cluster.seconds(50);
    expect(cluster.created).toEqual([nameAt(1)]);
  });

  it('deletes more finished jobs than one pass may, without waiting for the next time', async () => {
    const count = workloadLimits.actionsOfPass.value + 3;
    await using cluster = new AdvancedCronJobCluster({ schedule: '@every 24h', successfulJobsHistoryLimit: count });
    for (let at = 0; at < count; at += 1) cluster.finished(`cron-${at}`);
    await cluster.seconds(2);
    expect(cluster.jobs).toHaveLength(count);
    cluster.change({ successfulJobsHistoryLimit: 0 });
    await cluster.seconds(2);
    expect(cluster.jobs).toHaveLength(0);
  });

  it('makes Jobs in a cluster that has no other kind of job, and requests none', async () => {
    const absent = ['BroadcastJob', 'ImageListPullJob'];
    const asked: string[] = [];
    const before = ({ type }: FakeCall): void => void asked.push(type?.kind ?? '');
    await using cluster = new AdvancedCronJobCluster({}, { absent, before });
    await cluster.seconds(62);
    expect(cluster.created).toEqual([nameAt(1)]);
    expect(asked.filter((kind) => absent.includes(kind))).toEqual([]);
  });

  it('keeps as many finished jobs as its spec says (2)', async () => {
    await using cluster = new AdvancedCronJobCluster({ successfulJobsHistoryLimit: 2 });
    await cluster.seconds(60 * 6 - 10);
    expect(cluster.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(4), nameAt(5)]);
    cluster.jobFails = true;
    await cluster.seconds(60 * 4);
    expect(cluster.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(4), nameAt(5), nameAt(9)]);
  });

  it('makes none while it is paused, and then the latest one at once (3)', async () => {
    await using cluster = new AdvancedCronJobCluster({ paused: true });
    await cluster.seconds(60 * 3 + 10);
    expect(cluster.created).toEqual([]);
    cluster.change({ paused: false });
    await cluster.seconds(2);
    expect(cluster.created).toEqual([nameAt(3)]);
  });

  it('that forbids it has never two at a time, and runs late (4)', async () => {
    await using cluster = new AdvancedCronJobCluster({ concurrencyPolicy: 'Forbid' });
    cluster.jobSeconds = 90;
    await cluster.seconds(60 * 4 + 10);
    expect([cluster.mostActive, cluster.created]).toEqual([1, [nameAt(1), nameAt(2), nameAt(4)]]);
    expect(cluster.events.filter((event) => event.startsWith('JobAlreadyActive')).length).toBeGreaterThan(0);
  });

  it('that replaces deletes the job before (5)', async () => {
    await using cluster = new AdvancedCronJobCluster({ concurrencyPolicy: 'Replace' });
    cluster.jobSeconds = Infinity;
    await cluster.seconds(60 * 3 + 2);
    expect(cluster.created).toEqual([1, 2, 3].map(nameAt));
    expect(cluster.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(3)]);
    expect([cluster.mostActive, cluster.active]).toEqual([1, [nameAt(3)]]);
  });

  it('that replaces deletes the other jobs when the deletion of one is refused, and creates none before all are deleted', async () => {
    let isRefused = true;
    const before = ({ verb, type, key: { name } }: FakeCall): void => {
      if (isRefused && verb === 'delete' && type === jobs && name === nameAt(1)) throw new ApiError('no', { kind: 'Forbidden' });
    };
    await using cluster = new AdvancedCronJobCluster({}, { before });
    cluster.jobSeconds = Infinity;
    await cluster.seconds(60 * 3 + 2);
    cluster.change({ concurrencyPolicy: 'Replace' });
    await cluster.seconds(60);
    expect(cluster.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(1)]);
    isRefused = false;
    await cluster.seconds(60);
    expect(cluster.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(5)]);
  });

  it('whose next job is refused still deletes those that are not kept', async () => {
    const before = ({ verb, type, key: { name } }: FakeCall): void => {
      if (verb === 'create' && type === jobs && name !== nameAt(1)) throw new ApiError('no', { kind: 'Forbidden' });
    };
    await using cluster = new AdvancedCronJobCluster({}, { before });
    await cluster.seconds(130);
    expect(cluster.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(1)]);
    cluster.change({ successfulJobsHistoryLimit: 0 });
    await cluster.seconds(5);
    expect(cluster.jobs).toEqual([]);
  });

  it('that allows it has them side by side', async () => {
    await using cluster = new AdvancedCronJobCluster();
    cluster.jobSeconds = Infinity;
    await cluster.seconds(60 * 3 + 2);
    expect(cluster.active).toEqual([1, 2, 3].map(nameAt));
  });

  it('runs none again that was deleted (6)', async () => {
    await using cluster = new AdvancedCronJobCluster({ schedule: '1 * * * *' });
    await cluster.seconds(70);
    expect(cluster.created).toEqual([nameAt(1)]);
    await cluster.api.delete(jobs, { namespace: 'default', name: nameAt(1) });
    await cluster.seconds(60);
    cluster.change({ successfulJobsHistoryLimit: 4 });
    await cluster.manager.stop();
    cluster.begin();
    await cluster.seconds(60);
    expect([cluster.created, cluster.last, cluster.jobs]).toEqual([[nameAt(1)], at(1), []]);
  });

  it('keeps no finished job and runs none again (7)', async () => {
    await using cluster = new AdvancedCronJobCluster({ schedule: '1 * * * *', successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 });
    await cluster.seconds(120);
    expect([cluster.created, cluster.last, cluster.jobs]).toEqual([[nameAt(1)], at(1), []]);
  });

  it('makes one late job after a pause, and by a deadline none that is too late (15)', async () => {
    await using cluster = new AdvancedCronJobCluster();
    await cluster.manager.stop();
    cluster.clock.freeze(10 * 60_000 + 30_000);
    cluster.begin();
    await cluster.seconds(2);
    expect(cluster.created).toEqual([nameAt(11)]);
    await using strict = new AdvancedCronJobCluster({ startingDeadlineSeconds: 20 });
    await strict.manager.stop();
    strict.clock.freeze(10 * 60_000 - 30_000);
    strict.begin();
    await strict.seconds(2);
    expect(strict.created).toEqual([]);
    expect(strict.events).toEqual([expect.stringMatching(/^MissSchedule: /)]);
    await strict.seconds(30);
    expect(strict.created).toHaveLength(1);
  });

  it('reports very many missed times, and continues', async () => {
    await using cluster = new AdvancedCronJobCluster();
    await cluster.manager.stop();
    cluster.clock.freeze(24 * 3_600_000);
    cluster.begin();
    await cluster.seconds(2);
    expect(cluster.created).toEqual([nameAt(24 * 60 + 1)]);
    expect(cluster.events[0]).toMatch(/^TooManyMissedTimes: /);
    await cluster.seconds(60);
    expect(cluster.created).toHaveLength(2);
  });

  it('continues when the clock was an hour ahead, reports it, and runs no time twice whose job exists', async () => {
    await using cluster = new AdvancedCronJobCluster({ successfulJobsHistoryLimit: 100 });
    await cluster.seconds(70);
    cluster.clock.jumpWallClock(3_600_000);
    await cluster.seconds(70);
    cluster.clock.jumpWallClock(-3_600_000);
    const before = cluster.created.length;
    await cluster.seconds(300);
    expect(cluster.created.length).toBe(before + 5);
    expect(cluster.events.filter((event) => event.startsWith('ClockSkew'))).toEqual([
      expect.stringMatching(/^ClockSkew: Ignoring the last schedule time 2026-01-01T01:0\d:00Z, which is ahead of the clock/),
    ]);
    await cluster.seconds(3_600);
    expect(new Set(cluster.created).size).toBe(cluster.created.length);
  });

  it('continues when the clock was a year ahead and no job is left', async () => {
    await using cluster = new AdvancedCronJobCluster({ schedule: '@hourly', successfulJobsHistoryLimit: 0 });
    await cluster.manager.stop();
    const { status: _status, ...job } = cluster.cronJob;
    cluster.api.seed(advancedCronJobs, { ...job, status: { type: 'Job', lastScheduleTime: '2027-01-01T00:00:00Z' } });
    cluster.begin();
    await cluster.seconds(3_700, 10);
    expect([cluster.created, cluster.last]).toEqual([[nameAt(60)], '2026-01-01T01:00:00Z']);
    expect(cluster.events.filter((event) => event.startsWith('ClockSkew'))).toHaveLength(1);
  });

  it('every so often is in time after a change of the manager, and with a deadline that is shorter than that', async () => {
    await using cluster = new AdvancedCronJobCluster({ schedule: '@every 10m', startingDeadlineSeconds: 30 });
    const at: number[] = [];
    cluster.api.onWrite(({ call, refused }) => {
      if (call.verb === 'create' && call.type === jobs && refused === undefined)
        at.push((cluster.clock.now() - Date.UTC(2026, 0, 1)) / 1000);
    });
    await cluster.seconds(700, 5);
    await cluster.manager.stop();
    cluster.begin();
    await cluster.seconds(1200, 5);
    expect([at, cluster.created]).toEqual([[600, 1200, 1800], [10, 20, 30].map(nameAt)]);
  });

  it('says which time it was too late for', async () => {
    await using cluster = new AdvancedCronJobCluster({ schedule: '0 * * * *', startingDeadlineSeconds: 20 });
    await cluster.manager.stop();
    cluster.clock.freeze(3_700_000);
    cluster.begin();
    await cluster.seconds(10);
    expect([cluster.created, cluster.events]).toEqual([[], ['MissSchedule: Missed scheduled time to start a job: 2026-01-01T01:00:00Z']]);
  });

  it('sleeps until a time that is far away (16)', async () => {
    await using cluster = new AdvancedCronJobCluster({ schedule: '0 0 10 2 *' });
    await cluster.manager.settle();
    expect(await cluster.quietHour()).toEqual([]);
    expect(cluster.api.calls.filter(({ verb }) => verb !== 'list' && verb !== 'watch')).toHaveLength(1);
    cluster.clock.freeze(40 * 24 * 3_600_000);
    await cluster.seconds(2);
    expect(cluster.created).toEqual([`cron-${Date.UTC(2026, 1, 10) / 1000}`]);
  });

  it('never runs at a time that does not come', async () => {
    await using cluster = new AdvancedCronJobCluster({ schedule: '0 0 31 2 *' });
    cluster.clock.freeze(400 * 24 * 3_600_000);
    await cluster.seconds(2);
    expect(cluster.created).toEqual([]);
  });

  it('writes the times in the zones that they are in', async () => {
    await using cluster = new AdvancedCronJobCluster({ schedule: '30 5 * * *', timeZone: 'Asia/Kolkata' });
    cluster.clock.freeze(24 * 3_600_000);
    await cluster.seconds(2);
    expect(cluster.jobs[0]?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']).toBe('2026-01-02T05:30:00+05:30');
  });

  it.each<[string, AdvancedCronJobSpec['template'], string]>([
    ['BroadcastJob', { broadcastJobTemplate: { spec: { template: {} } } }, 'BroadcastJob'],
    [
      'ImageListPullJob',
      { imageListPullJobTemplate: { spec: { images: ['a'], completionPolicy: { type: 'Always' } } } },
      'ImageListPullJob',
    ],
  ])('makes a %s from its template', async (_name, template, kind) => {
    await using cluster = new AdvancedCronJobCluster({ template, concurrencyPolicy: 'Forbid' });
    await cluster.seconds(62);
    expect(cluster.cronJob.status).toMatchObject({ type: kind, active: [{ kind, apiVersion: 'apps.kruise.io/v1beta1', name: nameAt(1) }] });
    await cluster.seconds(60);
    expect(cluster.created).toEqual([nameAt(1)]);
  });

  it('sees how an ImageListPullJob ends', async () => {
    const template = { imageListPullJobTemplate: { spec: { images: ['a'], completionPolicy: { type: 'Always' as const } } } };
    await using cluster = new AdvancedCronJobCluster({ template, concurrencyPolicy: 'Forbid' });
    await cluster.seconds(62);
    const key = { namespace: 'default', name: nameAt(1) };
    const list = cluster.api.peek(imageListPullJobs, key);
    cluster.api.seed(imageListPullJobs, { ...list, status: { desired: 2, succeeded: 1, completionTime: at(2) } } as never);
    await cluster.seconds(2);
    expect([cluster.active, cluster.events.at(-1)]).toEqual([[], `SawCompletedJob: Saw completed job: ${nameAt(1)}, condition: Failed`]);
  });

  it('says what keeps a job from being made, and makes it when nothing does', async () => {
    let isFull = true;
    const quota = 'jobs.batch "x" is forbidden: exceeded quota: few';
    await using cluster = new AdvancedCronJobCluster(
      {},
      {
        before: ({ verb }) => {
          if (isFull && verb === 'create') throw new ApiError(quota, { kind: 'Forbidden' }, { code: 403 });
        },
      },
    );
    await cluster.seconds(70);
    expect([cluster.created, cluster.last]).toEqual([[], undefined]);
    expect(cluster.events).toContain(`FailedCreate: Error creating job: ${quota}`);
    isFull = false;
    await cluster.seconds(60);
    expect(cluster.created.length).toBeGreaterThan(0);
  });

  it('takes no job of another for its own', async () => {
    await using cluster = new AdvancedCronJobCluster();
    cluster.api.seed(jobs, { metadata: { namespace: 'default', name: nameAt(1) } });
    await cluster.seconds(70);
    expect([cluster.created, cluster.last]).toEqual([[], undefined]);
    expect(cluster.events[0]).toMatch(/^FailedCreate: Error creating job: .*already exists/);
    await cluster.seconds(60);
    expect(cluster.created).toEqual([nameAt(2)]);
  });

  it.each<[Partial<AdvancedCronJobSpec>, RegExp]>([
    [{ schedule: 'now and then' }, /^UnparseableSchedule: unparseable schedule "now and then": /],
    [{ schedule: 5 as never }, /^InvalidSpec: spec.schedule: Invalid value: 5: must be a text/],
    [{ template: {} }, /^InvalidSpec: spec.template: Invalid value: must have one of jobTemplate, /],
    [{ timeZone: 'Nowhere/X', schedule: '* * * *' }, /^UnparseableSchedule/],
  ])('that came past admission says what is wrong with it: %j', async (spec, event) => {
    await using cluster = new AdvancedCronJobCluster(spec);
    await cluster.seconds(70);
    expect([cluster.created, cluster.events]).toEqual([[], [expect.stringMatching(event)]]);
  });

  it('with a zone that is not known here runs in that of the process', async () => {
    await using cluster = new AdvancedCronJobCluster({ timeZone: 'Nowhere/X' });
    await cluster.seconds(62);
    expect(cluster.created).toEqual([nameAt(1)]);
  });
});
