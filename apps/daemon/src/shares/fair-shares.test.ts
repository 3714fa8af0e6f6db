import { describe, expect, it } from '@jest/globals';
import { fairShares } from './fair-shares.ts';

describe('fairShares', () => {
  it.each<{ name: string; demands: Readonly<Record<string, number>>; total: number; shares: Readonly<Record<string, number>> }>([
    { name: 'give each namespace its demand when the total is enough', demands: { a: 5, b: 3 }, total: 8, shares: { a: 5, b: 3 } },
    { name: 'give one namespace the whole node', demands: { a: 50 }, total: 8, shares: { a: 8 } },
    { name: 'are equal for those that demand more', demands: { a: 50, b: 60 }, total: 8, shares: { a: 4, b: 4 } },
    { name: 'give what one does not need to the others', demands: { a: 50, b: 1, c: 60 }, total: 9, shares: { a: 4, b: 1, c: 4 } },
    { name: 'are none when there are more namespaces than places', demands: { a: 2, b: 2, c: 2 }, total: 2, shares: { a: 0, b: 1, c: 1 } },
    { name: 'are none without demands', demands: {}, total: 2, shares: {} },
  ])('$name', ({ demands, total, shares }) => {
    expect(Object.fromEntries(fairShares(new Map(Object.entries(demands)), total))).toEqual(shares);
  });
});
