import { expect, it } from '@jest/globals';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { LruMap } from './lru-map.ts';

const key = fc.integer({ min: 0, max: 5 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('get' as const), key }),
  fc.record({ kind: fc.constant('set' as const), key, value: fc.integer() }),
);

it('keeps the most recently used entries, as many as it can hold', () => {
  const seen = new Occurrences();
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60, size: 'max' }), (capacity, steps) => {
      const map = new LruMap<number, number>(capacity);
      /** The most recently used one comes last. */
      let model: { readonly key: number; readonly value: number }[] = [];
      for (const s of steps) {
        const held = model.find((entry) => entry.key === s.key);
        const value = s.kind === 'set' ? s.value : held?.value;
        if (s.kind === 'set') {
          seen.note('a new entry makes another one leave', held === undefined && model.length === capacity);
          seen.note('an entry gets another value', held !== undefined);
          map.set(s.key, s.value);
        } else {
          seen.note('an entry is not there', held === undefined);
          seen.note('an old entry is used', held !== undefined && held !== model.at(-1));
          expect(map.get(s.key)).toBe(value);
        }
        if (value !== undefined) model = [...model.filter((entry) => entry !== held), { key: s.key, value }].slice(-capacity);
      }
      // From the newest to the oldest, because a get moves an entry to the end.
      for (const entry of model.toReversed()) expect(map.get(entry.key)).toBe(entry.value);
    }),
  );
  seen.expectAtLeast({
    'a new entry makes another one leave': 30,
    'an entry gets another value': 30,
    'an entry is not there': 30,
    'an old entry is used': 30,
  });
});
