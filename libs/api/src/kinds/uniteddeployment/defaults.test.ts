import { describe, expect, it } from '@jest/globals';
import { memberAt, type JsonObject } from '@kruise/objects';
import { bare, filled, having, unitedOf } from './admission.testing.ts';

const specOf = (object: JsonObject): unknown => object['spec'];

describe('defaults of a UnitedDeployment', () => {
  it('are filled in once', () => {
    const once = filled(having('spec.replicas', undefined));
    expect(specOf(once)).toEqual({
      ...(bare['spec'] as JsonObject),
      replicas: 1,
      revisionHistoryLimit: 10,
      updateStrategy: { type: 'Manual', manualUpdate: {} },
    });
    expect(filled(once)).toBe(once);
  });

  it.each([
    ['spec.replicas', 0],
    ['spec.revisionHistoryLimit', 0],
    ['spec.updateStrategy.manualUpdate', { partitions: { a: 1 } }],
  ])('leave %s unchanged', (path, value) => {
    expect(memberAt(filled(having(path, value)), ...path.split('.'))).toEqual(value);
  });

  it.each([
    ['spec.replicas', null, 1],
    ['spec.updateStrategy', { type: '' }, { type: 'Manual', manualUpdate: {} }],
  ])('are those of what is not given in %s', (path, value, then) => {
    expect(memberAt(filled(having(path, value)), ...path.split('.'))).toEqual(then);
  });

  it.each([
    { name: 'one has a most', subsets: [{ name: 'a', maxReplicas: 3 }, { name: 'b' }], then: [0, 0] },
    { name: 'one has a least', subsets: [{ name: 'a' }, { name: 'b', minReplicas: 2 }], then: [0, 2] },
    { name: 'none has either', subsets: [{ name: 'a' }, { name: 'b' }], then: [undefined, undefined] },
    {
      name: 'one has a share as well',
      subsets: [
        { name: 'a', maxReplicas: 3 },
        { name: 'b', replicas: 1 },
      ],
      then: [undefined, undefined],
    },
  ])('`minReplicas` of subsets where $name', ({ subsets, then }) => {
    const list = memberAt(filled(unitedOf('cloneSetTemplate', subsets)), 'spec', 'topology', 'subsets') as readonly JsonObject[];
    expect(list.map(({ minReplicas }) => minReplicas)).toEqual(then);
  });

  it('of Pods go into the template of a StatefulSet of Kubernetes when it is new, and into no other', () => {
    const policyOf = (object: JsonObject, name: string): unknown =>
      memberAt(object, 'spec', 'template', name, 'spec', 'template', 'spec', 'restartPolicy');
    const object = unitedOf('statefulSetTemplate');
    expect(policyOf(filled(object), 'statefulSetTemplate')).toBe('Always');
    expect(policyOf(filled(object, object), 'statefulSetTemplate')).toBeUndefined();
    expect(policyOf(filled(object, bare), 'statefulSetTemplate')).toBe('Always');
    expect(policyOf(filled(object, undefined, { TemplateNoDefaults: true }), 'statefulSetTemplate')).toBeUndefined();
    for (const name of ['advancedStatefulSetTemplate', 'cloneSetTemplate', 'deploymentTemplate'] as const)
      expect(policyOf(filled(unitedOf(name)), name)).toBeUndefined();
  });

  it('of claims go there, too, with quantities rounded up', () => {
    const path = 'spec.template.statefulSetTemplate.spec.volumeClaimTemplates';
    const claim = { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1.5Gi' } } } };
    const [made] = memberAt(filled(having(path, [claim], unitedOf('statefulSetTemplate'))), ...path.split('.')) as readonly JsonObject[];
    expect(made?.['spec']).toEqual({ resources: { requests: { storage: '1536Mi' } } });
  });

  it('bring a CloneSet template of v1alpha1 to the form of v1beta1, and take a status away', () => {
    const path = 'spec.template.cloneSetTemplate.spec.updateStrategy';
    const object = { ...having(path, { type: 'InPlaceIfPossible', partition: 1 }), status: { replicas: 1 } };
    const once = filled(object);
    expect(memberAt(once, ...path.split('.'))).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { partition: 1, podUpdatePolicy: 'InPlaceIfPossible' },
    });
    expect('status' in once).toBe(false);
    expect(filled(once)).toBe(once);
  });
});
