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
const specs = fc.record(
  {
    selector: fc.record({
      matchLabels: fc.dictionary(fc.constantFrom('app', 'tier', 'team'), fc.constantFrom('x', 'y'), { minKeys: 1, maxKeys: 2 }),
    }),
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

  it.each<{ name: string; spec: (i: number) => object }>([
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
  ])('are few among 3,000 whose selectors have no key in common, with $name', ({ spec }) => {
    const sets = Array.from({ length: 3000 }, (_, i) => sidecarSet({ selector: { matchLabels: { [`own-${i}`]: 'yes' } }, ...spec(i) }, i));
    const table = tableOf(sets);
    expect(Math.max(...sets.map((one) => table.rivals(one, one.object).length))).toBe(1);
  });
});
