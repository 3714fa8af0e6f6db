/** SidecarSets with which a new one is compared: all with a conflict, and few others. */
import { describe, expect, it } from '@jest/globals';
import { sidecarSetConflicts, type SidecarSet } from '@kruise/api';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { readLinted, type Linted } from './linted.ts';
import { ObjectTable } from './object-table.ts';

const apiVersion = 'apps.kruise.io/v1beta1';

const sidecarSet = (spec: object, i: number): Linted =>
  readLinted({ apiVersion, kind: 'SidecarSet', metadata: { name: `s-${i}` }, spec }, 'default');

const tableOf = (sets: readonly Linted[]): ObjectTable => {
  const table = new ObjectTable();
  for (const set of sets) table.add(set);
  return table;
};

const named = fc.constantFrom('a', 'b').map((name) => ({ name }));
const labels = fc.constantFrom('app', 'tier', 'team');
const values = fc.subarray(['x', 'y', 'z'], { minLength: 1, maxLength: 2 });
const matchLabels = fc.dictionary(labels, fc.constantFrom('x', 'y'), { minKeys: 1, maxKeys: 2 });
const matchExpressions = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ key: labels, operator: fc.constantFrom('In', 'In', 'NotIn'), values }) },
    { weight: 2, arbitrary: fc.record({ key: labels, operator: fc.constantFrom('Exists', 'Exists', 'DoesNotExist') }) },
  ),
  { minLength: 1, maxLength: 3 },
);
const specs = fc.record(
  {
    selector: fc.oneof(fc.record({ matchLabels }), fc.record({ matchExpressions }), fc.record({ matchLabels, matchExpressions })),
    containers: fc.array(named, { maxLength: 2 }),
    initContainers: fc.array(named, { maxLength: 1 }),
    volumes: fc.array(
      fc.constantFrom({ name: 'v', emptyDir: {} }, { emptyDir: {}, name: 'v' }, { name: 'v', emptyDir: { medium: 'Memory' } }),
      { maxLength: 1 },
    ),
    patchPodMetadata: fc.array(
      fc.record({
        annotations: fc.dictionary(fc.constantFrom('k', 'l'), fc.constant('1'), { maxKeys: 2 }),
        patchPolicy: fc.constantFrom('', 'Retain', 'Overwrite', 'MergePatchJson'),
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['selector'] },
);

const conflictsWith = ({ object }: Linted, others: readonly Linted[]): readonly unknown[] =>
  sidecarSetConflicts(object as unknown as SidecarSet, others.map((one) => one.object) as unknown as readonly SidecarSet[]);

describe('rivals of a SidecarSet', () => {
  it('have the same conflicts as all SidecarSets', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(fc.array(specs, { minLength: 2, maxLength: 12, size: 'max' }), (list) => {
        const sets = list.map(sidecarSet);
        const table = tableOf(sets);
        for (const one of sets) {
          const rivals = table.rivals(one, one.object);
          const conflicts = conflictsWith(one, table.of('apps.kruise.io', 'SidecarSet', ''));
          expect(conflictsWith(one, rivals)).toEqual(conflicts);
          seen.note('conflicts', conflicts.length > 0);
          seen.note('omitted', rivals.length < sets.length);
        }
      }),
      { numRuns: casesOf(200, 20_000) },
    );
    seen.expectAtLeast({ conflicts: 300, omitted: 300 });
  });

  const selectors: readonly { readonly name: string; readonly selector: (i: number) => object }[] = [
    { name: 'have no key in common', selector: (i) => ({ matchLabels: { [`own-${i}`]: 'yes' } }) },
    {
      name: 'have no value in common',
      selector: (i) => ({ matchExpressions: [{ key: 'app', operator: 'In', values: [`web-${i}`, `api-${i}`] }] }),
    },
    { name: 'require different labels', selector: (i) => ({ matchExpressions: [{ key: `own-${i}`, operator: 'Exists' }] }) },
    {
      name: 'require one label and different values of another one',
      selector: (i) => ({
        matchExpressions: [
          { key: 'app', operator: 'Exists' },
          { key: 'tier', operator: 'In', values: [`t-${i}`] },
        ],
      }),
    },
    {
      name: 'require a label or values, in turn',
      selector: (i) => ({
        matchExpressions: [i % 2 === 0 ? { key: `own-${i}`, operator: 'Exists' } : { key: 'app', operator: 'In', values: [`web-${i}`] }],
      }),
    },
  ];
  const specsOf: readonly { readonly name: string; readonly spec: (i: number) => object }[] = [
    { name: 'containers of their own', spec: (i) => ({ containers: [{ name: `c-${i}` }] }) },
    {
      name: 'one volume in common',
      spec: (i) => ({ containers: [{ name: `c-${i}` }], volumes: [{ name: 'tmp', emptyDir: {} }] }),
    },
    {
      name: 'one merged annotation in common',
      spec: (i) => ({
        containers: [{ name: `c-${i}` }],
        patchPodMetadata: [{ annotations: { k: '1' }, patchPolicy: 'MergePatchJson' }],
      }),
    },
  ];

  describe.each(selectors)('are few among 3,000 whose selectors $name', ({ selector }) => {
    it.each(specsOf)('with $name', ({ spec }) => {
      const sets = Array.from({ length: 3000 }, (_, i) => sidecarSet({ selector: selector(i), ...spec(i) }, i));
      const table = tableOf(sets);
      expect(Math.max(...sets.map((one) => table.rivals(one, one.object).length))).toBe(1);
    });
  });

  // Two labels of `matchLabels` with different keys may be on one Pod.
  it.each(selectors.slice(1))('are few among 3,000 whose selectors $name, with one container in common', ({ selector }) => {
    const sets = Array.from({ length: 3000 }, (_, i) => sidecarSet({ selector: selector(i), containers: [{ name: 'c' }] }, i));
    const table = tableOf(sets);
    expect(Math.max(...sets.map((one) => table.rivals(one, one.object).length))).toBe(1);
  });
});
