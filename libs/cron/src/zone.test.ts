import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { instant } from '@kruise/objects';
import { skipUnless } from '@kruise/testing';
import { SlowClock } from './brute-force.testing.ts';
import { createZoneLoader, isZoneName, loadZone, zoneNames } from './index.ts';
import { at, zoneOf } from './schedules.testing.ts';

const systemZones = '/usr/share/zoneinfo';
const minutesAt = (name: string, time: string): number => zoneOf(name).offsetAt(at(time)) / 60_000;

describe('a time zone', () => {
  it.each([
    ['UTC', 0],
    ['Etc/UTC', 0],
    ['Zulu', 0],
    ['Asia/Shanghai', 480],
    ['PRC', 480],
    ['Asia/Kolkata', 330],
    ['Asia/Calcutta', 330],
    ['US/Pacific', -480],
    ['EST5EDT', -300],
    ['GB', 0],
    ['W-SU', 180],
    ['Etc/GMT+8', -480],
    ['Etc/GMT-14', 840],
    ['America/Argentina/Buenos_Aires', -180],
  ])('%s is known, and %d minutes ahead of UTC in January', (name, minutes) => {
    expect(loadZone(name)?.name).toBe(name);
    expect(minutesAt(name, '2024-01-15T00:00Z')).toBe(minutes);
  });

  it('without a name is UTC', () => {
    expect(loadZone('')?.name).toBe('UTC');
    expect(minutesAt('', '2024-07-01T00:00Z')).toBe(0);
  });

  it('Local is the one of the process', () => {
    const time = at('2024-07-01T00:00Z');
    expect(zoneOf('Local').offsetAt(time)).toBe(0 - new Date(time).getTimezoneOffset() * 60_000);
  });

  it.each([
    ...['utc', 'Utc', 'asia/shanghai', 'Asia/shanghai', 'ASIA/SHANGHAI', 'us/pacific', 'local', 'LOCAL', 'gb', 'est5edt'],
    ...['+08:00', '-03', '+0800', 'UTC+8', 'GMT+8', 'UTC+08:00'],
    ...['Nowhere/X', 'PST', 'JST', 'Asia', 'Asia/', 'Factory', 'Etc/Unknown', 'posixrules', 'posix/UTC', 'zone.tab'],
    ...['../UTC', 'Asia/../UTC', '..', '/UTC', '\\UTC', '/usr/share/zoneinfo/UTC', ' UTC', 'UTC ', 'UTC\n', '*', '__proto__'],
  ])('is unknown: %j', (name) => {
    expect(isZoneName(name)).toBe(false);
    expect(loadZone(name)).toBeUndefined();
  });

  it.each<{ name: string; zone: string; before: string; from: string; then: readonly [number, number] }>([
    {
      name: 'an hour forward',
      zone: 'America/New_York',
      before: '2024-03-10T06:59:59.999Z',
      from: '2024-03-10T07:00Z',
      then: [-300, -240],
    },
    { name: 'an hour back', zone: 'Europe/Berlin', before: '2024-10-27T00:59:59.999Z', from: '2024-10-27T01:00Z', then: [120, 60] },
    { name: 'half an hour', zone: 'Australia/Lord_Howe', before: '2024-04-06T14:59:59.999Z', from: '2024-04-06T15:00Z', then: [660, 630] },
    { name: 'two hours', zone: 'Antarctica/Troll', before: '2024-03-31T00:59:59.999Z', from: '2024-03-31T01:00Z', then: [0, 120] },
    { name: 'a day', zone: 'Pacific/Apia', before: '2011-12-30T09:59:59.999Z', from: '2011-12-30T10:00Z', then: [-600, 840] },
    { name: 'back after a week', zone: 'America/Noronha', before: '2000-10-15T00:59:59Z', from: '2000-10-15T01:00Z', then: [-60, -120] },
  ])('is shifted from the exact millisecond on: by $name', ({ zone, before, from, then }) => {
    expect([minutesAt(zone, before), minutesAt(zone, from)]).toEqual(then);
  });

  it('may be ahead by seconds, long ago', () => {
    expect(minutesAt('Africa/Monrovia', '1971-01-01T00:00Z')).toBe(-44.5);
    expect(zoneOf('Europe/Amsterdam').offsetAt(at('0001-01-01T00:00:00Z'))).not.toBeNaN();
  });

  it.each([
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'Asia/Amman',
    'Pacific/Apia',
    'America/Sao_Paulo',
    'Asia/Kathmandu',
  ])('has the offset that Intl shows, in any order of calls: %s', (name) => {
    const [clock, zone] = [new SlowClock(name), zoneOf(name)];
    const times = Array.from({ length: 2000 }, (_, index) => Date.UTC(2009, 0) + ((index * 331) % 2000) * 340_000_000);
    const changes = clock.changes(Date.UTC(2009, 0), Date.UTC(2031, 0)).flatMap((change) => [change, change - 1, change - 900_000]);
    expect([...times, ...changes].filter((time) => zone.offsetAt(instant(time)) !== clock.offsetAt(time))).toEqual([]);
  });

  it('caches a limited part of the past and the future, and reads the rest again', () => {
    const zone = zoneOf('Europe/Berlin');
    for (let year = 1500; year < 2500; year++) zone.offsetAt(at(`${year}-07-01T00:00:00Z`));
    expect(zone.offsetAt(at('2024-07-01T00:00:00Z'))).toBe(7_200_000);
  });
});

describe('a loader of zones', () => {
  it('returns the same zone again', () => {
    const load = createZoneLoader();
    expect(load('Europe/Berlin')).toBe(load('Europe/Berlin'));
    expect(load('Nowhere/X')).toBeUndefined();
  });

  it('removes the first one after many others', () => {
    const load = createZoneLoader();
    const first = load('Europe/Berlin');
    const others = zoneNames.filter((name) => name !== 'Europe/Berlin').slice(0, 128);
    others.slice(0, 127).forEach(load);
    expect(load('Europe/Berlin')).toBe(first);
    load(others[127] ?? '');
    expect(load('Europe/Berlin')).not.toBe(first);
  });
});

describe('the names', () => {
  it('are sorted and different', () => {
    expect(zoneNames).toEqual([...new Set(zoneNames)].toSorted());
    expect(zoneNames.length).toBeGreaterThan(590);
  });

  it('are all known to Intl, and have no other spelling among them', () => {
    expect(zoneNames.filter((name) => loadZone(name) === undefined)).toEqual([]);
    expect(new Set(zoneNames.map((name) => name.toLowerCase())).size).toBe(zoneNames.length);
  });

  it('include all that Intl lists', () => {
    expect(Intl.supportedValuesOf('timeZone').filter((name) => !zoneNames.includes(name))).toEqual([]);
  });

  skipUnless(
    existsSync(systemZones),
    'this machine has no tz database',
    it,
  )('include all of the tz database of this machine', () => {
    const files = readdirSync(systemZones, { recursive: true, encoding: 'utf8' });
    const notNames = /^(posix|right)\/|^(posixrules|localtime|Factory)$/;
    const isZone = (file: string): boolean => {
      const path = join(systemZones, file);
      return !notNames.test(file) && !/\.|^(posix|right)$/.test(file) && isTzif(path);
    };
    expect(files.filter((file) => isZone(file) && !zoneNames.includes(file))).toEqual([]);
  });
});

/** False for a folder. */
function isTzif(path: string): boolean {
  try {
    return readFileSync(path).toString('latin1', 0, 4) === 'TZif';
  } catch {
    return false;
  }
}
