import { describe, expect, it } from '@jest/globals';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { deepCopy, deepFreeze } from '../json/copy.ts';
import { deepEqual, semanticEqual } from '../json/equality.ts';
import { createJsonPatch } from './json-patch-diff.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';
import { jsonObject, jsonValue } from '../testdata/json-arbitraries.ts';

/** Returns JSON with the members of every object in order: equal texts are equal JSON. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // In an object of its own: an empty object is no empty list.
  return { members: members.map(([name, member]) => ({ name, value: sorted(member) })) };
}
const sortedText = (value: unknown): string => JSON.stringify(sorted(value));

/** Returns the same JSON with the members of every object in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(turned(member))}`);
  return JSON.parse(`{${members.toReversed().join()}}`);
}

const holdsProto = (value: unknown): boolean => JSON.stringify(value).includes('__proto__');

describe('patches of generated JSON', () => {
  it('a merge patch turns the original into the modified', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (original, modified) => {
        const patch = createMergePatch(deepFreeze(original), deepFreeze(modified));
        const result = applyMergePatch(original, patch);
        expect(deepEqual(result, modified)).toBe(true);
        expect(applyMergePatch(result, patch)).toBe(result);
        expect(createMergePatch(result as typeof original, modified)).toEqual({});
      }),
    );
  });

  it('a JSON patch turns the original into the modified', () => {
    fc.assert(
      fc.property(jsonValue, jsonValue, (original, modified) => {
        fc.pre(!holdsProto([original, modified]));
        const result = applyJsonPatch(deepFreeze(original), createJsonPatch(original, deepFreeze(modified)));
        if (result.kind === 'Refused') throw new Error(result.why);
        expect(deepEqual(result.value, modified)).toBe(true);
        expect(createJsonPatch(result.value, modified)).toEqual([]);
      }),
    );
  });

  it('a JSON patch has one operation for each added or removed list element', () => {
    const list = fc.array(fc.tuple(fc.nat(3), fc.boolean()), { maxLength: 12, size: 'max' });
    fc.assert(
      fc.property(list, (given) => {
        const all = given.map(([element]) => element);
        const some = given.flatMap(([element, stays]) => (stays ? [element] : []));
        expect(createJsonPatch(all, some).map(({ op }) => op)).toEqual(given.flatMap(([, stays]) => (stays ? [] : ['remove'])));
        expect(createJsonPatch(some, all).map(({ op }) => op)).toEqual(given.flatMap(([, stays]) => (stays ? [] : ['add'])));
      }),
      { numRuns: 300 },
    );
  });

  it('a JSON patch of a list is never longer than removing and adding what differs', () => {
    const list = fc.array(fc.nat(6), { maxLength: 12, size: 'max' });
    fc.assert(
      fc.property(list, list, (original, modified) => {
        const operations = createJsonPatch(original, modified);
        expect(operations.length).toBeLessThanOrEqual(
          Math.max(original.length, modified.length) + Math.min(original.length, modified.length),
        );
        expect(applyJsonPatch(original, operations)).toEqual({ kind: 'Patched', value: modified });
      }),
    );
  });
});

describe('copies and equality of generated JSON', () => {
  it('a copy is equal, shares nothing, and keeps every member', () => {
    fc.assert(
      fc.property(jsonObject, (value) => {
        const copy = deepCopy(deepFreeze(value));
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
        expect(deepEqual(copy, value)).toBe(true);
        expect(semanticEqual(copy, value)).toBe(true);
        expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
        expect(Object.isFrozen(copy)).toBe(false);
      }),
    );
  });

  it('equality is equality of the JSON', () => {
    const seen = new Occurrences();
    const pair = fc.oneof(
      fc.tuple(jsonValue, jsonValue),
      jsonObject.map((value): [unknown, unknown] => [value, turned(value)]),
      fc.tuple(jsonObject, jsonValue).map(([value, more]): [unknown, unknown] => [value, { ...value, more }]),
    );
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const isSame = sortedText(a) === sortedText(b);
        expect([deepEqual(a, b), deepEqual(b, a)]).toEqual([isSame, isSame]);
        if (isSame) expect(semanticEqual(a, b)).toBe(true);
        seen.note(isSame ? 'equal' : 'different');
        seen.note('equal in another order', isSame && JSON.stringify(a) !== JSON.stringify(b));
      }),
    );
    seen.expectAtLeast({ equal: 10, different: 10, 'equal in another order': 5 });
  });
});
