import { describe, expect, it } from '@jest/globals';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { DueHeap } from './due-heap.ts';

const keys = Array.from({ length: 32 }, (_, key) => key);
const step = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({ kind: fc.constant('set' as const), key: fc.integer({ min: 0, max: 31 }), due: fc.integer({ min: 0, max: 20 }) }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('delete' as const), key: fc.integer({ min: 0, max: 31 }) }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('pop' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
);

describe('DueHeap', () => {
  it('behaves as a list sorted by time and order of setting', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
        const heap = new DueHeap<number>();
        let model: { key: number; due: number }[] = [];
        const first = () => model.toSorted((a, b) => a.due - b.due)[0];
        for (const s of steps) {
          seen.note('ten entries or more', model.length >= 10);
          if (s.kind === 'set') {
            seen.note(
              'an entry gets another time',
              model.some((entry) => entry.key === s.key && entry.due !== s.due),
            );
            seen.note(
              'two entries are due at the same time',
              model.some((entry) => entry.key !== s.key && entry.due === s.due),
            );
            heap.set(s.key, s.due);
            model = [...model.filter((entry) => entry.key !== s.key), { key: s.key, due: s.due }];
          } else if (s.kind === 'delete') {
            expect(heap.delete(s.key)).toBe(model.some((entry) => entry.key === s.key));
            model = model.filter((entry) => entry.key !== s.key);
          } else if (s.kind === 'clear') {
            seen.note('entries are dropped', model.length > 0);
            heap.clear();
            model = [];
          } else {
            const expected = first()?.key;
            seen.note('an entry is taken', expected !== undefined);
            expect(heap.pop()).toBe(expected);
            model = model.filter((entry) => entry.key !== expected);
          }
          const dueOf = new Map(model.map((entry) => [entry.key, entry.due]));
          expect([heap.size, heap.nextDue, ...keys.map((key) => heap.dueOf(key))].join()).toBe(
            [model.length, first()?.due ?? Infinity, ...keys.map((key) => dueOf.get(key) ?? Infinity)].join(),
          );
        }
      }),
      { numRuns: 40 },
    );
    seen.expectAtLeast({
      'ten entries or more': 100,
      'an entry gets another time': 50,
      'two entries are due at the same time': 50,
      'an entry is taken': 50,
      'entries are dropped': 20,
    });
  });
});
