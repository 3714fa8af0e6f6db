import { describe, expect, it } from '@jest/globals';
import { setIn } from '@kruise/objects';
import { unitedDeploymentObstacle } from './rules.ts';
import { unitedTemplateNames, type UnitedTemplateName } from './template-names.ts';

interface Stored {
  readonly spec?: unknown;
}

const labels = { app: 'sample' };
const child = {
  metadata: { labels },
  spec: { template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1' }] } } },
};
const spec = {
  replicas: 3,
  selector: { matchLabels: labels },
  template: { cloneSetTemplate: child },
  topology: { subsets: [{ name: 'a' }, { name: 'b' }] },
};
const stored: Stored = { spec };
const having = (path: string, value: unknown): Stored =>
  setIn(
    stored,
    path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    value,
  );
const reserving = (template: UnitedTemplateName): Stored => {
  const scheduleStrategy = { type: 'Adaptive', adaptive: { reserveUnschedulablePods: true } };
  return { spec: { ...spec, template: { [template]: child }, topology: { ...spec.topology, scheduleStrategy } } };
};
const first = 'spec.topology.subsets.0';

describe('a UnitedDeployment that is stored without admission', () => {
  it.each(unitedTemplateNames)('with one %s can be worked with', (template) => {
    expect(unitedDeploymentObstacle({ spec: { ...spec, template: { [template]: child } } })).toBeUndefined();
  });

  it.each<{ name: string; object: Stored; why: string }>([
    { name: 'no spec', object: having('spec', 1), why: 'spec:' },
    { name: 'no template', object: having('spec.template', {}), why: 'spec.template:' },
    {
      name: 'more subsets than children are made for',
      object: having(
        'spec.topology.subsets',
        Array.from({ length: 1001 }, (_, index) => ({ name: `s${index}` })),
      ),
      why: 'spec.topology.subsets: Too many: 1001',
    },
    {
      name: 'two templates',
      object: having('spec.template', { cloneSetTemplate: child, deploymentTemplate: child }),
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
      object: reserving('statefulSetTemplate'),
      why: 'spec.topology.scheduleStrategy: Forbidden: Pods of a StatefulSet cannot be reserved',
    },
    {
      name: 'reserved Pods of an AdvancedStatefulSet',
      object: reserving('advancedStatefulSetTemplate'),
      why: 'spec.topology.scheduleStrategy: Forbidden: Pods of an AdvancedStatefulSet cannot be reserved',
    },
  ])('with $name is reported', ({ object, why }) => {
    expect(unitedDeploymentObstacle(object)).toContain(why);
  });

  it('with reserved Pods of a CloneSet can be worked with', () => {
    expect(unitedDeploymentObstacle(reserving('cloneSetTemplate'))).toBeUndefined();
  });

  it('with null for what need not be there can be worked with', () => {
    const object = [`${first}.tolerations`, `${first}.nodeSelectorTerm`, `${first}.patch`].reduce(
      (one, path) =>
        setIn(
          one,
          path.split('.').map((part) => (part === '0' ? 0 : part)),
          null,
        ),
      stored,
    );
    expect(unitedDeploymentObstacle(object)).toBeUndefined();
    expect(unitedDeploymentObstacle(having('spec.topology', null))).toBeUndefined();
    expect(unitedDeploymentObstacle(having('spec.topology.subsets', null))).toBeUndefined();
  });
});
