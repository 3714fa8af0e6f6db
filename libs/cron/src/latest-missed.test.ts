import { describe, expect, it } from '@jest/globals';
import { latestMissed } from './index.ts';
import { at, scheduleOf, zoneOf } from './schedules.testing.ts';

const missed = (text: string, earliest: string, now: string, zone = 'UTC'): { time: string | undefined; tooMany: boolean } => {
  const { time, tooMany } = latestMissed(scheduleOf(text), at(earliest), at(now), zoneOf(zone));
  return { time: time === undefined ? undefined : new Date(time).toISOString().slice(0, 19), tooMany };
};
const nothing = { time: undefined, tooMany: false };

describe('the latest time that was missed', () => {
  it.each<{ name: string; given: readonly [string, string, string, string?]; then: { time: string | undefined; tooMany: boolean } }>([
    { name: 'none yet', given: ['0 * * * *', '2024-01-01T00:00Z', '2024-01-01T00:59:59.999Z'], then: nothing },
    {
      name: 'just now',
      given: ['0 * * * *', '2024-01-01T00:00Z', '2024-01-01T01:00Z'],
      then: { time: '2024-01-01T01:00:00', tooMany: false },
    },
    {
      name: 'the last of some',
      given: ['0 * * * *', '2024-01-01T00:00Z', '2024-01-03T13:30Z'],
      then: { time: '2024-01-03T13:00:00', tooMany: false },
    },
    { name: 'none while now is earlier', given: ['* * * * *', '2024-01-02T00:00Z', '2024-01-01T00:00Z'], then: nothing },
    { name: 'none at the same time', given: ['* * * * *', '2024-01-02T00:00Z', '2024-01-02T00:00Z'], then: nothing },
    { name: 'none ever', given: ['0 0 31 2 *', '2014-01-02T00:00Z', '2024-01-02T00:00Z'], then: nothing },
    {
      name: 'one hundred',
      given: ['* * * * *', '2024-01-01T00:00Z', '2024-01-01T01:40:59Z'],
      then: { time: '2024-01-01T01:40:00', tooMany: false },
    },
    {
      name: 'one more',
      given: ['* * * * *', '2024-01-01T00:00Z', '2024-01-01T01:41:00Z'],
      then: { time: '2024-01-01T01:41:00', tooMany: true },
    },
    {
      name: 'years',
      given: ['* * * * *', '1994-01-01T00:00Z', '2024-01-01T01:41:30Z', 'Europe/Berlin'],
      then: { time: '2024-01-01T01:41:00', tooMany: true },
    },
    {
      name: 'years, and nothing for months',
      given: ['* * 2 1 *', '1994-01-01T00:00Z', '2024-11-01T01:41:30Z'],
      then: { time: '2024-01-02T23:59:00', tooMany: true },
    },
    {
      name: 'years, until leap days are too far from each other',
      given: ['* * 29 2 *', '2092-01-01T00:00Z', '2110-01-01T00:00Z'],
      then: { time: '2096-02-29T23:59:00', tooMany: true },
    },
    {
      name: 'years, from the next leap day on',
      given: ['* * 29 2 *', '2099-01-01T00:00Z', '2110-01-01T00:00Z'],
      then: { time: '2108-02-29T23:59:00', tooMany: true },
    },
    {
      name: 'a time that clocks show twice',
      given: ['*/10 1 * * *', '2024-10-01T00:00Z', '2024-11-03T06:35Z', 'America/New_York'],
      then: { time: '2024-11-03T06:30:00', tooMany: true },
    },
    {
      name: 'none that is skipped (Lord Howe)',
      given: ['0 9 * * *', '2023-12-26T12:00Z', '2024-04-07T22:00Z', 'Australia/Lord_Howe'],
      then: { time: '2024-04-05T22:00:00', tooMany: true },
    },
    {
      name: 'none that is skipped (Chatham)',
      given: ['59 3 * * *', '2024-06-18T12:00Z', '2024-09-29T13:00Z', 'Pacific/Chatham'],
      then: { time: '2024-09-27T15:14:00', tooMany: true },
    },
  ])('$name', ({ given, then }) => {
    expect(missed(...given)).toEqual(then);
  });

  it.each([
    ['2024-01-01T00:00:07.5Z', '2024-01-01T01:30:06Z', undefined, false],
    ['2024-01-01T00:00:07.5Z', '2024-01-01T01:30:07Z', '2024-01-01T01:30:07', false],
    ['2024-01-01T00:00:07.5Z', '2024-01-01T06:30:00Z', '2024-01-01T06:00:07', false],
    ['2024-01-01T00:00:00Z', '2024-01-07T06:00:00Z', '2024-01-07T06:00:00', false],
    ['2024-01-01T00:00:00Z', '2024-01-07T07:30:00Z', '2024-01-07T07:30:00', true],
    ['2024-01-01T00:00:00Z', '2023-01-01T00:00:00Z', undefined, false],
  ])('every 90 minutes from %s to %s', (earliest, now, time, tooMany) => {
    expect(missed('@every 90m', earliest, now)).toEqual({ time, tooMany });
  });
});
