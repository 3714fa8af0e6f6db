import { expect, it } from '@jest/globals';
import { formatInZone } from './index.ts';
import { at, zoneOf } from './schedules.testing.ts';

it.each([
  ['UTC', '2024-07-01T12:00:00Z', '2024-07-01T12:00:00Z'],
  ['Asia/Shanghai', '2022-09-06T02:00:00Z', '2022-09-06T10:00:00+08:00'],
  ['America/New_York', '2024-01-01T00:00:00Z', '2023-12-31T19:00:00-05:00'],
  ['America/New_York', '2024-07-01T00:00:00Z', '2024-06-30T20:00:00-04:00'],
  ['Asia/Kolkata', '2024-02-29T23:00:00Z', '2024-03-01T04:30:00+05:30'],
  ['America/St_Johns', '2024-01-01T00:00:00Z', '2023-12-31T20:30:00-03:30'],
  ['Europe/London', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z'],
  ['Europe/London', '2024-07-01T00:00:00Z', '2024-07-01T01:00:00+01:00'],
  ['UTC', '2024-07-01T12:00:59.999Z', '2024-07-01T12:00:59Z'],
])('clocks in %s at %s show %s', (zone, time, then) => {
  expect(formatInZone(at(time), zoneOf(zone))).toBe(then);
});
