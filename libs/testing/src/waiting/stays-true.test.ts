import { describe, expect, it } from '@jest/globals';
import { staysTrue } from './stays-true.ts';

describe('staysTrue', () => {
  it('checks at the beginning and at the end', async () => {
    let looks = 0;
    await staysTrue('looked at', () => ++looks > 0, 1);
    expect(looks).toBeGreaterThanOrEqual(2);
  });

  it('fails immediately with the name of the condition that no longer holds', async () => {
    let looks = 0;
    await expect(staysTrue('quiet', async () => ++looks < 2, 60_000)).rejects.toThrow(/^quiet: no longer so after \d+ ms$/);
    expect(looks).toBe(2);
  });
});
