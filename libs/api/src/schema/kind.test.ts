import { describe, expect, it } from '@jest/globals';
import { object } from './builder.ts';
import { admissionPaths, namesOf, objectSchema, resourceTypeOf, servedPaths, webhookName, type AdmissionDeclaration } from './kind.ts';
import type { KindDeclaration, VersionDeclaration } from './kind.ts';

const version: VersionDeclaration = {
  name: 'v1beta1',
  storage: true,
  columns: [],
  spec: object('What is wanted.', {}),
  status: object('What is there.', {}),
};

const aKind = (admission?: AdmissionDeclaration): KindDeclaration => ({
  group: 'policy.kruise.io',
  kind: 'Thing',
  plural: 'things',
  singular: 'thing',
  shortNames: [],
  namespaced: false,
  description: 'A thing for the test.',
  controllerName: 'thing-controller',
  conversion: 'None',
  versions: [version],
  ...(admission === undefined ? {} : { admission }),
});

const plain = { mutate: '/mutate-policy-kruise-io-thing', validate: '/validate-policy-kruise-io-thing' };
const versioned = { mutate: '/mutate-policy-kruise-io-v1alpha1-thing', validate: '/validate-policy-kruise-io-v1alpha1-thing' };

describe('the webhooks of a kind', () => {
  it.each(['mutate', 'validate'] as const)('are asked to %s under a path without version, and with one', (verb) => {
    expect(admissionPaths(aKind({}), verb)).toEqual([plain[verb], versioned[verb]]);
    expect(admissionPaths(aKind(), verb)).toEqual([plain[verb], versioned[verb]]);
  });

  it.each(['mutate', 'validate'] as const)('are asked to %s with the version first, where it is declared', (verb) => {
    expect(admissionPaths(aKind({ pathVersion: 'v1alpha1' }), verb)).toEqual([versioned[verb], plain[verb]]);
  });

  it('have the singular name of the kind, or the declared one', () => {
    expect(webhookName(aKind(), 'mutate')).toBe('mthing.kb.io');
    expect(webhookName(aKind({ webhookName: 'things' }), 'validate')).toBe('vthings.kb.io');
  });

  it.each<{ name: string; admission: AdmissionDeclaration | undefined; paths: readonly string[] }>([
    { name: 'nothing', admission: undefined, paths: [] },
    { name: 'neither', admission: {}, paths: [] },
    { name: 'defaults', admission: { mutates: ['CREATE'] }, paths: [plain.mutate, versioned.mutate] },
    { name: 'checks', admission: { validates: ['UPDATE'] }, paths: [plain.validate, versioned.validate] },
    {
      name: 'both, defaults first',
      admission: { mutates: ['CREATE'], validates: ['CREATE'], pathVersion: 'v1alpha1' },
      paths: [versioned.mutate, plain.mutate, versioned.validate, plain.validate],
    },
  ])('are served for $name', ({ admission, paths }) => {
    expect(servedPaths(aKind(admission))).toEqual(paths);
  });
});

describe('a kind', () => {
  it('is named in lower case in paths, in the singular and in the plural', () => {
    expect(namesOf('CloneSet')).toEqual({ kind: 'CloneSet', plural: 'clonesets', singular: 'cloneset' });
  });

  it('is addressed in one version', () => {
    expect(resourceTypeOf(aKind(), 'v1beta1')).toEqual({
      group: 'policy.kruise.io',
      version: 'v1beta1',
      kind: 'Thing',
      plural: 'things',
      namespaced: false,
    });
  });

  it('requires at the top what its version says', () => {
    expect(objectSchema(aKind(), version)).not.toHaveProperty('required');
    expect(objectSchema(aKind(), { ...version, required: ['spec'] })).toHaveProperty('required', ['spec']);
  });
});
