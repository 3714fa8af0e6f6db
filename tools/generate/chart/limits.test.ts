/** How the page of bounds writes its numbers. */
import { describe, expect, it } from '@jest/globals';
import { limitAreas, type Limit } from '@kruise/objects';
import { formatLimit } from './limits.ts';

const limit = (value: number, unit: Limit['unit']): Limit => ({ value, unit, bounds: '', beyond: '', enforcedBy: '' });

describe('the page of bounds', () => {
  it.each([
    { given: limit(7 * 1024 * 1024, 'bytes'), then: '7 MiB' },
    { given: limit(96 * 1024, 'bytes'), then: '96 KiB' },
    { given: limit(1001, 'bytes'), then: '1,001 bytes' },
    { given: limit(60_000, 'milliseconds'), then: '60 s' },
    { given: limit(250, 'milliseconds'), then: '250 ms' },
    { given: limit(1000, 'series'), then: '1,000 series' },
  ])('writes $given.value $given.unit as $then', ({ given, then }) => {
    expect(formatLimit(given)).toBe(then);
  });

  it('has a positive whole number and complete sentences for every bound', () => {
    const all = limitAreas.flatMap(({ limits }) => Object.values(limits));
    expect(all.length).toBeGreaterThan(0);
    for (const { value, bounds, beyond, enforcedBy } of all) {
      expect(Number.isSafeInteger(value) && value > 0).toBe(true);
      expect(beyond).toMatch(/\.$/);
      expect(bounds).not.toMatch(/\.$/);
      expect(enforcedBy).not.toBe('');
    }
  });
});
