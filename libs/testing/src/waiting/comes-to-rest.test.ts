import { describe, expect, it } from '@jest/globals';
import { comesToRest } from './comes-to-rest.ts';

describe('comesToRest', () => {
  it('returns the value that stays', async () => {
    let reads = 0;
    expect(await comesToRest('a value', async () => [Math.min(++reads, 3)], 20)).toEqual([3]);
    expect(reads).toBeGreaterThanOrEqual(4);
  });

  it('fails with the name of the value that keeps changing', async () => {
    let reads = 0;
    await expect(comesToRest('a counter', async () => ++reads, 50, 5)).rejects.toThrow('a counter: still changes after 5 ms');
  });
});
