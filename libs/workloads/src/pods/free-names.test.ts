import { describe, expect, it } from '@jest/globals';
import { freeNames } from './free-names.ts';

const none = { has: () => false };

describe('free names', () => {
  it('are the same in every pass for the same seed, and differ between seeds', () => {
    const [first, second] = [freeNames('web-', none), freeNames('web-', none)];
    const name = first('a');
    expect(name).toMatch(/^web-[a-z0-9]{5}$/);
    expect(second('a')).toBe(name);
    expect(second('b')).not.toBe(name);
  });

  it('are given once in a pass', () => {
    const names = freeNames('web-', none);
    expect(names('a')).not.toBe(names('a'));
  });

  it('skip names that are taken', () => {
    const taken = freeNames('web-', none)('a');
    expect(freeNames('web-', new Set([taken]))('a')).not.toBe(taken);
  });

  it('have at most 63 characters', () => {
    expect(freeNames('x'.repeat(100), none)('a')).toHaveLength(63);
  });
});
