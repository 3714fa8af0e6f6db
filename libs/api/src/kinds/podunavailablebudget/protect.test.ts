import { describe, expect, it } from '@jest/globals';
import { protectedOperations, protectedTotal } from './protect.ts';
import type { PodUnavailableBudget } from './schema.ts';

const operations = 'kruise.io/pub-protect-operations';
const total = 'pub.kruise.io/protect-total-replicas';
const budget = (spec: object, annotations: Readonly<Record<string, string>> = {}) =>
  ({ metadata: { name: 'p', annotations }, spec }) as unknown as PodUnavailableBudget;

describe('the operations that a budget protects from (2.3)', () => {
  it.each<{ name: string; spec: object; annotation?: string; tellsResizes?: boolean; then: readonly string[] }>([
    { name: 'are DELETE, UPDATE and EVICT when nothing is said', spec: {}, tellsResizes: true, then: ['DELETE', 'UPDATE', 'EVICT'] },
    { name: 'include resizes when these are not distinguished from updates', spec: {}, then: ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'] },
    { name: 'do not include resizes without updates', spec: { protectOperations: ['DELETE'] }, then: ['DELETE'] },
    {
      name: 'are those of the member, whatever the annotation says',
      spec: { protectOperations: ['RESIZE'] },
      annotation: 'DELETE',
      then: ['RESIZE'],
    },
    {
      name: 'are those of the annotation when the member is empty',
      spec: { protectOperations: [] },
      annotation: 'DELETE',
      then: ['DELETE'],
    },
    { name: 'are read with blanks after the comma', spec: {}, annotation: 'EVICT, UPDATE', tellsResizes: true, then: ['UPDATE', 'EVICT'] },
    { name: 'leave unknown words out', spec: {}, annotation: 'EVICT,remove', then: ['EVICT'] },
    { name: 'are none when all words are unknown', spec: {}, annotation: 'remove', then: [] },
    {
      name: 'are the usual ones for an annotation of blanks',
      spec: {},
      annotation: ' , ',
      tellsResizes: true,
      then: ['DELETE', 'UPDATE', 'EVICT'],
    },
    {
      name: 'are the usual ones for a member of another type',
      spec: { protectOperations: 'DELETE' },
      tellsResizes: true,
      then: ['DELETE', 'UPDATE', 'EVICT'],
    },
  ])('$name', ({ spec, annotation, tellsResizes = false, then }) => {
    const annotations = annotation === undefined ? undefined : { [operations]: annotation };
    expect([...protectedOperations(budget(spec, annotations), tellsResizes)].sort()).toEqual([...then].sort());
  });
});

describe('the total that replaces the computed one (2.3)', () => {
  it.each<{ spec: object; annotation?: string; then: number | undefined }>([
    { spec: {}, then: undefined },
    { spec: { protectTotalReplicas: 15 }, annotation: '3', then: 15 },
    { spec: {}, annotation: '3', then: 3 },
    { spec: {}, annotation: '0', then: undefined },
    { spec: {}, annotation: '1', then: 1 },
    { spec: {}, then: undefined },
    { spec: {}, annotation: '-3', then: undefined },
    { spec: {}, annotation: '', then: undefined },
    { spec: {}, annotation: '2147483648', then: undefined },
    { spec: { protectTotalReplicas: 0 }, then: undefined },
    { spec: { protectTotalReplicas: 1.5 }, then: undefined },
    { spec: { protectTotalReplicas: '4' }, annotation: '3', then: 3 },
  ])('$spec and annotation $annotation: $then', ({ spec, annotation, then }) => {
    expect(protectedTotal(budget(spec, annotation === undefined ? {} : { [total]: annotation }))).toBe(then);
  });

  it('is absent for an object without a spec', () => {
    expect(protectedTotal({ metadata: { name: 'p' } } as PodUnavailableBudget)).toBeUndefined();
  });
});
