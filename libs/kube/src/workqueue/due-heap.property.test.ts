import { describe, expect, it } from '@jest/globals';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { DueHeap } from './due-heap.ts';

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('set' as const), key: fc.integer({ min: 0, max: 31 }), due: fc.integer({ min: 0, max: 20 }) }),
  },
  fc.record({ kind: fc.constant('delete' as const), key: fc.integer({ min: 0, max: 31 }) }),
  fc.record({ kind: fc.constant('pop' as const) }),
);

describe('DueHeap', () => {
  it('behaves as a list sorted by time and order of setting', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
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
          } else {
            const expected = first()?.key;
            seen.note('an entry is taken', expected !== undefined);
            expect(heap.pop()).toBe(expected);
            model = model.filter((entry) => entry.key !== expected);
          }
          expect(heap.size).toBe(model.length);
          expect(heap.nextDue).toBe(first()?.due);
          expect(model.map((entry) => heap.dueOf(entry.key))).toEqual(model.map((entry) => entry.due));
        }
      }),
      { numRuns: 40 },
    );
    seen.expectAtLeast({
      'ten entries or more': 100,
      'an entry gets another time': 50,
      'two entries are due at the same time': 50,
      'an entry is taken': 50,
    });
  });
});
