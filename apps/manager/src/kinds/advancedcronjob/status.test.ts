import { describe, expect, it } from '@jest/globals';
import { instant, jobs, type Instant } from '@kruise/objects';
import { childOfJob, type Child, type Horizon, lastScheduleOf, referenceTo, statusOf } from '@kruise/kinds/advancedcronjob';
import { aCronJob } from './cluster.testing.ts';

const at = (minute: number): string => `2026-01-01T00:0${minute}:00Z`;

const instantAt = (minute: number): Instant => instant(Date.parse(at(minute)));
/** All times in these tests are before it. */
const horizon: Horizon = { now: instantAt(5), next: instantAt(6) };

const child = (name: string, minute: number | undefined, isOver = false): Child =>
  childOfJob({
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '7',
      ...(minute === undefined ? {} : { annotations: { 'apps.kruise.io/scheduled-at': at(minute) } }),
    },
    ...(isOver ? { status: { conditions: [{ type: 'Complete', status: 'True' }] } } : {}),
  });
const namesOf = (children: readonly Child[], status = {}): readonly unknown[] =>
  (statusOf(aCronJob({}, status), children, { horizon }).active ?? []).map(({ name }) => name);

describe('the active jobs', () => {
  it('are those that have not ended, by the time that they are for, then by name', () => {
    expect(namesOf([child('c', 2), child('b', 2), child('d', 1), child('over', 1, true), child('odd', undefined)])).toEqual([
      'odd',
      'd',
      'b',
      'c',
    ]);
    expect(namesOf([child('b', 2), child('c', 2)])).toEqual(['b', 'c']);
  });

  it('are omitted where there are none', () => {
    expect(statusOf(aCronJob(), [child('over', 1, true)], { horizon })).toEqual({ type: 'Job', lastScheduleTime: at(1) });
    expect(statusOf(aCronJob(), [], { horizon })).toEqual({ type: 'Job' });
  });

  it('are named as they were first seen, so that their progress is no reason to write', () => {
    const held = { ...referenceTo(jobs, child('a', 1).object), resourceVersion: '3' };
    expect(statusOf(aCronJob({}, { active: [held] }), [child('a', 1)], { horizon }).active).toEqual([held]);
  });
});

it('a reference has what is known of its job', () => {
  expect(referenceTo(jobs, { metadata: { name: 'a' } })).toEqual({ apiVersion: 'batch/v1', kind: 'Job', name: 'a' });
  expect(referenceTo(jobs, child('a', 1).object)).toEqual({
    apiVersion: 'batch/v1',
    kind: 'Job',
    name: 'a',
    namespace: 'default',
    uid: 'uid-a',
    resourceVersion: '7',
  });
});

describe('the last time', () => {
  it.each<{ name: string; reported?: number; made: readonly (number | undefined)[]; then: number | undefined }>([
    { name: 'is none before the first job', made: [], then: undefined },
    { name: 'is that of the latest job', reported: 1, made: [2, 4, 3], then: 4 },
    { name: 'does not decrease when its job is deleted', reported: 4, made: [2], then: 4 },
    { name: 'takes no notice of a job that does not say its time', reported: 1, made: [undefined], then: 1 },
  ])('$name', ({ reported, made, then }) => {
    const job = aCronJob({}, reported === undefined ? {} : { lastScheduleTime: at(reported) });
    const children = made.map((minute, index) => child(`j${index}`, minute));
    expect(lastScheduleOf(job, children, horizon)).toEqual(then === undefined ? {} : { time: Date.parse(at(then)) });
  });

  it('is that of the job that was just made', () => {
    expect(statusOf(aCronJob(), [child('a', 1)], { horizon, scheduled: instantAt(3) }).lastScheduleTime).toBe(at(3));
    expect(statusOf(aCronJob(), [child('a', 4)], { horizon, scheduled: instantAt(3) }).lastScheduleTime).toBe(at(4));
  });

  it.each<{ name: string; reported?: number; made: readonly number[]; then: object }>([
    { name: 'counts when it is the next one and its job exists', reported: 6, made: [6], then: { time: 6 } },
    { name: 'counts when only its job has it', reported: 5, made: [6], then: { time: 6 } },
    { name: 'does not count when its job is deleted', reported: 6, made: [4], then: { time: 4, ignored: 6 } },
    { name: 'does not count when it is more than one period ahead', reported: 8, made: [8, 3], then: { time: 3, ignored: 8 } },
    { name: 'is now when no other is known', reported: 8, made: [8, 9], then: { time: 5, ignored: 8 } },
    { name: 'is no reason to warn when only jobs are ahead', reported: 4, made: [8, 9], then: { time: 4 } },
    { name: 'is none when only jobs are ahead, and the status has no time', made: [8], then: {} },
  ])('that is ahead of the clock $name', ({ reported, made, then }) => {
    const job = aCronJob({}, reported === undefined ? {} : { lastScheduleTime: at(reported) });
    const last = lastScheduleOf(
      job,
      made.map((minute) => child(`j${minute}`, minute)),
      horizon,
    );
    expect(last).toEqual(Object.fromEntries(Object.entries(then).map(([key, minute]) => [key, instantAt(minute as number)])));
  });

  it('that is ahead of the clock counts when the schedule has no next time only if it has come', () => {
    expect(lastScheduleOf(aCronJob({}, { lastScheduleTime: at(6) }), [child('a', 6)], { ...horizon, next: undefined })).toEqual({
      time: instantAt(5),
      ignored: instantAt(6),
    });
    expect(lastScheduleOf(aCronJob({}, { lastScheduleTime: at(6) }), [], undefined)).toEqual({ time: instantAt(6) });
  });
});
