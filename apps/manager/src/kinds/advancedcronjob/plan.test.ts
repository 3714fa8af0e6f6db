import { describe, expect, it } from '@jest/globals';
import type { AdvancedCronJob, AdvancedCronJobSpec } from '@kruise/api';
import { createZoneLoader } from '@kruise/cron';
import { deepFreeze, formatTime, instant, jobs, workloadLimits } from '@kruise/objects';
import { childOfJob, type Child, plan, type Plan } from '@kruise/kinds/advancedcronjob';
import { aCronJob, nameAt } from './cluster.testing.ts';

const start = Date.UTC(2026, 0, 1);
const zones = createZoneLoader();

/** A Job of that minute after the start, and what became of it. */
interface Made {
  readonly minute: number;
  readonly state?: 'Active' | 'Complete' | 'Failed';
  /** Seconds after the start. */
  readonly began?: number;
  readonly going?: boolean;
}

const timeAt = (seconds: number): string => formatTime(instant(start + seconds * 1000));

function childOf({ minute, state = 'Active', began, going = false }: Made): Child {
  return childOfJob({
    metadata: {
      name: nameAt(minute),
      namespace: 'default',
      uid: `job-${minute}`,
      annotations: { 'apps.kruise.io/scheduled-at': timeAt(minute * 60) },
      ...(going ? { deletionTimestamp: timeAt(0) } : {}),
    },
    status: {
      ...(began === undefined ? {} : { startTime: timeAt(began) }),
      ...(state === 'Active' ? {} : { conditions: [{ type: state, status: 'True' }] }),
    },
  });
}

interface Given {
  readonly spec?: Partial<AdvancedCronJobSpec>;
  readonly status?: AdvancedCronJob['status'];
  readonly made?: readonly Made[];
  /** Seconds after the start at which it is planned. */
  readonly after: number;
}

function planned({ spec = {}, status, made = [], after }: Given): Plan {
  const seen = deepFreeze({ job: aCronJob(spec, status), children: made.map(childOf) });
  return plan(seen, { now: instant(start + after * 1000), zones });
}

/** `create NAME` and `delete NAME`. */
const shown = (actions: Plan['start']): readonly string[] =>
  actions.map(({ kind, object }) => `${kind === 'CreateChild' ? 'create' : 'delete'} ${object.metadata.name}`);
const last = (minute: number): AdvancedCronJob['status'] => ({ lastScheduleTime: timeAt(minute * 60) });

describe('what is due', () => {
  it.each<{ name: string; given: Given; starts: readonly string[]; notes?: readonly string[]; waits: number | undefined }>([
    { name: 'nothing before the first time', given: { after: 59 }, starts: [], waits: 1_000 },
    { name: 'a job at its time', given: { after: 60 }, starts: [`create ${nameAt(1)}`], waits: 60_000 },
    { name: 'the latest of several that were missed', given: { after: 200 }, starts: [`create ${nameAt(3)}`], waits: 40_000 },
    { name: 'none for a time that has had its job, as the status says', given: { status: last(3), after: 200 }, starts: [], waits: 40_000 },
    {
      name: 'none for a time that has had its job, as the job says',
      given: { status: last(1), made: [{ minute: 3, state: 'Complete' }], after: 200 },
      starts: [],
      waits: 40_000,
    },
    {
      name: 'nothing while the clock is behind the last time, when that is the next one and its job exists',
      given: { status: last(4), made: [{ minute: 4, state: 'Complete' }], after: 200 },
      starts: [],
      waits: 40_000,
    },
    {
      name: 'nothing from before now when the last time is far ahead of the clock, which is reported',
      given: { status: last(60), after: 200 },
      starts: [],
      notes: ['ClockSkew'],
      waits: 40_000,
    },
    {
      name: 'what came since the last job that was made before the clock was ahead',
      given: {
        status: last(60),
        made: [
          { minute: 60, state: 'Complete' },
          { minute: 2, state: 'Complete' },
        ],
        after: 200,
      },
      starts: [`create ${nameAt(3)}`],
      notes: ['ClockSkew'],
      waits: 40_000,
    },
    {
      name: 'nothing while it is paused, but an error of the last time is reported',
      given: { spec: { paused: true }, status: last(60), after: 200 },
      starts: [],
      notes: ['ClockSkew'],
      waits: undefined,
    },
    {
      name: 'nothing while it is paused, not even a look at the clock',
      given: { spec: { paused: true }, after: 200 },
      starts: [],
      waits: undefined,
    },
    {
      name: 'a time that is as late as may be',
      given: { spec: { startingDeadlineSeconds: 20 }, after: 80 },
      starts: [`create ${nameAt(1)}`],
      waits: 40_000,
    },
    {
      name: 'none that is later, which is reported',
      given: { spec: { startingDeadlineSeconds: 20 }, after: 81 },
      starts: [],
      notes: ['MissSchedule'],
      waits: 39_000,
    },
    {
      name: 'with a deadline of 0 none that is looked at later',
      given: { spec: { startingDeadlineSeconds: 0 }, after: 60.5 },
      starts: [],
      notes: ['MissSchedule'],
      waits: 59_500,
    },
    {
      name: 'with a deadline that is longer than a number can be any time',
      given: { spec: { startingDeadlineSeconds: 9_223_372_036_854_775_807n as never }, after: 200 },
      starts: [`create ${nameAt(3)}`],
      waits: 40_000,
    },
    {
      name: 'with a deadline as many as it looks back count as missed',
      given: { spec: { startingDeadlineSeconds: 6000 }, after: 24 * 3600 },
      starts: [`create ${nameAt(24 * 60)}`],
      waits: 60_000,
    },
    {
      name: 'with a deadline that covers more they are reported',
      given: { spec: { startingDeadlineSeconds: 6120 }, after: 24 * 3600 },
      starts: [`create ${nameAt(24 * 60)}`],
      notes: ['TooManyMissedTimes'],
      waits: 60_000,
    },
    {
      name: 'every so often: the next one is so long after the last time, whenever it is looked at',
      given: { spec: { schedule: '@every 10m' }, status: last(10), after: 700 },
      starts: [],
      waits: 500_000,
    },
    {
      name: 'every so often: one that is late does not make the next one late',
      given: { spec: { schedule: '@every 10m' }, status: last(10), after: 1_260 },
      starts: [`create ${nameAt(20)}`],
      waits: 540_000,
    },
    {
      name: 'every so often, though the deadline is shorter than that',
      given: { spec: { schedule: '@every 10m', startingDeadlineSeconds: 60 }, status: last(10), after: 1_201 },
      starts: [`create ${nameAt(20)}`],
      waits: 599_000,
    },
    {
      name: 'every so often: none that is too late, and then the next one in time',
      given: { spec: { schedule: '@every 10m', startingDeadlineSeconds: 60 }, status: last(10), after: 1_500 },
      starts: [],
      notes: ['MissSchedule'],
      waits: 300_000,
    },
    {
      name: 'every so often: nothing from before now when the last time is far ahead of the clock',
      given: { spec: { schedule: '@every 10m' }, status: last(60), after: 200 },
      starts: [],
      notes: ['ClockSkew'],
      waits: 600_000,
    },
    {
      name: 'with more than a hundred missed times the latest, which is reported',
      given: { after: 102 * 60 },
      starts: [`create ${nameAt(102)}`],
      notes: ['TooManyMissedTimes'],
      waits: 60_000,
    },
    { name: 'with a hundred it is not reported', given: { after: 100 * 60 }, starts: [`create ${nameAt(100)}`], waits: 60_000 },
    {
      name: 'beside one that runs',
      given: { made: [{ minute: 1 }], after: 120 },
      starts: [`create ${nameAt(2)}`],
      waits: 60_000,
    },
    {
      name: 'with Forbid none beside one that runs, which is reported',
      given: { spec: { concurrencyPolicy: 'Forbid' }, made: [{ minute: 1 }], after: 120 },
      starts: [],
      notes: ['JobAlreadyActive'],
      waits: 60_000,
    },
    {
      name: 'with Forbid none beside one that is being deleted',
      given: { spec: { concurrencyPolicy: 'Forbid' }, made: [{ minute: 1, going: true }], after: 120 },
      starts: [],
      notes: ['JobAlreadyActive'],
      waits: 60_000,
    },
    {
      name: 'with Forbid the latest one when that has ended',
      given: { spec: { concurrencyPolicy: 'Forbid' }, made: [{ minute: 1, state: 'Failed' }], after: 190 },
      starts: [`create ${nameAt(3)}`],
      waits: 50_000,
    },
    {
      name: 'with Replace those that run go first, but for those that go already',
      given: {
        spec: { concurrencyPolicy: 'Replace' },
        made: [{ minute: 1 }, { minute: 2, going: true }, { minute: 3, state: 'Complete' }],
        after: 240,
      },
      starts: [`delete ${nameAt(1)}`, `create ${nameAt(4)}`],
      waits: 60_000,
    },
    {
      name: 'with Replace none is deleted when nothing is due',
      given: { spec: { concurrencyPolicy: 'Replace' }, made: [{ minute: 1 }], after: 100 },
      starts: [],
      waits: 20_000,
    },
    {
      name: 'a time of a new schedule between the last one and now',
      given: { spec: { schedule: '*/2 * * * *' }, status: last(1), after: 170 },
      starts: [`create ${nameAt(2)}`],
      waits: 70_000,
    },
    { name: 'never what is impossible', given: { spec: { schedule: '0 0 31 2 *' }, after: 1e8 }, starts: [], waits: undefined },
    {
      name: 'nothing that cannot be read, which is reported',
      given: { spec: { schedule: 'x' }, after: 200 },
      starts: [],
      notes: ['UnparseableSchedule'],
      waits: undefined,
    },
  ])('$name', ({ given, starts, notes = [], waits }) => {
    const next = planned(given);
    expect([shown(next.start), next.notes.map(({ kind }) => kind), next.requeueAfter]).toEqual([starts, notes, waits]);
    expect('requeueAfter' in next).toBe(waits !== undefined);
    expect(next.scheduled).toBe(starts.length === 0 ? undefined : instant(Number(starts.at(-1)?.split('-')[1]) * 1000));
  });

  it('that is too late is reported with its time', () => {
    expect(planned({ spec: { startingDeadlineSeconds: 20 }, after: 81 }).notes).toEqual([
      { kind: 'MissSchedule', time: '2026-01-01T00:01:00Z' },
    ]);
  });

  it('gives the reason', () => {
    const { start: actions } = planned({ spec: { concurrencyPolicy: 'Replace' }, made: [{ minute: 1 }], after: 120 });
    expect(actions.map(({ because }) => because)).toEqual([
      'the job of 2026-01-01T00:02:00Z replaces it',
      'it is scheduled for 2026-01-01T00:02:00Z',
    ]);
  });

  it('is nothing of one that is being deleted', () => {
    const job = aCronJob({ successfulJobsHistoryLimit: 0 });
    const going = { ...job, metadata: { ...job.metadata, deletionTimestamp: timeAt(0) } };
    const children = [childOf({ minute: 1, state: 'Complete' })];
    expect(plan({ job: going, children }, { now: instant(start + 200_000), zones })).toEqual({ start: [], tidy: [], notes: [] });
  });
});

describe('finished jobs', () => {
  const three: readonly Made[] = [
    { minute: 3, state: 'Complete', began: 100 },
    { minute: 1, state: 'Complete', began: 300 },
    { minute: 2, state: 'Complete', began: 200 },
  ];
  const tidied = (made: readonly Made[], spec: Partial<AdvancedCronJobSpec>): readonly string[] =>
    shown(planned({ spec, status: last(9), made, after: 60 }).tidy);

  it.each<{ name: string; made: readonly Made[]; spec: Partial<AdvancedCronJobSpec>; then: readonly number[] }>([
    { name: 'stay up to the limit', made: three, spec: { successfulJobsHistoryLimit: 3 }, then: [] },
    { name: 'go above it, those that began first', made: three, spec: { successfulJobsHistoryLimit: 1 }, then: [3, 2] },
    { name: 'go all with a limit of 0', made: three, spec: { successfulJobsHistoryLimit: 0 }, then: [3, 2, 1] },
    {
      name: 'go before all when they say nothing of their beginning, by name',
      made: [...three, { minute: 5, state: 'Complete' }, { minute: 4, state: 'Complete' }],
      spec: { successfulJobsHistoryLimit: 2 },
      then: [4, 5, 3],
    },
    {
      name: 'go by name where they began at the same time, in whatever order they are seen',
      made: [
        { minute: 1, state: 'Complete' },
        { minute: 2, state: 'Complete' },
      ],
      spec: { successfulJobsHistoryLimit: 1 },
      then: [1],
    },
    {
      name: 'are counted by how they ended',
      made: [...three, { minute: 4, state: 'Failed', began: 1 }, { minute: 5, state: 'Failed', began: 2 }],
      spec: { successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
      then: [4],
    },
    {
      name: 'that go already are not counted',
      made: [...three, { minute: 4, state: 'Complete', began: 1, going: true }],
      spec: { successfulJobsHistoryLimit: 3 },
      then: [],
    },
    { name: 'are none that run', made: [{ minute: 1 }], spec: { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 }, then: [] },
    { name: 'go while it is paused', made: three, spec: { successfulJobsHistoryLimit: 2, paused: true }, then: [3] },
    { name: 'go while its schedule cannot be read', made: three, spec: { successfulJobsHistoryLimit: 2, schedule: 'x' }, then: [3] },
  ])('$name', ({ made, spec, then }) => {
    expect(tidied(made, spec)).toEqual(then.map((minute) => `delete ${nameAt(minute)}`));
  });

  it.each([undefined, 1_000_000])('are deleted beyond the number that one AdvancedCronJob may have, also with a limit of %p', (limit) => {
    const { successfulJobsHistoryLimit: _s, failedJobsHistoryLimit: _f, ...spec } = aCronJob().spec;
    const job = { ...aCronJob(), spec: { ...spec, ...(limit === undefined ? {} : { successfulJobsHistoryLimit: limit }) } };
    const most = workloadLimits.keptOfCron.value;
    const children = Array.from({ length: most + 2 }, (_, at) => childOf({ minute: at, state: 'Complete', began: at }));
    const { tidy } = plan({ job, children }, { now: instant(start), zones });
    expect(shown(tidy)).toEqual([`delete ${nameAt(0)}`, `delete ${nameAt(1)}`]);
    expect(tidy[0]?.because).toBe('5002 jobs are Complete, and 5000 are kept');
  });

  it('all stay without a limit', () => {
    const { successfulJobsHistoryLimit: _s, failedJobsHistoryLimit: _f, ...spec } = aCronJob().spec;
    const job = { ...aCronJob(), spec };
    const children = [...three, { minute: 4, state: 'Failed' } as const].map(childOf);
    expect(plan({ job, children }, { now: instant(start), zones }).tidy).toEqual([]);
  });

  it('go with the numbers', () => {
    const { tidy } = planned({ spec: { successfulJobsHistoryLimit: 2 }, status: last(9), made: three, after: 60 });
    expect(tidy).toEqual([expect.objectContaining({ type: jobs, because: '3 jobs are Complete, and 2 are kept' })]);
  });

  it('are reported while the status has them as active', () => {
    const active = [{ uid: 'job-1' }, { uid: 'job-2' }];
    const made: readonly Made[] = [{ minute: 1, state: 'Failed' }, { minute: 2 }, { minute: 3, state: 'Complete' }];
    for (const spec of [{}, { paused: true }])
      expect(planned({ spec, status: { ...last(9), active }, made, after: 545 }).notes).toEqual([
        { kind: 'Completed', name: nameAt(1), state: 'Failed' },
      ]);
  });
});

describe('a job beside many that are active', () => {
  const fleets = workloadLimits.activeFleetsOfCron.value;
  const broadcast = { template: { broadcastJobTemplate: { spec: { template: {} } } } };
  const images = { template: { imageListPullJobTemplate: { spec: { images: ['a'], completionPolicy: { type: 'Always' as const } } } } };
  const activeAt = (count: number): readonly Made[] => Array.from({ length: count }, (_, at) => ({ minute: -at }));

  it.each<{ name: string; spec: Partial<AdvancedCronJobSpec>; most: number }>([
    { name: 'Job', spec: {}, most: workloadLimits.activeOfCron.value },
    { name: 'BroadcastJob', spec: broadcast, most: fleets },
    { name: 'ImageListPullJob', spec: images, most: fleets },
  ])('is created up to $most of a $name, and then once one of them has ended', ({ spec, most }) => {
    const of = (made: readonly Made[]): unknown => {
      const { start: starts, notes, requeueAfter } = planned({ spec, status: last(1), made, after: 120 });
      return [starts.length, notes, requeueAfter];
    };
    const waiting = [0, [{ kind: 'TooManyActiveJobs', most }], 60_000];
    expect([of(activeAt(most - 1)), of(activeAt(most))]).toEqual([[1, [], 60_000], waiting]);
    expect(of([{ minute: 1, state: 'Complete' }, ...activeAt(most - 1)])).toEqual([1, [], 60_000]);
  });

  it('replaces them all with Replace', () => {
    const made = activeAt(fleets);
    expect(planned({ spec: { ...broadcast, concurrencyPolicy: 'Replace' }, made, after: 120 }).start).toHaveLength(fleets + 1);
  });
});

describe('lists of images', () => {
  const images = { template: { imageListPullJobTemplate: { spec: { images: ['a'], completionPolicy: { type: 'Always' as const } } } } };
  const often = { ...images, schedule: '@every 1s' };

  it.each<{ name: string; given: Given; isStarted: boolean; waits: number }>([
    {
      name: 'come a minute after the last one however short the schedule is',
      given: { spec: often, status: last(1), after: 120 },
      isStarted: true,
      waits: 60_000,
    },
    { name: 'do not come before that', given: { spec: often, status: last(1), after: 119 }, isStarted: false, waits: 1000 },
    { name: 'come back only then', given: { spec: often, status: last(1), after: 65 }, isStarted: false, waits: 55_000 },
    { name: 'come at the first time', given: { spec: often, after: 1 }, isStarted: true, waits: 1000 },
    { name: 'of every minute come every minute', given: { spec: images, status: last(1), after: 120 }, isStarted: true, waits: 60_000 },
    { name: 'alone wait', given: { spec: { schedule: '@every 1s' }, status: last(1), after: 62 }, isStarted: true, waits: 1000 },
  ])('$name', ({ given, isStarted, waits }) => {
    const { start: starts, requeueAfter } = planned(given);
    expect([starts.length === 1, requeueAfter]).toEqual([isStarted, waits]);
  });

  /** The times for which jobs are made, in seconds after the start, when each pass comes as soon as the one before requests it. */
  function startsUntil(end: number, spec: Partial<AdvancedCronJobSpec>): readonly number[] {
    const starts: number[] = [];
    let status: AdvancedCronJob['status'];
    for (let now = 0; now <= end;) {
      const next = planned({ spec, ...(status === undefined ? {} : { status }), after: now });
      if (next.scheduled === undefined) now += (next.requeueAfter ?? Infinity) / 1000;
      else {
        expect(next.scheduled).toBe(start + now * 1000);
        starts.push(now);
        status = { lastScheduleTime: formatTime(next.scheduled) };
      }
    }
    return starts;
  }

  it.each<{ period: number; starts: readonly number[] }>([
    { period: 1, starts: [1, 61, 121] },
    { period: 7, starts: [7, 70, 133] },
    { period: 31, starts: [31, 93, 155] },
    { period: 45, starts: [45, 135] },
    { period: 59, starts: [59, 177] },
    { period: 60, starts: [60, 120, 180] },
    { period: 61, starts: [61, 122] },
  ])('of every $period s come at times of the schedule that are a minute or more apart', ({ period, starts }) => {
    expect(startsUntil(180, { ...images, schedule: `@every ${period}s` })).toEqual(starts);
  });

  it('that another clock, which is ahead, has created for the next time are no reason to warn', () => {
    const ahead = (minute: number) => planned({ spec: often, status: last(minute), made: [{ minute, state: 'Complete' }], after: 61 });
    expect([ahead(2).notes, ahead(3).notes.map(({ kind }) => kind)]).toEqual([[], ['ClockSkew']]);
  });

  it('that are late keep the times of the schedule', () => {
    const given = { spec: { ...images, schedule: '@every 31s', startingDeadlineSeconds: 20 }, status: last(1) };
    const { scheduled, requeueAfter } = planned({ ...given, after: 60 + 62 + 20 });
    expect([scheduled, requeueAfter]).toEqual([start + 122_000, 42_000]);
    expect(planned({ ...given, after: 60 + 62 + 21 }).notes).toEqual([{ kind: 'MissSchedule', time: '2026-01-01T00:02:02Z' }]);
  });
});
