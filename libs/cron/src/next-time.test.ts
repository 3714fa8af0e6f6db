import { describe, expect, it } from '@jest/globals';
import { instant } from '@kruise/objects';
import { nextTime } from './index.ts';
import { at, scheduleOf, timesOf, zoneOf } from './schedules.testing.ts';

interface Row {
  readonly name: string;
  readonly text: string;
  readonly zone?: string;
  readonly after: string;
  readonly then: readonly string[];
}

const rows = (title: string, table: readonly Row[]): void => {
  describe(title, () => {
    it.each(table)('$name', ({ text, zone = 'UTC', after, then }) => {
      expect(timesOf(text, zone, after, then.length)).toEqual(then);
    });
  });
};

rows('the next time', [
  { name: 'is later than now', text: '5 * * * *', after: '2024-01-01T00:05Z', then: ['2024-01-01T01:05:00Z'] },
  { name: 'may be the next second', text: '5 * * * *', after: '2024-01-01T00:04:59.999Z', then: ['2024-01-01T00:05:00Z'] },
  { name: 'is not the second that has begun', text: '5 * * * *', after: '2024-01-01T00:05:00.001Z', then: ['2024-01-01T01:05:00Z'] },
  { name: 'begins the next year', text: '@yearly', after: '2024-06-01T00:00Z', then: ['2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'] },
  {
    name: 'steps over months',
    text: '30 4 1,15 jun,dec *',
    after: '2024-06-02T00:00Z',
    then: ['2024-06-15T04:30:00Z', '2024-12-01T04:30:00Z'],
  },
  {
    name: 'skips months without such a day',
    text: '0 0 31 * *',
    after: '2024-03-31T00:00Z',
    then: ['2024-05-31T00:00:00Z', '2024-07-31T00:00:00Z'],
  },
  { name: 'is in a leap year', text: '0 0 29 2 *', after: '2024-03-01T00:00Z', then: ['2028-02-29T00:00:00Z', '2032-02-29T00:00:00Z'] },
  {
    name: 'is not in a year such as 2100',
    text: '0 0 28/1 2 *',
    after: '2100-02-01T00:00Z',
    then: ['2100-02-28T00:00:00Z', '2101-02-28T00:00:00Z'],
  },
  {
    name: 'removes sub-seconds for @every',
    text: '@every 1h30m',
    after: '2024-01-01T00:00:07.9Z',
    then: ['2024-01-01T01:30:07Z', '2024-01-01T03:00:07Z'],
  },
  {
    name: 'of @every ignores clocks',
    text: '@every 24h',
    zone: 'America/New_York',
    after: '2024-03-09T17:00Z',
    then: ['2024-03-10T13:00:00-04:00'],
  },
]);

describe('there is no next time', () => {
  const next = (text: string, after: string): number | undefined => nextTime(scheduleOf(text), at(after), zoneOf('Europe/Berlin'));

  it.each(['0 0 31 2 *', '0 0 31 4,6,9,11 *', ', * * * *', '* * , * *'])('for impossible dates: %s', (text) => {
    expect(next(text, '2024-01-01T00:00Z')).toBeUndefined();
  });

  it('after the fifth year from now', () => {
    expect(next('0 0 29 2 *', '2096-03-01T00:00Z')).toBeUndefined();
    expect(next('0 0 29 2 *', '2098-12-31T12:00Z')).toBeUndefined();
    expect(next('0 0 29 2 *', '2099-01-01T12:00Z')).toBe(at('2104-02-28T23:00Z'));
  });

  it('at the end of time, or from no time on', () => {
    for (const time of [8.64e15 - 1, Number.NaN]) expect(nextTime(scheduleOf('0 0 1 1 *'), instant(time), zoneOf('UTC'))).toBeUndefined();
  });
});

rows('scenario 8: 10 o’clock in Shanghai', [
  { name: 'with timeZone', text: '0 10 * * ?', zone: 'Asia/Shanghai', after: '2022-09-05T09:01Z', then: ['2022-09-06T10:00:00+08:00'] },
  {
    name: 'with a prefix',
    text: 'TZ=Asia/Shanghai 0 10 * * ?',
    zone: 'Asia/Shanghai',
    after: '2022-09-05T09:01Z',
    then: ['2022-09-06T10:00:00+08:00'],
  },
]);

const january13 = '2023-01-13T00:00:00Z';
rows('scenario 11: days of the month and of the week', [
  {
    name: 'either',
    text: '0 0 13 * 5',
    after: '2023-01-06T00:00Z',
    then: [
      january13,
      '2023-01-20T00:00:00Z',
      '2023-01-27T00:00:00Z',
      '2023-02-03T00:00:00Z',
      '2023-02-10T00:00:00Z',
      '2023-02-13T00:00:00Z',
    ],
  },
  {
    name: 'either, because a star with a step is none',
    text: '0 0 */2 * 5',
    after: '2023-01-11T12:00Z',
    then: [january13, '2023-01-15T00:00:00Z', '2023-01-17T00:00:00Z', '2023-01-19T00:00:00Z', '2023-01-20T00:00:00Z'],
  },
  { name: 'both with a star', text: '0 0 * * 5', after: '2023-01-06T00:00Z', then: [january13, '2023-01-20T00:00:00Z'] },
  { name: 'both with a star on the other side', text: '0 0 13 * *', after: '2023-01-06T00:00Z', then: [january13, '2023-02-13T00:00:00Z'] },
  { name: 'both with a question mark', text: '0 0 13 * ?', after: '2023-01-06T00:00Z', then: [january13, '2023-02-13T00:00:00Z'] },
  { name: 'both with a star among others', text: '0 0 13 * 1,*', after: '2023-01-06T00:00Z', then: [january13, '2023-02-13T00:00:00Z'] },
  { name: 'either, and one of them never', text: '0 0 , * 5', after: '2023-01-06T00:00Z', then: [january13, '2023-01-20T00:00:00Z'] },
]);

it('scenario 16: the next time 40 days later is neither earlier nor later', () => {
  const next = nextTime(scheduleOf('0 12 10 3 *'), at('2024-01-30T12:00Z'), zoneOf('UTC'));
  expect(next).toBe(at('2024-01-30T12:00Z') + 40 * 86_400_000);
});

const newYork = 'America/New_York';
rows('scenario 12: clocks in New York', [
  {
    name: 'a skipped time does not run',
    text: '30 2 * * *',
    zone: newYork,
    after: '2024-03-09T00:00Z',
    then: ['2024-03-09T02:30:00-05:00', '2024-03-11T02:30:00-04:00'],
  },
  {
    name: 'a time that they show twice runs twice',
    text: '30 1 * * *',
    zone: newYork,
    after: '2024-11-03T00:00Z',
    then: ['2024-11-03T01:30:00-04:00', '2024-11-03T01:30:00-05:00', '2024-11-04T01:30:00-05:00'],
  },
  {
    name: 'hours continue in spring',
    text: '0 * * * *',
    zone: newYork,
    after: '2024-03-10T05:30Z',
    then: ['2024-03-10T01:00:00-05:00', '2024-03-10T03:00:00-04:00', '2024-03-10T04:00:00-04:00'],
  },
  {
    name: 'hours continue in autumn',
    text: '0 * * * *',
    zone: newYork,
    after: '2024-11-03T04:30Z',
    then: ['2024-11-03T01:00:00-04:00', '2024-11-03T01:00:00-05:00', '2024-11-03T02:00:00-05:00'],
  },
  {
    name: 'the day after is at its time',
    text: '0 9 * * 1',
    zone: newYork,
    after: '2024-03-08T00:00Z',
    then: ['2024-03-11T09:00:00-04:00'],
  },
]);

rows('other clocks that are shifted by an hour', [
  { name: 'Berlin in spring', text: '30 2 * * *', zone: 'Europe/Berlin', after: '2024-03-30T12:00Z', then: ['2024-04-01T02:30:00+02:00'] },
  {
    name: 'Berlin in autumn',
    text: '30 2 * * *',
    zone: 'Europe/Berlin',
    after: '2024-10-26T12:00Z',
    then: ['2024-10-27T02:30:00+02:00', '2024-10-27T02:30:00+01:00', '2024-10-28T02:30:00+01:00'],
  },
  {
    name: 'Kolkata never',
    text: '30 2 * * *',
    zone: 'Asia/Kolkata',
    after: '2024-03-30T22:00Z',
    then: ['2024-04-01T02:30:00+05:30', '2024-04-02T02:30:00+05:30'],
  },
]);

rows('a midnight that clocks skip', [
  {
    name: 'does not run in Sao Paulo',
    text: '0 0 * * *',
    zone: 'America/Sao_Paulo',
    after: '2017-10-14T00:00Z',
    then: ['2017-10-14T00:00:00-03:00', '2017-10-16T00:00:00-02:00'],
  },
  {
    name: 'does not move the day in Sao Paulo',
    text: '0 12 * * sun',
    zone: 'America/Sao_Paulo',
    after: '2017-10-13T00:00Z',
    then: ['2017-10-15T12:00:00-02:00', '2017-10-22T12:00:00-02:00'],
  },
  {
    name: 'begins a day at one in Havana',
    text: '* * 10 3 *',
    zone: 'America/Havana',
    after: '2024-01-01T00:00Z',
    then: ['2024-03-10T01:00:00-04:00'],
  },
  {
    name: 'begins a month at one in Asuncion',
    text: '* * 1 10 *',
    zone: 'America/Asuncion',
    after: '2017-08-15T00:00Z',
    then: ['2017-10-01T01:00:00-03:00'],
  },
  {
    name: 'begins a month at one in Amman',
    text: '* * * 4 *',
    zone: 'Asia/Amman',
    after: '2016-02-15T00:00Z',
    then: ['2016-04-01T01:00:00+03:00'],
  },
  {
    name: 'does not move later months in Amman',
    text: '0 0 1 5 *',
    zone: 'Asia/Amman',
    after: '2016-02-15T00:00Z',
    then: ['2016-05-01T00:00:00+03:00'],
  },
  // Upstream subtracts the hour again where the day begins at one, continues from 23:00 of the previous day, and loses this Friday.
  {
    name: 'does not lose the day in Cairo',
    text: '0 12 * * fri',
    zone: 'Africa/Cairo',
    after: '2024-04-20T00:00Z',
    then: ['2024-04-26T12:00:00+03:00'],
  },
  // Upstream advances from 23:00 to 1:00 without checking the day again.
  {
    name: 'causes no run on the day after in Cairo',
    text: '0 1 * * thu',
    zone: 'Africa/Cairo',
    after: '2024-04-24T23:30Z',
    then: ['2024-05-02T01:00:00+03:00'],
  },
]);

rows('a midnight that clocks show twice', [
  {
    name: 'runs twice in Havana',
    text: '0 0 * * sun',
    zone: 'America/Havana',
    after: '2024-11-02T00:00Z',
    then: ['2024-11-03T00:00:00-04:00', '2024-11-03T00:00:00-05:00', '2024-11-10T00:00:00-05:00'],
  },
  // 5.4 converts calendar time to an instant with the offset at that time read as UTC. East of Greenwich that is the later of the two offsets.
  {
    name: 'runs once in Amman, because a searched day begins with the second',
    text: '0 0 * * fri',
    zone: 'Asia/Amman',
    after: '2021-10-27T00:00Z',
    then: ['2021-10-29T00:00:00+02:00', '2021-11-05T00:00:00+02:00'],
  },
  {
    name: 'runs twice in Amman, reached hour by hour',
    text: '0 0 * * *',
    zone: 'Asia/Amman',
    after: '2021-10-28T00:00Z',
    then: ['2021-10-29T00:00:00+03:00', '2021-10-29T00:00:00+02:00'],
  },
  {
    name: 'is no way back in St. John’s',
    text: '30 0 * * sun',
    zone: 'America/St_Johns',
    after: '2010-11-07T02:35Z',
    then: ['2010-11-07T00:30:00-03:30'],
  },
]);

/** Hours advance in absolute time (5.4), so after a shift by half an hour the search visits half past, until the end of the day or a match. */
rows('clocks that are shifted by half an hour, on Lord Howe', [
  {
    name: 'skip half an hour',
    text: '15 2 * * *',
    zone: 'Australia/Lord_Howe',
    after: '2024-10-04T20:00Z',
    then: ['2024-10-07T02:15:00+11:00'],
  },
  {
    name: 'show half an hour twice',
    text: '45 1 * * *',
    zone: 'Australia/Lord_Howe',
    after: '2024-04-06T00:00Z',
    then: ['2024-04-07T01:45:00+11:00', '2024-04-07T01:45:00+10:30', '2024-04-08T01:45:00+10:30'],
  },
  {
    name: 'show every full hour',
    text: '0 * * * *',
    zone: 'Australia/Lord_Howe',
    after: '2024-04-06T13:30Z',
    then: ['2024-04-07T01:00:00+11:00', '2024-04-07T02:00:00+10:30', '2024-04-07T03:00:00+10:30'],
  },
  {
    name: 'skip the first half of a searched hour',
    text: '0,30 9 * * *',
    zone: 'Australia/Lord_Howe',
    after: '2024-04-06T00:00Z',
    then: ['2024-04-07T09:30:00+10:30', '2024-04-08T09:00:00+10:30'],
  },
  {
    name: 'do not when minutes were searched during the shift',
    text: '45 1,9 * * *',
    zone: 'Australia/Lord_Howe',
    after: '2024-10-05T15:00Z',
    then: ['2024-10-06T01:45:00+10:30', '2024-10-06T09:45:00+11:00'],
  },
  {
    name: 'do not either when minutes led to the shift',
    text: '45 1 * * *',
    zone: 'Australia/Lord_Howe',
    after: '2024-04-06T14:45Z',
    then: ['2024-04-07T01:45:00+10:30', '2024-04-08T01:45:00+10:30'],
  },
  {
    name: 'do not when the search begins after the shift',
    text: '0,30 9 * * *',
    zone: 'Australia/Lord_Howe',
    after: '2024-04-06T16:00Z',
    then: ['2024-04-07T09:00:00+10:30', '2024-04-07T09:30:00+10:30'],
  },
]);

/** The search visits full hours, and clocks are shifted at 2:45. */
rows('clocks that are shifted within an hour, on Chatham', [
  {
    name: 'skip the end of an hour',
    text: '50 3 * * *',
    zone: 'Pacific/Chatham',
    after: '2024-09-28T00:00Z',
    then: ['2024-09-30T03:50:00+13:45'],
  },
  {
    name: 'move nothing later on that day',
    text: '10,50 2,21 * * *',
    zone: 'Pacific/Chatham',
    after: '2024-09-28T13:20Z',
    then: ['2024-09-29T02:10:00+12:45', '2024-09-29T21:10:00+13:45', '2024-09-29T21:50:00+13:45'],
  },
  {
    name: 'do not when every hour is visited',
    text: '50 * * * *',
    zone: 'Pacific/Chatham',
    after: '2024-09-28T13:10Z',
    then: ['2024-09-29T03:50:00+13:45', '2024-09-29T04:50:00+13:45'],
  },
]);

rows('a day that is left out at the date line', [
  { name: 'does not run', text: '0 12 30 12 *', zone: 'Pacific/Apia', after: '2011-12-01T00:00Z', then: ['2012-12-30T12:00:00+14:00'] },
  {
    name: 'does not block the others',
    text: '0 12 * * 4,6',
    zone: 'Pacific/Apia',
    after: '2011-12-29T00:00Z',
    then: ['2011-12-29T12:00:00-10:00', '2011-12-31T12:00:00+14:00'],
  },
]);
