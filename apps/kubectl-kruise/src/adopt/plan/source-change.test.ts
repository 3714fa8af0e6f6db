/** Changes of members, and the merge patch of them. */
import { expect, it } from '@jest/globals';
import { applyMergePatch, isJsonObject, ownMember, type JsonObject } from '@kruise/objects';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { changesBetween, combinePatches, patchOf, type MemberChange } from './source-change.ts';

it.each<{ name: string; before: JsonObject; after: JsonObject; changes: readonly MemberChange[] }>([
  { name: 'nothing', before: { a: { b: [1] } }, after: { a: { b: [1] } }, changes: [] },
  { name: 'a member', before: { a: { b: 1, c: 2 } }, after: { a: { b: 3, c: 2 } }, changes: [{ path: ['a', 'b'], from: 1, to: 3 }] },
  { name: 'a new member', before: {}, after: { a: { b: 1 } }, changes: [{ path: ['a'], to: { b: 1 } }] },
  { name: 'a removed member', before: { a: 1 }, after: {}, changes: [{ path: ['a'], from: 1 }] },
  { name: 'a list, as one member', before: { a: [1, 2] }, after: { a: [1] }, changes: [{ path: ['a'], from: [1, 2], to: [1] }] },
  { name: 'the type of a member', before: { a: { b: 1 } }, after: { a: 1 }, changes: [{ path: ['a'], from: { b: 1 }, to: 1 }] },
  {
    name: 'a member called __proto__',
    before: {},
    after: JSON.parse('{"__proto__":1}') as JsonObject,
    changes: [{ path: ['__proto__'], to: 1 }],
  },
])('changesBetween finds $name', ({ before, after, changes }) => {
  expect(changesBetween(before, after)).toEqual(changes);
});

const leaf = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom('x', 'y'),
  fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 2 }),
);
const names = fc.constantFrom('a', 'b', 'c', '__proto__');
const { tree } = fc.letrec<{ tree: JsonObject; value: unknown }>((tie) => ({
  tree: fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  value: fc.oneof({ maxDepth: 3 }, leaf, tie('tree')),
}));
const runs = { numRuns: casesOf(300, 5000) };

it('patchOf carries out all changes', () => {
  fc.assert(
    fc.property(tree, tree, (before, after) => {
      expect(applyMergePatch(before, patchOf(changesBetween(before, after)))).toEqual(after);
    }),
    runs,
  );
});

/** Whether a member that is no object in the first is one in the second: a merge patch cannot replace an object by another one. */
const isReplaced = (first: JsonObject, second: JsonObject): boolean =>
  Object.entries(second).some(([name, value]) => {
    const before = ownMember(first, name);
    if (before === undefined || !isJsonObject(value)) return false;
    return !isJsonObject(before) || isReplaced(before, value);
  });

it('combinePatches has the effect of both patches', () => {
  fc.assert(
    fc.property(tree, tree, tree, (before, first, second) => {
      fc.pre(!isReplaced(first, second));
      expect(applyMergePatch(before, combinePatches(first, second))).toEqual(applyMergePatch(applyMergePatch(before, first), second));
    }),
    runs,
  );
});
