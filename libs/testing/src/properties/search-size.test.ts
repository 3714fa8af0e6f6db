import { describe, expect, it } from '@jest/globals';
import { casesOf, sampleOf, stepsOf } from './search-size.ts';

describe('the cases of a property', () => {
  it.each([
    { name: 'are the usual ones in a normal run', env: {}, then: 20 },
    { name: 'are a quarter of the usual ones in the quick run', env: { KRUISE_TEST_TIER: 'quick' }, then: 5 },
    { name: 'are as many as FC_RUNS in the quick run', env: { FC_RUNS: '7', KRUISE_TEST_TIER: 'quick' }, then: 7 },
    { name: 'are more in the nightly run', env: { KRUISE_TEST_TIER: 'nightly' }, then: 500 },
    { name: 'are as many as FC_RUNS in a normal run', env: { FC_RUNS: '7' }, then: 7 },
    { name: 'are as many as FC_RUNS in the nightly run', env: { FC_RUNS: '7', KRUISE_TEST_TIER: 'nightly' }, then: 7 },
  ])('$name', ({ env, then }) => {
    expect(casesOf(20, 500, env)).toBe(then);
  });

  it('are never fewer in the nightly run', () => {
    expect([casesOf(20, undefined, { KRUISE_TEST_TIER: 'nightly' }), casesOf(5000, 2000, { KRUISE_TEST_TIER: 'nightly' })]).toEqual([
      2000, 5000,
    ]);
  });
});

it('a property has a case in the quick run, however few are usual', () => {
  expect([1, 3, 5].map((usual) => casesOf(usual, 2000, { KRUISE_TEST_TIER: 'quick' }))).toEqual([1, 1, 2]);
});

describe('the steps of a process', () => {
  const ways = ['before', 'after', 'alone'];

  it('are divided among the ways in a normal run, so that each step is tried once', () => {
    expect(ways.map((way) => stepsOf(way, ways, {}))).toEqual([
      { first: 1, every: 3 },
      { first: 2, every: 3 },
      { first: 3, every: 3 },
    ]);
  });

  it('are tried every fourth time in the quick run, beginning with another one for each way', () => {
    expect(ways.map((way) => stepsOf(way, ways, { KRUISE_TEST_TIER: 'quick' }))).toEqual([
      { first: 1, every: 12 },
      { first: 2, every: 12 },
      { first: 3, every: 12 },
    ]);
  });

  it('are all tried by each way in the nightly run', () => {
    expect(ways.map((way) => stepsOf(way, ways, { KRUISE_TEST_TIER: 'nightly' }))).toEqual(ways.map(() => ({ first: 1, every: 1 })));
  });
});

it('a sample of values is the first one in a normal run, and all in the nightly run', () => {
  expect(
    [{}, { KRUISE_TEST_TIER: 'integration' }, { KRUISE_TEST_TIER: 'nightly-integration' }].map((env) => sampleOf(['a', 'b'], env)),
  ).toEqual([['a'], ['a'], ['a', 'b']]);
});
