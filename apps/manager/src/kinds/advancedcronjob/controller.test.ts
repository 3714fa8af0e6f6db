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
    await using world = new AdvancedCronJobCluster();
    await world.seconds(62);
    expect(world.created).toEqual([nameAt(1)]);
    const [job] = world.jobs;
    expect(job?.metadata).toMatchObject({
      labels: { app: 'cron' },
      annotations: { 'apps.kruise.io/scheduled-at': at(1), 'batch.kubernetes.io/cronjob-scheduled-timestamp': at(1) },
      ownerReferences: [
        { apiVersion: 'apps.kruise.io/v1beta1', kind: 'AdvancedCronJob', name: 'cron', controller: true, blockOwnerDeletion: true },
      ],
    });
    expect(world.cronJob.status).toMatchObject({
      type: 'Job',
      lastScheduleTime: at(1),
      active: [{ kind: 'Job', apiVersion: 'batch/v1', name: nameAt(1) }],
    });
    await world.seconds(65);
    expect(world.created).toEqual([nameAt(1), nameAt(2)]);
    expect(world.events).toEqual([
      `SuccessfulCreate: Created job ${nameAt(1)}`,
      `SawCompletedJob: Saw completed job: ${nameAt(1)}, condition: Complete`,
      `SuccessfulCreate: Created job ${nameAt(2)}`,
      `SawCompletedJob: Saw completed job: ${nameAt(2)}, condition: Complete`,
    ]);
  });

  it('creates a job once although it is deleted before the status shows it', async () => {
    await using world = new AdvancedCronJobCluster();
    world.api.onWrite(({ call, refused }) => {
      if (call.verb === 'create' && call.type === jobs && refused === undefined) void world.api.delete(jobs, call.key);
    });
    await world.seconds(62);
    expect(world.jobs).toEqual([]);
    expect(world.created).toEqual([nameAt(1)]);
    expect(world.cronJob.status?.lastScheduleTime).toBe(at(1));
    await world.seconds(50);
    expect(world.created).toEqual([nameAt(1)]);
  });

  it('deletes more finished jobs than one pass may, without waiting for the next time', async () => {
    const count = workloadLimits.actionsOfPass.value + 3;
    await using world = new AdvancedCronJobCluster({ schedule: '@every 24h', successfulJobsHistoryLimit: count });
    for (let at = 0; at < count; at += 1) world.finished(`cron-${at}`);
    await world.seconds(2);
    expect(world.jobs).toHaveLength(count);
    world.change({ successfulJobsHistoryLimit: 0 });
    await world.seconds(2);
    expect(world.jobs).toHaveLength(0);
  });

  it('makes Jobs in a cluster that has no other kind of job, and asks for none', async () => {
    const absent = ['BroadcastJob', 'ImageListPullJob'];
    const asked: string[] = [];
    const before = ({ type }: FakeCall): void => void asked.push(type?.kind ?? '');
    await using world = new AdvancedCronJobCluster({}, { absent, before });
    await world.seconds(62);
    expect(world.created).toEqual([nameAt(1)]);
    expect(asked.filter((kind) => absent.includes(kind))).toEqual([]);
  });

  it('keeps as many finished jobs as its spec says (2)', async () => {
    await using world = new AdvancedCronJobCluster({ successfulJobsHistoryLimit: 2 });
    await world.seconds(60 * 6 - 10);
    expect(world.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(4), nameAt(5)]);
    world.jobFails = true;
    await world.seconds(60 * 4);
    expect(world.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(4), nameAt(5), nameAt(9)]);
  });

  it('makes none while it is paused, and then the latest one at once (3)', async () => {
    await using world = new AdvancedCronJobCluster({ paused: true });
    await world.seconds(60 * 3 + 10);
    expect(world.created).toEqual([]);
    world.change({ paused: false });
    await world.seconds(2);
    expect(world.created).toEqual([nameAt(3)]);
  });

  it('that forbids it has never two at a time, and runs late (4)', async () => {
    await using world = new AdvancedCronJobCluster({ concurrencyPolicy: 'Forbid' });
    world.jobSeconds = 90;
    await world.seconds(60 * 4 + 10);
    expect([world.mostActive, world.created]).toEqual([1, [nameAt(1), nameAt(2), nameAt(4)]]);
    expect(world.events.filter((event) => event.startsWith('JobAlreadyActive')).length).toBeGreaterThan(0);
  });

  it('that replaces deletes the job before (5)', async () => {
    await using world = new AdvancedCronJobCluster({ concurrencyPolicy: 'Replace' });
    world.jobSeconds = Infinity;
    await world.seconds(60 * 3 + 2);
    expect(world.created).toEqual([1, 2, 3].map(nameAt));
    expect(world.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(3)]);
    expect([world.mostActive, world.active]).toEqual([1, [nameAt(3)]]);
  });

  it('that replaces deletes the other jobs when the deletion of one is refused, and creates none before all are deleted', async () => {
    let isRefused = true;
    const before = ({ verb, type, key: { name } }: FakeCall): void => {
      if (isRefused && verb === 'delete' && type === jobs && name === nameAt(1)) throw new ApiError('no', { kind: 'Forbidden' });
    };
    await using world = new AdvancedCronJobCluster({}, { before });
    world.jobSeconds = Infinity;
    await world.seconds(60 * 3 + 2);
    world.change({ concurrencyPolicy: 'Replace' });
    await world.seconds(60);
    expect(world.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(1)]);
    isRefused = false;
    await world.seconds(60);
    expect(world.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(5)]);
  });

  it('whose next job is refused still deletes those that are not kept', async () => {
    const before = ({ verb, type, key: { name } }: FakeCall): void => {
      if (verb === 'create' && type === jobs && name !== nameAt(1)) throw new ApiError('no', { kind: 'Forbidden' });
    };
    await using world = new AdvancedCronJobCluster({}, { before });
    await world.seconds(130);
    expect(world.jobs.map(({ metadata }) => metadata.name)).toEqual([nameAt(1)]);
    world.change({ successfulJobsHistoryLimit: 0 });
    await world.seconds(5);
    expect(world.jobs).toEqual([]);
  });

  it('that allows it has them side by side', async () => {
    await using world = new AdvancedCronJobCluster();
    world.jobSeconds = Infinity;
    await world.seconds(60 * 3 + 2);
    expect(world.active).toEqual([1, 2, 3].map(nameAt));
  });

  it('runs none again that was deleted (6)', async () => {
    await using world = new AdvancedCronJobCluster({ schedule: '1 * * * *' });
    await world.seconds(70);
    expect(world.created).toEqual([nameAt(1)]);
    await world.api.delete(jobs, { namespace: 'default', name: nameAt(1) });
    await world.seconds(60);
    world.change({ successfulJobsHistoryLimit: 4 });
    await world.manager.stop();
    world.begin();
    await world.seconds(60);
    expect([world.created, world.last, world.jobs]).toEqual([[nameAt(1)], at(1), []]);
  });

  it('keeps no finished job and runs none again (7)', async () => {
    await using world = new AdvancedCronJobCluster({ schedule: '1 * * * *', successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 });
    await world.seconds(120);
    expect([world.created, world.last, world.jobs]).toEqual([[nameAt(1)], at(1), []]);
  });

  it('makes one late job after a pause, and by a deadline none that is too late (15)', async () => {
    await using world = new AdvancedCronJobCluster();
    await world.manager.stop();
    world.clock.freeze(10 * 60_000 + 30_000);
    world.begin();
    await world.seconds(2);
    expect(world.created).toEqual([nameAt(11)]);
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
    await using world = new AdvancedCronJobCluster();
    await world.manager.stop();
    world.clock.freeze(24 * 3_600_000);
    world.begin();
    await world.seconds(2);
    expect(world.created).toEqual([nameAt(24 * 60 + 1)]);
    expect(world.events[0]).toMatch(/^TooManyMissedTimes: /);
    await world.seconds(60);
    expect(world.created).toHaveLength(2);
  });

  it('continues when the clock was an hour ahead, reports it, and runs no time twice whose job exists', async () => {
    await using world = new AdvancedCronJobCluster({ successfulJobsHistoryLimit: 100 });
    await world.seconds(70);
    world.clock.jumpWallClock(3_600_000);
    await world.seconds(70);
    world.clock.jumpWallClock(-3_600_000);
    const before = world.created.length;
    await world.seconds(300);
    expect(world.created.length).toBe(before + 5);
    expect(world.events.filter((event) => event.startsWith('ClockSkew'))).toEqual([
      expect.stringMatching(/^ClockSkew: Ignoring the last schedule time 2026-01-01T01:0\d:00Z, which is ahead of the clock/),
    ]);
    await world.seconds(3_600);
    expect(new Set(world.created).size).toBe(world.created.length);
  });

  it('continues when the clock was a year ahead and no job is left', async () => {
    await using world = new AdvancedCronJobCluster({ schedule: '@hourly', successfulJobsHistoryLimit: 0 });
    await world.manager.stop();
    const { status: _status, ...job } = world.cronJob;
    world.api.seed(advancedCronJobs, { ...job, status: { type: 'Job', lastScheduleTime: '2027-01-01T00:00:00Z' } });
    world.begin();
    await world.seconds(3_700, 10);
    expect([world.created, world.last]).toEqual([[nameAt(60)], '2026-01-01T01:00:00Z']);
    expect(world.events.filter((event) => event.startsWith('ClockSkew'))).toHaveLength(1);
  });

  it('every so often is in time after a change of the manager, and with a deadline that is shorter than that', async () => {
    await using world = new AdvancedCronJobCluster({ schedule: '@every 10m', startingDeadlineSeconds: 30 });
    const at: number[] = [];
    world.api.onWrite(({ call, refused }) => {
      if (call.verb === 'create' && call.type === jobs && refused === undefined) at.push((world.clock.now() - Date.UTC(2026, 0, 1)) / 1000);
    });
    await world.seconds(700, 5);
    await world.manager.stop();
    world.begin();
    await world.seconds(1200, 5);
    expect([at, world.created]).toEqual([[600, 1200, 1800], [10, 20, 30].map(nameAt)]);
  });

  it('says which time it was too late for', async () => {
    await using world = new AdvancedCronJobCluster({ schedule: '0 * * * *', startingDeadlineSeconds: 20 });
    await world.manager.stop();
    world.clock.freeze(3_700_000);
    world.begin();
    await world.seconds(10);
    expect([world.created, world.events]).toEqual([[], ['MissSchedule: Missed scheduled time to start a job: 2026-01-01T01:00:00Z']]);
  });

  it('sleeps until a time that is far away (16)', async () => {
    await using world = new AdvancedCronJobCluster({ schedule: '0 0 10 2 *' });
    await world.manager.settle();
    expect(await world.quietHour()).toEqual([]);
    expect(world.api.calls.filter(({ verb }) => verb !== 'list' && verb !== 'watch')).toHaveLength(1);
    world.clock.freeze(40 * 24 * 3_600_000);
    await world.seconds(2);
    expect(world.created).toEqual([`cron-${Date.UTC(2026, 1, 10) / 1000}`]);
  });

  it('never runs at a time that does not come', async () => {
    await using world = new AdvancedCronJobCluster({ schedule: '0 0 31 2 *' });
    world.clock.freeze(400 * 24 * 3_600_000);
    await world.seconds(2);
    expect(world.created).toEqual([]);
  });

  it('writes the times in the zones that they are in', async () => {
    await using world = new AdvancedCronJobCluster({ schedule: '30 5 * * *', timeZone: 'Asia/Kolkata' });
    world.clock.freeze(24 * 3_600_000);
    await world.seconds(2);
    expect(world.jobs[0]?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']).toBe('2026-01-02T05:30:00+05:30');
  });

  it.each<[string, AdvancedCronJobSpec['template'], string]>([
    ['BroadcastJob', { broadcastJobTemplate: { spec: { template: {} } } }, 'BroadcastJob'],
    [
      'ImageListPullJob',
      { imageListPullJobTemplate: { spec: { images: ['a'], completionPolicy: { type: 'Always' } } } },
      'ImageListPullJob',
    ],
  ])('makes a %s from its template', async (_name, template, kind) => {
    await using world = new AdvancedCronJobCluster({ template, concurrencyPolicy: 'Forbid' });
    await world.seconds(62);
    expect(world.cronJob.status).toMatchObject({ type: kind, active: [{ kind, apiVersion: 'apps.kruise.io/v1beta1', name: nameAt(1) }] });
    await world.seconds(60);
    expect(world.created).toEqual([nameAt(1)]);
  });

  it('sees how an ImageListPullJob ends', async () => {
    const template = { imageListPullJobTemplate: { spec: { images: ['a'], completionPolicy: { type: 'Always' as const } } } };
    await using world = new AdvancedCronJobCluster({ template, concurrencyPolicy: 'Forbid' });
    await world.seconds(62);
    const key = { namespace: 'default', name: nameAt(1) };
    const list = world.api.peek(imageListPullJobs, key);
    world.api.seed(imageListPullJobs, { ...list, status: { desired: 2, succeeded: 1, completionTime: at(2) } } as never);
    await world.seconds(2);
    expect([world.active, world.events.at(-1)]).toEqual([[], `SawCompletedJob: Saw completed job: ${nameAt(1)}, condition: Failed`]);
  });

  it('says what keeps a job from being made, and makes it when nothing does', async () => {
    let isFull = true;
    const quota = 'jobs.batch "x" is forbidden: exceeded quota: few';
    await using world = new AdvancedCronJobCluster(
      {},
      {
        before: ({ verb }) => {
          if (isFull && verb === 'create') throw new ApiError(quota, { kind: 'Forbidden' }, { code: 403 });
        },
      },
    );
    await world.seconds(70);
    expect([world.created, world.last]).toEqual([[], undefined]);
    expect(world.events).toContain(`FailedCreate: Error creating job: ${quota}`);
    isFull = false;
    await world.seconds(60);
    expect(world.created.length).toBeGreaterThan(0);
  });

  it('takes no job of another for its own', async () => {
    await using world = new AdvancedCronJobCluster();
    world.api.seed(jobs, { metadata: { namespace: 'default', name: nameAt(1) } });
    await world.seconds(70);
    expect([world.created, world.last]).toEqual([[], undefined]);
    expect(world.events[0]).toMatch(/^FailedCreate: Error creating job: .*already exists/);
    await world.seconds(60);
    expect(world.created).toEqual([nameAt(2)]);
  });

  it.each<[Partial<AdvancedCronJobSpec>, RegExp]>([
    [{ schedule: 'now and then' }, /^UnparseableSchedule: unparseable schedule "now and then": /],
    [{ schedule: 5 as never }, /^InvalidSpec: spec.schedule: Invalid value: 5: must be a text/],
    [{ template: {} }, /^InvalidSpec: spec.template: Invalid value: must have one of jobTemplate, /],
    [{ timeZone: 'Nowhere/X', schedule: '* * * *' }, /^UnparseableSchedule/],
  ])('that came past admission says what is wrong with it: %j', async (spec, event) => {
    await using world = new AdvancedCronJobCluster(spec);
    await world.seconds(70);
    expect([world.created, world.events]).toEqual([[], [expect.stringMatching(event)]]);
  });

  it('with a zone that is not known here runs in that of the process', async () => {
    await using world = new AdvancedCronJobCluster({ timeZone: 'Nowhere/X' });
    await world.seconds(62);
    expect(world.created).toEqual([nameAt(1)]);
  });
});
