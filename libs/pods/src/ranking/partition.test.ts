import { describe, expect, it } from '@jest/globals';
import { partitionInPods } from './partition.ts';

describe('a partition', () => {
  it.each<[value: unknown, total: number, pods: number | undefined]>([
    [0, 5, 0],
    [3, 5, 3],
    [9, 5, 5],
    [5, 5, 5],
    [4, 5, 4],
    [1, 1, 1],
    ['100%', 1, 1],
    [-1, 5, 0],
    ['50%', 2, 1],
    ['34%', 3, 2],
    ['99%', 4, 3],
    ['100%', 4, 4],
    ['120%', 4, 5 - 1],
    ['99%', 1, 1],
    ['0%', 4, 0],
    ['50%', 0, 0],
    ['half', 4, undefined],
    ['3', 4, undefined],
    [null, 4, undefined],
  ])('%p of %i Pods is %p', (value, total, pods) => {
    expect(partitionInPods(value, total)).toBe(pods);
  });
});
