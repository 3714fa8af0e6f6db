import { describe, expect, it } from '@jest/globals';
import { aUnited } from './testing.ts';
import { examine } from './examine.ts';

describe('a UnitedDeployment that came past admission', () => {
  it.each(['CloneSet', 'Deployment', 'StatefulSet', 'AdvancedStatefulSet'] as const)(
    'with a template of a %s can be worked with',
    (kind) => {
      expect(examine(aUnited({ kind }))).toMatchObject({ kind: 'WellFormed', childKind: { name: kind } });
    },
  );

  it('without a template is malformed', () => {
    const object = aUnited();
    expect(examine({ ...object, spec: { ...object.spec, template: {} } })).toEqual({
      kind: 'Malformed',
      why: 'spec.template: Invalid value: exactly one template must be there',
    });
  });
});
