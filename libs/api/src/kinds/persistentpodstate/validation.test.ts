import { describe, expect, it } from '@jest/globals';
import { formatFieldErrors, type JsonObject } from '@kruise/objects';
import { validatePersistentPodState } from './validation.ts';
import { persistentPodStateWarnings } from './warnings.ts';

const target = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' };
const stateOf = (spec: object, name = 'mine'): JsonObject => ({ metadata: { name }, spec: { targetRef: target, ...spec } });
const required = { requiredPersistentTopology: { keys: ['zone'] } };
const preferred = { preferredPersistentTopology: [{ weight: 1, preference: { keys: ['zone'] } }] };
const faultsOf = (object: JsonObject, oldObject?: JsonObject, others: readonly JsonObject[] = []): string => {
  const supported = ({ group, kind }: { readonly group: string; readonly kind: string }): boolean =>
    group === 'apps' && kind === 'StatefulSet';
  return formatFieldErrors(validatePersistentPodState(object, { supported, oldObject, others }));
};

describe('a PersistentPodState', () => {
  it.each<{ name: string; object: JsonObject; old?: JsonObject; others?: readonly JsonObject[]; faults: readonly string[] }>([
    { name: 'needs required topology', object: stateOf(required), faults: [] },
    { name: 'or preferred topology', object: stateOf(preferred), faults: [] },
    {
      name: 'is refused without either',
      object: stateOf({ preferredPersistentTopology: [] }),
      faults: [
        'spec: Invalid value: {"preferredPersistentTopology":[],"targetRef":{"apiVersion":"apps/v1","kind":"StatefulSet","name":"db"}}: ' +
          'at least one of requiredPersistentTopology and preferredPersistentTopology must be given',
      ],
    },
    {
      name: 'is refused with required topology of null',
      object: stateOf({ requiredPersistentTopology: null }),
      faults: ['at least one of'],
    },
    {
      name: 'is refused for a kind that does not number its Pods',
      object: stateOf({ ...required, targetRef: { ...target, kind: 'Deployment' } }),
      faults: ['spec.targetRef: Invalid value: {"apiVersion":"apps/v1","kind":"Deployment","name":"db"}: must be a StatefulSet'],
    },
    {
      name: 'has both faults when it names nothing',
      object: stateOf({ ...required, targetRef: { apiVersion: '', kind: '', name: '' } }),
      faults: ['apiVersion, kind, name must not be empty', 'white list'],
    },
    { name: 'keeps what it is for', object: stateOf(required), old: stateOf(preferred), faults: [] },
    {
      name: 'cannot be for another workload later, nor for another version of it',
      object: stateOf(required),
      old: stateOf({ ...required, targetRef: { ...target, apiVersion: 'apps/v1beta1' } }),
      faults: ['spec.targetRef: Forbidden: targetRef is immutable'],
    },
    {
      name: 'is the only one of its workload, in any version of the group',
      object: stateOf(required),
      others: [stateOf({ targetRef: { ...target, apiVersion: 'apps/v1beta2' } }, 'other')],
      faults: ['{"apiVersion":"apps/v1","kind":"StatefulSet","name":"db"}: is in conflict with PersistentPodState other'],
    },
    { name: 'is not in conflict with itself', object: stateOf(required), others: [stateOf(required)], faults: [] },
    {
      name: 'is not in conflict with those of other groups, kinds and names',
      object: stateOf(required),
      others: [{ apiVersion: 'apps.kruise.io/v1' }, { kind: 'Other' }, { name: 'other' }].map((other) =>
        stateOf({ targetRef: { ...target, ...other } }, 'other'),
      ),
      faults: [],
    },
  ])('$name', ({ object, old, others, faults }) => {
    const text = faultsOf(object, old, others);
    expect(faults.filter((fault) => !text.includes(fault))).toEqual([]);
    expect(text === '').toBe(faults.length === 0);
  });

  it.each([{}, { spec: null }, { metadata: {}, spec: { targetRef: 7, preferredPersistentTopology: 'x' } }])(
    'of any shape is validated without an error: %j',
    (object) => {
      expect(faultsOf(object as JsonObject)).toContain('spec.targetRef: Invalid value');
      expect(persistentPodStateWarnings(object as JsonObject)).toEqual([]);
    },
  );
});

describe('warnings', () => {
  it('are for weights that no scheduler takes, keys that nothing has, and unknown policies', () => {
    const object = stateOf({
      requiredPersistentTopology: { keys: ['zone', 'a b'] },
      preferredPersistentTopology: [0, 1, 100, 101].map((weight) => ({ weight, preference: { keys: ['-'] } })),
      persistentPodAnnotations: [{ key: 'good' }, { key: 'a/b/c' }],
      persistentPodStateRetentionPolicy: 'Never',
    });
    const paths = persistentPodStateWarnings(object).map((text) => text.slice(0, text.indexOf(': ')));
    const terms = [0, 1, 2, 3].map((index) => `spec.preferredPersistentTopology[${index}]`);
    expect(paths).toEqual([
      'spec.requiredPersistentTopology.keys[1]',
      ...terms.flatMap((term, index) => [...(index === 0 || index === 3 ? [`${term}.weight`] : []), `${term}.preference.keys[0]`]),
      'spec.persistentPodAnnotations[1]',
      'spec.persistentPodStateRetentionPolicy',
    ]);
  });

  it('name the value, what does not have it, and the effect', () => {
    const object = stateOf({
      requiredPersistentTopology: { keys: ['a b', 7] },
      preferredPersistentTopology: [{ weight: 0, preference: { keys: ['-'] } }, { weight: '0' }],
      persistentPodAnnotations: [{ key: 'a/b/c' }],
      persistentPodStateRetentionPolicy: 'Never',
    });
    const warnings = persistentPodStateWarnings(object);
    expect(warnings).toEqual([
      expect.stringMatching(/^spec\.requiredPersistentTopology\.keys\[0\]: no node label has the key "a b": name part must consist of /),
      'spec.preferredPersistentTopology[0].weight: 0 is not from 1 to 100, so that the term has no effect',
      expect.stringContaining('[0].preference.keys[0]: no node label has the key "-": '),
      expect.stringContaining('spec.persistentPodAnnotations[0]: no annotation has the key "a/b/c": '),
      'spec.persistentPodStateRetentionPolicy: "Never" is taken for WhenScaled; known are WhenScaled, WhenDeleted',
    ]);
  });

  it('are none for what can be meant', () => {
    const policies = ['', 'WhenScaled', 'WhenDeleted'];
    expect(
      policies.flatMap((policy) => persistentPodStateWarnings(stateOf({ ...preferred, persistentPodStateRetentionPolicy: policy }))),
    ).toEqual([]);
  });
});
