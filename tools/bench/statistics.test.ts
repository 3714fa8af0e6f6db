import { describe, expect, it } from '@jest/globals';
import { median, quantile, slope } from './statistics.ts';

describe('quantile', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
  it.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ])('%p of 1 to 100 is %p', (share, value) => {
    expect(quantile(hundred, share)).toBe(value);
  });
});

it.each<[number[], number]>([
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
  [[], Number.NaN],
])('median(%p) is %p', (values, expected) => {
  expect(median(values)).toBe(expected);
});

it.each<[[number, number][], number]>([
  [
    [
      [0, 5],
      [1, 7],
      [2, 9],
    ],
    2,
  ],
  [
    [
      [1, 1],
      [2, 3],
      [3, 2],
    ],
    0.5,
  ],
  [[[1, 1]], Number.NaN],
])('slope(%j) is %p', (points, expected) => {
  expect(slope(points)).toBe(expected);
});
