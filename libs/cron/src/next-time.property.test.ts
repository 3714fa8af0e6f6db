/** Compares the next time of any schedule with a search minute by minute. */
import { describe, expect, it } from '@jest/globals';
import { instant } from '@kruise/objects';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { SlowClock, SlowSchedule } from './brute-force.testing.ts';
import { nextTime, type Zone } from './index.ts';
import { fieldsArb, scheduleOf, zoneOf } from './schedules.testing.ts';

const numRuns = casesOf(900, 90_000);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const [first, last] = [Date.UTC(2010, 0), Date.UTC(2030, 0)];

/** Zones by the size and time of their shift: none; an hour at night; an hour from midnight or up to midnight; a whole day. */
const plain = ['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/New_York', 'Europe/London', 'Europe/Berlin', 'Pacific/Auckland'];
const aroundMidnight = ['America/Havana', 'America/Sao_Paulo', 'America/Santiago', 'Africa/Cairo', 'Asia/Beirut', 'Atlantic/Azores'];
const dateLine = ['Pacific/Apia'];

/**
 * Zones where the rules of the specification find fewer times than there are, while they cross a change of the offset:
 * - Lord Howe shifts by half an hour. Hours advance in absolute time, so from then on the search visits half past.
 * - Chatham shifts at 2:45. The rest of an hour after the shift is between two full hours of the search.
 * - In Amman midnight occurred twice, and read as UTC it is past the shift already: the day begins with the second one.
 */
const passedOver = ['Australia/Lord_Howe', 'Pacific/Chatham', 'Asia/Amman'];

interface Case {
  readonly clock: SlowClock;
  readonly zone: Zone;
  readonly after: number;
  readonly text: string;
}

/** Half of the times are near a change of clocks. */
function casesArb(names: readonly string[]): fc.Arbitrary<Case> {
  const clocks = names.map((name) => ({ clock: new SlowClock(name), zone: zoneOf(name) }));
  const anyTime = fc.integer({ min: first, max: last });
  const times = clocks.map(({ clock, zone }) => {
    const changes = clock.changes(first, last);
    if (changes.length === 0) return anyTime.map((after) => ({ clock, zone, after }));
    const near = fc.tuple(fc.constantFrom(...changes), fc.integer({ min: -3 * dayMs, max: dayMs })).map(([change, off]) => change + off);
    return fc.oneof(anyTime, near).map((after) => ({ clock, zone, after }));
  });
  return fc.tuple(fc.oneof(...times), fieldsArb).map(([time, text]) => ({ ...time, text }));
}

const searchedMs = 400 * dayMs;

function compared({ clock, zone, after, text }: Case): { found: number | undefined; expected: number | undefined } {
  const until = after + searchedMs;
  const found = nextTime(scheduleOf(text), instant(after), zone);
  const expected = new SlowSchedule(text).next(after, until, clock);
  return { found: found !== undefined && found < until ? found : undefined, expected };
}

describe('the next time', () => {
  it('is the first minute at which clocks show what the schedule selects', () => {
    fc.assert(
      fc.property(casesArb([...plain, ...aroundMidnight, ...dateLine]), (given) => {
        const { found, expected } = compared(given);
        expect(found).toBe(expected);
      }),
      { numRuns },
    );
  });

  it('is such a minute too where some are skipped, and the first one far from changes of the clocks', () => {
    fc.assert(
      fc.property(casesArb(passedOver), (given) => {
        const { found, expected } = compared(given);
        const { clock, after, text } = given;
        if (found !== undefined) {
          expect(found).toBeGreaterThan(after);
          expect(new SlowSchedule(text).matches(new Date(found + clock.offsetAt(found)))).toBe(true);
        }
        if (expected !== undefined && clock.changes(after - dayMs, expected + dayMs).length === 0) expect(found).toBe(expected);
      }),
      { numRuns: Math.ceil(numRuns / 9) },
    );
  });
});
