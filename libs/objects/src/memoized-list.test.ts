import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { equalEnds, memoizedList } from './memoized-list.ts';

interface Item {
  readonly value: number;
}

/** The same objects in all lists. */
const items: readonly Item[] = Array.from({ length: 6 }, (_, value) => ({ value }));
const lists = fc.array(fc.array(fc.constantFrom(...items), { maxLength: 8 }), { minLength: 1, maxLength: 8 });

describe('memoizedList', () => {
  it('returns what computing every element returns, whatever the lists before were', () => {
    fc.assert(
      fc.property(lists, fc.array(fc.constantFrom(1, 10), { minLength: 8, maxLength: 8 }), (all, factors) => {
        const timed = memoizedList(({ value }: Item, factor: number) => value * factor);
        const owner = {};
        for (const [index, list] of all.entries()) {
          const factor = factors[index] ?? 1;
          expect(timed(owner, list, factor)).toEqual(list.map(({ value }) => value * factor));
        }
      }),
    );
  });

  const counting = () => {
    const computed: number[] = [];
    return { computed, of: memoizedList(({ value }: Item, _input: string) => computed.push(value)) };
  };

  it('computes the elements that have changed, and no others', () => {
    const { computed, of } = counting();
    const [a, b, c, d, e] = items as [Item, Item, Item, Item, Item];
    const owner = {};
    const next = (list: readonly Item[]): readonly number[] => {
      computed.length = 0;
      of(owner, list, 'same');
      return [...computed];
    };
    expect(next([a, b, c, d])).toEqual([0, 1, 2, 3]);
    expect(next([a, b, e, d])).toEqual([4]);
    expect(next([a, b, d])).toEqual([]);
    expect(next([a, b, c, d])).toEqual([2]);
    expect(next([e, a, b, c, d])).toEqual([4]);
    expect(next([d, c])).toEqual([3, 2]);
    expect(next([a, b, c, d])).toEqual([0, 1, 3]);
    expect(next([b, c, e, d])).toEqual([4]);
    expect(next([b, a, e])).toEqual([0]);
  });

  it('computes again for other inputs and for another owner', () => {
    const { computed, of } = counting();
    const owner = {};
    for (const input of ['x', 'x', 'y', 'x']) of(owner, items.slice(0, 1), input);
    of({}, items.slice(0, 1), 'x');
    expect(computed).toHaveLength(4);
  });

  it('returns the same results for the same list', () => {
    const { of } = counting();
    const owner = {};
    expect(of(owner, items, 'x')).toBe(of(owner, items, 'x'));
  });
});

it.each<{ a: string; b: string; then: readonly [number, number] }>([
  { a: '', b: '', then: [0, 0] },
  { a: 'abc', b: 'abc', then: [3, 0] },
  { a: 'abc', b: 'axc', then: [1, 1] },
  { a: 'aa', b: 'aaa', then: [2, 0] },
  { a: 'ab', b: 'b', then: [0, 1] },
])('equalEnds counts no element of $a and $b twice', ({ a, b, then }) => {
  const { start, end } = equalEnds([...a], [...b]);
  expect([start, end]).toEqual(then);
});
