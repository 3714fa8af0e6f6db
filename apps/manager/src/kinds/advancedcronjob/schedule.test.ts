import { describe, expect, it } from '@jest/globals';
import { createZoneLoader, type Zone, type ZoneLoader } from '@kruise/cron';
import { localZone, readSchedule } from '@kruise/kinds/advancedcronjob';
import { aCronJob } from './cluster.testing.ts';

const known = createZoneLoader();
const local = known('Asia/Tokyo');
/** A process in Tokyo. */
const zones: ZoneLoader = (name) => (name === 'Local' ? local : known(name));

describe('the zone of a schedule', () => {
  it.each<{ name: string; schedule: string; timeZone?: string; then: string }>([
    { name: 'is that of its prefix', schedule: 'TZ=Europe/Berlin 0 3 * * *', then: 'Europe/Berlin' },
    { name: 'is that of its prefix before any other', schedule: 'CRON_TZ=Europe/Berlin 0 3 * * *', timeZone: 'UTC', then: 'Europe/Berlin' },
    { name: 'is that of timeZone', schedule: '0 3 * * *', timeZone: 'Europe/Berlin', then: 'Europe/Berlin' },
    { name: 'is that of the process where none is given', schedule: '0 3 * * *', then: 'Asia/Tokyo' },
    { name: 'is that of the process where it is empty', schedule: '0 3 * * *', timeZone: '', then: 'Asia/Tokyo' },
    { name: 'is that of the process where it is not known here', schedule: '0 3 * * *', timeZone: 'Nowhere/X', then: 'Asia/Tokyo' },
  ])('$name', ({ schedule, timeZone, then }) => {
    const { timeZone: _utc, ...spec } = aCronJob({ schedule }).spec;
    const job = { ...aCronJob(), spec: { ...spec, ...(timeZone === undefined ? {} : { timeZone }) } };
    expect(readSchedule(job, zones)).toMatchObject({ kind: 'Schedule', zone: known(then) });
  });

  it('does not matter where the schedule cannot be read', () => {
    expect(readSchedule(aCronJob({ schedule: 'x' }), zones).kind).toBe('Faulty');
  });
});

it('a process without a zone of its own is in UTC, which every runtime has', () => {
  expect(localZone((name) => (name === 'UTC' ? known('UTC') : undefined))).toBe(known('UTC'));
  expect(() => localZone((): Zone | undefined => undefined)).toThrow('there is no time zone');
});
