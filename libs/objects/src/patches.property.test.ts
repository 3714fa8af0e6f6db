import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deepCopy, deepFreeze } from './copy.ts';
import { deepEqual, semanticEqual } from './equality.ts';
import { createJsonPatch } from './json-patch-diff.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';
import { jsonObject, jsonValue } from './testdata/json-arbitraries.ts';

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

  it('a JSON patch of a list is never longer than removing and adding what differs', () => {
    const list = fc.array(fc.nat(6), { maxLength: 12 });
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

  it('equality is what the JSON says', () => {
    const byText = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    fc.assert(
      fc.property(jsonValue, jsonValue, (a, b) => {
        expect(deepEqual(a, b)).toBe(deepEqual(byText(a), byText(b)));
        expect(deepEqual(a, b)).toBe(deepEqual(b, a));
        if (deepEqual(a, b)) expect(semanticEqual(a, b)).toBe(true);
      }),
    );
  });
});
