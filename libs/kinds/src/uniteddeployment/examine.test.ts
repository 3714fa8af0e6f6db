import { describe, expect, it } from '@jest/globals';
import type { UnitedDeployment } from '@kruise/api';
import { setIn } from '@kruise/objects';
import { adaptive, aUnited, templateOf, type UnitedShape } from './testing.ts';
import { examine } from './examine.ts';

const having = (path: string, value: unknown, shape: UnitedShape = {}): UnitedDeployment =>
  setIn(
    aUnited(shape),
    path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    value,
  );
const first = 'spec.topology.subsets.0';

describe('a UnitedDeployment that came past admission', () => {
  it.each(['CloneSet', 'Deployment', 'StatefulSet', 'AdvancedStatefulSet'] as const)(
    'with a template of a %s can be worked with',
    (kind) => {
      expect(examine(aUnited({ kind }))).toMatchObject({ kind: 'WellFormed', childKind: { name: kind } });
    },
  );

  it.each<{ name: string; object: UnitedDeployment; why: string }>([
    { name: 'no spec', object: having('spec', 1), why: 'spec:' },
    { name: 'no template', object: having('spec.template', {}), why: 'spec.template:' },
    {
      name: 'more subsets than children are made for',
      object: aUnited({ subsets: Array.from({ length: 1001 }, (_, index) => ({ name: `s${index}` })) }),
      why: 'spec.topology.subsets: Too many: 1001',
    },
    {
      name: 'two templates',
      object: having('spec.template', { ...templateOf('CloneSet'), ...templateOf('Deployment') }),
      why: 'spec.template:',
    },
    { name: 'a template without Pods', object: having('spec.template.cloneSetTemplate.spec', {}), why: 'spec.template.spec:' },
    { name: 'replicas that are none', object: having('spec.replicas', 'x'), why: 'spec.replicas:' },
    { name: 'no selector', object: having('spec.selector', null), why: 'spec.selector:' },
    { name: 'an empty selector', object: having('spec.selector', {}), why: 'spec.selector:' },
    {
      name: 'a selector that the Pods do not match',
      object: having('spec.selector', { matchLabels: { app: 'x' } }),
      why: 'spec.selector:',
    },
    {
      name: 'a selector that the children would not match',
      object: setIn(having('spec.template.cloneSetTemplate.metadata', {}), ['spec', 'selector'], {
        matchExpressions: [{ key: 'app', operator: 'Exists' }],
      }),
      why: 'spec.selector: Invalid value: does not match the labels of the template',
    },
    { name: 'subsets that are no list', object: having('spec.topology.subsets', {}), why: 'spec.topology.subsets:' },
    { name: 'a topology that is none', object: having('spec.topology', 1), why: 'spec.topology.subsets:' },
    { name: 'a subset that is none', object: having(first, 1), why: 'spec.topology.subsets[0]:' },
    { name: 'a subset without a name', object: having(`${first}.name`, ''), why: 'spec.topology.subsets[0].name:' },
    { name: 'a name twice', object: having(`${first}.name`, 'b'), why: 'spec.topology.subsets[1].name: Duplicate' },
    { name: 'tolerations that are none', object: having(`${first}.tolerations`, {}), why: 'spec.topology.subsets[0].tolerations:' },
    { name: 'a term that is none', object: having(`${first}.nodeSelectorTerm`, []), why: 'spec.topology.subsets[0].nodeSelectorTerm:' },
    { name: 'a patch that is none', object: having(`${first}.patch`, 'x'), why: 'spec.topology.subsets[0].patch:' },
    {
      name: 'partitions that are none',
      object: having('spec.updateStrategy.manualUpdate.partitions', { a: 'x' }),
      why: 'spec.updateStrategy.manualUpdate.partitions:',
    },
    {
      name: 'reserved Pods of a StatefulSet',
      object: aUnited({ kind: 'StatefulSet', schedule: adaptive({ reserveUnschedulablePods: true }) }),
      why: 'spec.topology.scheduleStrategy:',
    },
  ])('with $name is reported', ({ object, why }) => {
    const examined = examine(object);
    expect(examined).toMatchObject({ kind: 'Malformed', why: expect.stringContaining(why) });
  });

  it('with null for what need not be there can be worked with', () => {
    const object = [`${first}.tolerations`, `${first}.nodeSelectorTerm`, `${first}.patch`].reduce(
      (one, path) =>
        setIn(
          one,
          path.split('.').map((part) => (part === '0' ? 0 : part)),
          null,
        ),
      aUnited(),
    );
    expect(examine(object).kind).toBe('WellFormed');
    expect(examine(having('spec.topology', null)).kind).toBe('WellFormed');
    expect(examine(having('spec.topology.subsets', null)).kind).toBe('WellFormed');
  });
});
