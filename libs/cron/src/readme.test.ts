import { describe, expect, it } from '@jest/globals';
import { createZoneLoader } from './index.ts';
import { planRuns } from './readme.testing.ts';
import { at } from './schedules.testing.ts';

const hourMs = 3_600_000;
const loadZone = createZoneLoader();
const runsAt = (now: string, schedule: string, timeZone = 'Asia/Shanghai'): unknown =>
  planRuns({ schedule, timeZone }, at('2022-09-05T02:00:00Z'), at(now), loadZone);

describe('the example of the README', () => {
  it('runs what was missed, once, and sleeps until the next time', () => {
    expect(runsAt('2022-09-08T01:00:00Z', '0 10 * * ?')).toEqual({ due: '2022-09-07T10:00:00+08:00', sleepMs: hourMs });
    expect(runsAt('2022-09-05T09:00:00Z', 'TZ=UTC 0 10 * * ?')).toEqual({ sleepMs: hourMs });
  });

  it('never runs an impossible schedule', () => {
    expect(runsAt('2022-09-08T01:00:00Z', '0 0 31 2 *')).toEqual({});
  });

  it('refuses an invalid schedule and an unknown zone', () => {
    expect(runsAt('2022-09-08T01:00:00Z', '60 * * * *')).toEqual({ refused: expect.stringContaining('minute: "60" is above the maximum') });
    expect(runsAt('2022-09-08T01:00:00Z', '0 10 * * *', 'shanghai')).toEqual({ refused: 'unknown time zone shanghai' });
  });
});
