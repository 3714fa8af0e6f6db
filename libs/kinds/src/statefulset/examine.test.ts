/** Objects that went past admission: each harms itself alone, with words that name the field. */
import { describe, expect, it } from '@jest/globals';
import type { StatefulSet } from '@kruise/api';
import { aStatefulSet } from './testing.ts';
import { examine } from './examine.ts';

const having = (more: object): StatefulSet => {
  const set = aStatefulSet();
  return { ...set, spec: { ...set.spec, ...more } };
};

describe('a StatefulSet that cannot be worked with', () => {
  it.each([
    { more: { replicas: 1e9 }, then: 'spec.replicas' },
    { more: { replicas: '3' }, then: 'spec.replicas' },
    { more: { template: { spec: {} } }, then: 'spec.template.spec.containers' },
    { more: { volumeClaimTemplates: [3] }, then: 'spec.volumeClaimTemplates' },
    { more: { reserveOrdinals: '1' }, then: 'spec.reserveOrdinals' },
    { more: { ordinals: { start: 1.5 } }, then: 'spec.ordinals.start' },
    { more: { ordinals: { start: 2147483646 }, replicas: 5 }, then: 'leave 2 ordinals up to 2147483647' },
    { more: { reserveOrdinals: ['0-9007199254740993'] }, then: 'leave 0 ordinals up to 2147483647' },
    { more: { selector: {} }, then: 'an empty selector is invalid for a StatefulSet' },
    { more: { selector: { matchLabels: { app: 'other' } } }, then: 'does not match the labels of the template' },
  ])('is reported: $then', ({ more, then }) => {
    expect(examine(having(more))).toEqual({ kind: 'Malformed', why: expect.stringContaining(then) });
  });

  it('is none that is as it should be, or lacks what may be left out', () => {
    expect(examine(aStatefulSet()).kind).toBe('WellFormed');
    expect(examine(having({ ordinals: { start: -1 }, reserveOrdinals: null, volumeClaimTemplates: null })).kind).toBe('WellFormed');
  });
});
