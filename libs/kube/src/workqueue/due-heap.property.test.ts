import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DueHeap } from './due-heap.ts';

const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key: fc.integer({ min: 0, max: 15 }), due: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ kind: fc.constant('delete' as const), key: fc.integer({ min: 0, max: 15 }) }),
  fc.record({ kind: fc.constant('pop' as const) }),
);

describe('DueHeap', () => {
  it('behaves as a list sorted by time and order of setting', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new DueHeap<number>();
        let model: { key: number; due: number }[] = [];
        const first = () => model.toSorted((a, b) => a.due - b.due)[0];
        for (const s of steps) {
          if (s.kind === 'set') {
            heap.set(s.key, s.due);
            model = [...model.filter((entry) => entry.key !== s.key), { key: s.key, due: s.due }];
          } else if (s.kind === 'delete') {
            expect(heap.delete(s.key)).toBe(model.some((entry) => entry.key === s.key));
            model = model.filter((entry) => entry.key !== s.key);
          } else {
            const expected = first()?.key;
            expect(heap.pop()).toBe(expected);
            model = model.filter((entry) => entry.key !== expected);
          }
          expect(heap.size).toBe(model.length);
          expect(heap.nextDue).toBe(first()?.due);
          for (const entry of model) expect(heap.dueOf(entry.key)).toBe(entry.due);
        }
      }),
    );
  });
});
