/** Compares the latest missed time with a walk from one time to the next. */
import { expect, it } from '@jest/globals';
import { instant, type Instant } from '@kruise/objects';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { SlowClock } from './brute-force.testing.ts';
import { latestMissed, nextTime, type LatestMissed, type Schedule, type Zone } from './index.ts';
import { fieldsArb, scheduleOf, zoneOf } from './schedules.testing.ts';

const numRuns = casesOf(200, 10_000);
const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const [first, last] = [Date.UTC(2010, 0), Date.UTC(2030, 0)];
const mostSteps = 2000;

const zones = ['UTC', 'America/New_York', 'Africa/Cairo', 'Asia/Amman', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Pacific/Apia'].map(
  (name) => ({
    zone: zoneOf(name),
    changes: new SlowClock(name).changes(first, last),
  }),
);

/** Half of them end near a change of clocks. */
const nowArb = fc.constantFrom(...zones).chain(({ zone, changes }) => {
  const near = fc
    .tuple(fc.constantFrom(...changes, last), fc.integer({ min: -dayMs, max: 5 * dayMs }))
    .map(([change, off]) => change + off);
  return fc.oneof(fc.integer({ min: first, max: last }), near).map((now) => ({ zone, now: instant(now) }));
});
const someSchedules = fc.constantFrom(
  '* * * * *',
  '*/7 * * * *',
  '50 * * * *',
  '*/5 0-3 * * *',
  '0 9 * * *',
  '0 17 * * *',
  '30 0 * * *',
  '* 2,3 * * 0,5',
);
/** With a little more than a hundred times of a schedule that runs once a day the search ends after few steps, near the change. */
const lengthArb = fc.oneof(
  fc.integer({ min: 0, max: 2 * dayMs }),
  fc.integer({ min: 0, max: 60 * dayMs }),
  fc.integer({ min: 100 * dayMs, max: 110 * dayMs }),
  fc.integer({ min: 0, max: 4000 * dayMs }),
);

function walk(schedule: Schedule, earliest: Instant, now: Instant, zone: Zone): LatestMissed | 'too long' {
  let time: Instant | undefined;
  for (let count = 0; count < mostSteps; count++) {
    const following = nextTime(schedule, time ?? earliest, zone);
    if (following === undefined || following > now) return { time, tooMany: count > 100 };
    time = following;
  }
  return 'too long';
}

it('the latest missed time is the last one of a walk', () => {
  fc.assert(
    fc.property(nowArb, fc.oneof(fieldsArb, someSchedules), lengthArb, ({ zone, now }, text, length) => {
      const schedule = scheduleOf(text);
      // A walk of many steps is cut to its last days.
      const walks = [length, Math.min(length, 2 * dayMs)].map((ago) => ({
        earliest: instant(now - ago),
        then: walk(schedule, instant(now - ago), now, zone),
      }));
      const { earliest, then } = walks.find((one) => one.then !== 'too long') ?? {};
      fc.pre(earliest !== undefined);
      expect(latestMissed(schedule, earliest, now, zone)).toEqual(then);
    }),
    { numRuns },
  );
});

it('every so often: the latest missed time is the last one of a walk', () => {
  const times = fc.tuple(
    fc.integer({ min: 1, max: 200_000 }),
    fc.integer({ min: first, max: last }),
    fc.integer({ min: 0, max: 300_000_000 }),
  );
  fc.assert(
    fc.property(times, ([period, earliest, length]) => {
      const schedule = scheduleOf(`@every ${period}s`);
      const then = walk(schedule, instant(earliest), instant(earliest + length), zoneOf('UTC'));
      fc.pre(then !== 'too long');
      expect(latestMissed(schedule, instant(earliest), instant(earliest + length), zoneOf('UTC'))).toEqual(then);
    }),
    { numRuns: Math.ceil(numRuns / 4) },
  );
});
