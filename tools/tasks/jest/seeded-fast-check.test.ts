import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import seeded, { seedOf } from './seeded-fast-check.ts';

describe('the seed of properties', () => {
  it.each([
    { name: 'is always the same in a normal run', env: {}, then: seedOf({ KRUISE_TEST_TIER: 'unit' }) },
    { name: 'is a new one in the nightly run', env: { KRUISE_TEST_TIER: 'nightly' }, then: undefined },
    { name: 'is a new one for more cases', env: { FC_RUNS: '100000' }, then: undefined },
    { name: 'is that of FC_SEED', env: { FC_SEED: '7', FC_RUNS: '100000', KRUISE_TEST_TIER: 'nightly' }, then: 7 },
  ])('$name', ({ env, then }) => {
    expect(seedOf(env)).toBe(then);
  });

  it('is that of the fast-check which tests import', () => {
    expect(fc).toBe(seeded);
    expect(fc.readConfigureGlobal()?.seed).toBe(seedOf(process.env));
  });
});
