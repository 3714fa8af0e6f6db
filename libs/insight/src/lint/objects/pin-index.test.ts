/** Candidates for comparisons: none that matters is omitted, and there are few. */
import { describe, expect, it } from '@jest/globals';
import { budgetOverlaps, sidecarSetConflicts, type SidecarSet } from '@kruise/api';
import { labelMatcherOrNothing, type JsonObject } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { LabelIndex } from './label-index.ts';
import { PinIndex, type Pins } from './pin-index.ts';
import { pinsOf } from './pins.ts';

const indexOf = (kind: string, objects: readonly JsonObject[]): PinIndex<JsonObject> => {
  const index = new PinIndex<JsonObject>();
  for (const object of objects) index.add(pinsOf(kind, object), object);
  return index;
};

const budget = 'PodUnavailableBudget';

/** The slow form: whether a key has no value in both. */
const excludes = (a: Pins, b: Pins): boolean =>
  [...a].some(([key, values]) => b.get(key)?.every((value) => !values.includes(value)) === true);

const labels = fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom<string | number>('a', 'b', 1), { maxKeys: 2 });
const expressions = fc.array(
  fc.record({
    key: fc.constantFrom('app', 'tier'),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.subarray(['a', 'b']),
  }),
  { maxLength: 2 },
);
const selector = fc.record({ matchLabels: labels, matchExpressions: expressions }, { requiredKeys: [] });
const target = fc.record({
  apiVersion: fc.constantFrom('apps/v1', 'apps.kruise.io/v1beta1'),
  kind: fc.constantFrom('CloneSet', 'StatefulSet'),
  name: fc.constantFrom('a', 'b'),
});
const specs = fc.array(fc.record({ selector: fc.option(selector), targetRef: fc.option(target) }, { requiredKeys: [] }), {
  minLength: 2,
  maxLength: 8,
});
const objectsOf = (list: readonly object[]): readonly JsonObject[] =>
  list.map((spec, i) => ({ metadata: { name: `o-${i}` }, spec: spec as JsonObject }));

describe('candidates', () => {
  it('contain every budget that overlaps', () => {
    fc.assert(
      fc.property(specs, (list) => {
        const objects = objectsOf(list);
        const index = indexOf(budget, objects);
        const overlaps = budgetOverlaps();
        for (const one of objects) {
          const candidates = new Set(index.candidates(pinsOf(budget, one)));
          for (const other of objects) if (overlaps(one, other)) expect(candidates).toContain(other);
        }
      }),
      { numRuns: casesOf(300, 20_000) },
    );
  });

  it('contain every SidecarSet with a conflict', () => {
    fc.assert(
      fc.property(fc.array(selector, { minLength: 2, maxLength: 6 }), (list) => {
        const objects = objectsOf(list.map((one) => ({ selector: one, containers: [{ name: 'side' }] })));
        const index = indexOf('SidecarSet', objects);
        for (const one of objects) {
          const candidates = new Set(index.candidates(pinsOf('SidecarSet', one)));
          for (const other of objects) {
            const faults = sidecarSetConflicts(one as unknown as SidecarSet, [other as unknown as SidecarSet]);
            if (faults.length > 0) expect(candidates).toContain(other);
          }
        }
      }),
      { numRuns: casesOf(300, 20_000) },
    );
  });

  const own = (spec: (i: number) => object): readonly JsonObject[] => objectsOf(Array.from({ length: 3000 }, (_, i) => spec(i)));

  it.each<{ name: string; spec: (i: number) => object; most: number }>([
    { name: 'a label of their own', spec: (i) => ({ selector: { matchLabels: { app: `web-${i}` } } }), most: 1 },
    {
      name: 'a label of their own and a common one',
      spec: (i) => ({ selector: { matchLabels: { team: 'shop', app: `web-${i}` } } }),
      most: 1,
    },
    {
      name: 'targets of their own, and half of them selectors',
      spec: (i) =>
        i % 2 === 0 ? { targetRef: { kind: 'CloneSet', name: `web-${i}` } } : { selector: { matchLabels: { app: `web-${i}` } } },
      most: 1,
    },
    { name: 'a key of their own', spec: (i) => ({ selector: { matchLabels: { [`app-${i}`]: 'web' } } }), most: 1 },
    {
      name: 'values of their own in an expression',
      spec: (i) => ({ selector: { matchExpressions: [{ key: 'app', operator: 'In', values: [`web-${i}`, `api-${i}`] }] } }),
      most: 1,
    },
    {
      name: 'an expression with a key of its own',
      spec: (i) => ({ selector: { matchExpressions: [{ key: `app-${i}`, operator: 'Exists' }] } }),
      most: 1,
    },
    { name: 'a label that four have', spec: (i) => ({ selector: { matchLabels: { app: `web-${i % 750}` } } }), most: 4 },
  ])('of 3,000 objects with $name are at most $most', ({ spec, most }) => {
    const objects = own(spec);
    const index = indexOf(budget, objects);
    expect(Math.max(...objects.map((one) => index.candidates(pinsOf(budget, one)).length))).toBe(most);
  });
});

describe('an index', () => {
  const pinMaps = fc
    .dictionary(
      fc.constantFrom('target', 'a', 'b', 'c', 'd', '__proto__'),
      fc.array(fc.constantFrom('', 'x', 'y'), { minLength: 1, maxLength: 3 }),
      { maxKeys: 5 },
    )
    .map((members): Pins => new Map(Object.entries(members)));

  it('finds, however far it is filled, every item that a comparison with each does not exclude, once', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(fc.array(pinMaps, { maxLength: 30, size: 'max' }), pinMaps, (all, asked) => {
        const index = new PinIndex<number>();
        for (const [at, pins] of all.entries()) {
          index.add(pins, at);
          for (const query of [asked, pins]) {
            const found = index.candidates(query);
            const distinct = new Set(found);
            expect(distinct.size).toBe(found.length);
            const wanted = all.slice(0, at + 1).flatMap((one, i) => (excludes(one, query) ? [] : [i]));
            expect(wanted.filter((one) => !distinct.has(one))).toEqual([]);
            seen.note('omitted', found.length < at + 1);
            seen.note('compared in vain', found.length > wanted.length);
          }
        }
      }),
      { numRuns: casesOf(200, 20_000) },
    );
    seen.expectAtLeast({ omitted: 500, 'compared in vain': 100 });
  });

  // Every object has a key that no other one has, so that no two have the same keys.
  const keys = 10_000;
  const targetOf = (i: number): Pins => new Map([['target', [`CloneSet/web-${i}`]]]);
  it.each<{ name: string; pins: (i: number) => Pins; asked: (i: number) => Pins; found: number }>([
    {
      name: 'a label of their own beside an own value of a common one',
      pins: (i) =>
        new Map([
          ['target', ['']],
          ['label app', [`web-${i}`]],
          [`label own-${i}`, ['x']],
        ]),
      asked: (i) =>
        new Map([
          ['target', ['']],
          ['label app', [`web-${i}`]],
          [`label own-${i}`, ['x']],
        ]),
      found: 1,
    },
    {
      name: 'a label of their own, asked for a target',
      pins: (i) =>
        i % 2 === 0
          ? targetOf(i)
          : new Map([
              ['target', ['']],
              [`label own-${i}`, ['x']],
            ]),
      asked: (i) => targetOf(i - (i % 2)),
      found: 1,
    },
  ])('of 10,000 objects with $name looks at two things for each search', ({ pins, asked, found }) => {
    const index = new PinIndex<number>();
    for (let i = 0; i < keys; i++) index.add(pins(i), i);
    for (let i = 0; i < keys; i++) {
      expect(index.cost(asked(i))).toBeLessThanOrEqual(2);
      expect(index.candidates(asked(i))).toHaveLength(found);
    }
  });
});

describe('labelled items', () => {
  // Texts that a key of label and value could confuse, names of prototypes, and letters beyond ASCII.
  const texts = fc.constantFrom('a', 'a=b', '', '=', '__proto__', 'constructor', 'ä', 'a\u0308', '\u{1F680}', 'x'.repeat(63));
  const maps = fc.dictionary(texts, texts, { maxKeys: 4 });
  const requirement = fc.record({
    key: texts,
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.array(texts, { minLength: 1, maxLength: 2 }),
  });

  it('contain, in their order, every item that the selector matches by a comparison with each', () => {
    const seen = new Occurrences();
    const selectors = fc.record({ matchLabels: maps, matchExpressions: fc.array(requirement, { maxLength: 2 }) }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.array(maps, { maxLength: 8 }), selectors, (all, asked) => {
        const given = all.map((labels) => ({ labels }));
        const candidates = new LabelIndex(given).candidates(asked);
        expect(candidates).toEqual(given.filter((one) => candidates.includes(one)));
        const matcher = labelMatcherOrNothing(asked);
        const matched = given.filter((one) => matcher.matches(one.labels));
        for (const one of matched) expect(candidates).toContain(one);
        seen.note('matched', matched.length > 0);
        seen.note('omitted', candidates.length < given.length);
      }),
      { numRuns: casesOf(1000, 20_000) },
    );
    seen.expectAtLeast({ matched: 50, omitted: 50 });
  });

  it('of which each has 10,000 labels and one of its own are found by it alone', () => {
    const common = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`label-${i}`, 'same']));
    const all = Array.from({ length: 5 }, (_, i) => ({ labels: { ...common, own: `item-${i}` } }));
    const found = new LabelIndex(all).candidates({ matchLabels: { ...common, own: 'item-3' } });
    expect(found.map((one) => all.indexOf(one))).toEqual([3]);
  });

  const items = [{ app: 'a', tier: 'x' }, { app: 'b', tier: 'x' }, { app: 'c' }, {}].map((labels) => ({ labels }));
  const index = new LabelIndex<{ readonly labels: Readonly<Record<string, string>> }>(items);

  it.each<{ name: string; selector: unknown; found: readonly number[] }>([
    { name: 'one label', selector: { matchLabels: { tier: 'x' } }, found: [0, 1] },
    { name: 'the rarer of two labels', selector: { matchLabels: { tier: 'x', app: 'b' } }, found: [1] },
    { name: 'a label that none has', selector: { matchLabels: { app: 'd' } }, found: [] },
    { name: 'an expression Exists', selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, found: [0, 1, 2] },
    {
      name: 'an expression In',
      selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['c', 'a', 'd', 'a'] }] },
      found: [0, 2],
    },
    {
      name: 'expressions that require no label',
      selector: {
        matchExpressions: [
          { key: 'app', operator: 'NotIn', values: ['a'] },
          { key: 'tier', operator: 'DoesNotExist' },
        ],
      },
      found: [0, 1, 2, 3],
    },
    {
      name: 'an expression In without values',
      selector: { matchExpressions: [{ key: 'app', operator: 'In' }] },
      found: [0, 1, 2, 3],
    },
    { name: 'no selector', selector: undefined, found: [0, 1, 2, 3] },
    { name: 'a value that is no text', selector: { matchLabels: { app: 1 } }, found: [0, 1, 2, 3] },
  ])('with $name', ({ selector: asked, found }) => {
    expect(index.candidates(asked)).toEqual(found.map((at) => items[at]));
  });
});
