/** Rules 1 to 4 and 6 to 8. @see spec/resourcedistribution.md 4 */
import { describe, expect, it } from '@jest/globals';
import { formatFieldErrors, type JsonObject } from '@kruise/objects';
import { readDistributedResource, resourceNameFaults } from './resource.ts';
import { validateDistributedResource, validateDistributionName, validateTargets } from './validation.ts';
import { resourceDistributionWarnings } from './warnings.ts';

const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '1' } };
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'hunter2' } };
const of = (resource: unknown, targets: unknown = { allNamespaces: true }): JsonObject => ({
  metadata: { name: 'd' },
  spec: { resource, targets },
});
const identity = (kind: string, name = 'c', apiVersion = 'v1'): string =>
  `{"apiVersion":"${apiVersion}","kind":"${kind}","name":"${name}"}`;
const onlySupports = 'unknown or unsupported resource GroupKind, only support [Secret ConfigMap]';
const immutable = 'resource apiVersion, kind, and name are immutable';

describe('the resource', () => {
  it.each<{ name: string; resource: unknown; old?: unknown; faults: string }>([
    { name: 'a ConfigMap', resource: config, faults: '' },
    { name: 'a Secret', resource: secret, faults: '' },
    { name: 'any version of the core group', resource: { ...config, apiVersion: 'v7' }, faults: '' },
    { name: 'nothing', resource: undefined, faults: 'spec.resource: Invalid value: {}: empty resource is not allowed' },
    { name: 'null', resource: null, faults: 'spec.resource: Invalid value: {}: empty resource is not allowed' },
    { name: 'an empty object', resource: {}, faults: 'spec.resource: Invalid value: {}: empty resource is not allowed' },
    {
      name: 'no kind',
      resource: { apiVersion: 'v1', metadata: {} },
      faults: "spec.resource: Internal error: failed to deserialize resource, Object 'Kind' is missing",
    },
    {
      name: 'no version',
      resource: { kind: 'Secret', metadata: {} },
      faults: "spec.resource: Internal error: failed to deserialize resource, Object 'apiVersion' is missing",
    },
    { name: 'a text', resource: 'Secret', faults: 'spec.resource: Internal error: failed to deserialize resource, it is not an object' },
    {
      name: 'metadata that are none',
      resource: { ...config, metadata: [] },
      faults: 'spec.resource: Internal error: failed to deserialize resource, metadata must be an object',
    },
    {
      name: 'a Service (11)',
      resource: { ...config, kind: 'Service' },
      faults: `spec.resource: Invalid value: ${identity('Service')}: ${onlySupports}`,
    },
    {
      name: 'a mistyped kind',
      resource: { ...config, kind: 'Configmap' },
      faults: `spec.resource: Invalid value: ${identity('Configmap')}: ${onlySupports}; did you mean ConfigMap?`,
    },
    {
      name: 'a ConfigMap of another group',
      resource: { ...config, apiVersion: 'example.org/v1' },
      faults: `spec.resource: Invalid value: ${identity('ConfigMap', 'c', 'example.org/v1')}: ${onlySupports}`,
    },
    {
      name: 'no name, which generateName does not replace',
      resource: { ...config, metadata: { generateName: 'c-' } },
      faults: 'spec.resource: Invalid value: {"apiVersion":"v1","kind":"ConfigMap"}: metadata.name must be given',
    },
    {
      name: 'an empty name',
      resource: { ...config, metadata: { name: '' } },
      faults: `spec.resource: Invalid value: ${identity('ConfigMap', '')}: metadata.name must be given`,
    },
    {
      name: 'what an API server gave to another object',
      resource: { ...config, metadata: { name: 'c', uid: 'u', resourceVersion: '7' } },
      faults: `[spec.resource: Invalid value: ${identity('ConfigMap')}: spec.resource is invalid: metadata.uid must not be set, spec.resource: Invalid value: ${identity('ConfigMap')}: spec.resource is invalid: metadata.resourceVersion must not be set]`,
    },
    {
      name: 'the same where it is stored already',
      resource: { ...config, metadata: { name: 'c', uid: 'u' } },
      old: { ...config, metadata: { name: 'c', uid: 'u' } },
      faults: '',
    },
    { name: 'other data', resource: { ...config, data: { b: '2' } }, old: config, faults: '' },
    {
      name: 'another name (10)',
      resource: { ...config, metadata: { name: 'd' } },
      old: config,
      faults: `spec.resource: Invalid value: ${identity('ConfigMap', 'd')}: ${immutable}`,
    },
    {
      name: 'another kind (10)',
      resource: { ...secret, metadata: { name: 'c' } },
      old: config,
      faults: `spec.resource: Invalid value: ${identity('Secret')}: ${immutable}`,
    },
    {
      name: 'another version (10)',
      resource: { ...config, apiVersion: 'v2' },
      old: config,
      faults: `spec.resource: Invalid value: ${identity('ConfigMap', 'c', 'v2')}: ${immutable}`,
    },
    {
      name: 'two faults at a time',
      resource: { ...config, kind: 'Pod' },
      old: config,
      faults: `[spec.resource: Invalid value: ${identity('Pod')}: ${onlySupports}, spec.resource: Invalid value: ${identity('Pod')}: ${immutable}]`,
    },
  ])('$name', ({ resource, old, faults }) => {
    expect(formatFieldErrors(validateDistributedResource(of(resource), old === undefined ? undefined : of(old)))).toBe(faults);
  });

  it('is never printed: it may be a Secret', () => {
    const bad = [
      { ...secret, kind: 'Secrets' },
      { ...secret, metadata: { name: 'other' } },
      { ...secret, metadata: {} },
    ];
    for (const resource of bad) {
      const text = formatFieldErrors(validateDistributedResource(of(resource), of(secret)));
      expect(text).not.toContain('hunter2');
      expect(text).not.toBe('');
    }
  });

  it('is read with kind and version', () => {
    expect(readDistributedResource(secret)).toEqual({ kind: 'Read', resource: secret, of: 'Secret', version: 'v1' });
  });

  it.each([
    { name: 'c', faults: 0 },
    { name: 'a.b-c', faults: 0 },
    { name: 'BADNAME', faults: 1 },
    { name: 'a/b', faults: 1 },
    { name: '', faults: 1 },
    { name: undefined, faults: 1 },
    { name: 7, faults: 1 },
  ])('has a name that objects may have, or not: $name', ({ name, faults }) => {
    expect(resourceNameFaults({ metadata: { name } as never })).toHaveLength(faults);
  });
});

describe('the name of the object', () => {
  it.each(['a.b', undefined])('may be %s', (name) => {
    expect(validateDistributionName({ metadata: { name } })).toEqual([]);
  });

  it('must be a DNS subdomain', () => {
    expect(formatFieldErrors(validateDistributionName({ metadata: { name: 'A' } }))).toMatch(
      /^metadata\.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of /,
    );
  });
});

describe('the targets', () => {
  const list = (...names: readonly unknown[]): object => ({ list: names.map((name) => ({ name })) });
  const faultsOf = (targets: unknown): readonly string[] =>
    validateTargets(of(config, targets)).map(({ field, value, detail }) => `${field} ${JSON.stringify(value)} ${detail.slice(0, 60)}`);

  it.each<{ name: string; targets: unknown; faults: readonly string[] }>([
    { name: 'none', targets: {}, faults: [] },
    { name: 'names that differ', targets: { includedNamespaces: list('a'), excludedNamespaces: list('b') }, faults: [] },
    {
      name: 'lists that are empty',
      targets: { includedNamespaces: {}, excludedNamespaces: { list: [] }, namespaceSelector: {} },
      faults: [],
    },
    { name: 'a selector of null', targets: { namespaceSelector: null }, faults: [] },
    {
      name: 'names that are none, in both lists',
      targets: { includedNamespaces: list('A', 'a'), excludedNamespaces: list('', 7) },
      faults: [
        'spec.targets.includedNamespaces "A" a lowercase RFC 1123 label must consist of lower case alphan',
        'spec.targets.excludedNamespaces "" a lowercase RFC 1123 label must consist of lower case alphan',
        'spec.targets.excludedNamespaces "" a lowercase RFC 1123 label must consist of lower case alphan',
      ],
    },
    {
      name: 'the same name in both lists (12)',
      targets: { includedNamespaces: list('a', 'b', 'a', 'c'), excludedNamespaces: list('a', 'c') },
      faults: ['spec.targets ["a","c"] ambiguous targets because namespace [a c] is in both Include'],
    },
    {
      name: 'a selector that is none',
      targets: { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
      faults: [
        'spec.targets.namespaceSelector.matchExpressions[0].operator "Is" labelSelectorAsSelector error: supported values: "DoesNotExi',
      ],
    },
    { name: 'no object', targets: 'all', faults: ['spec.targets "all" must be an object'] },
    { name: 'nothing', targets: null, faults: ['spec.targets null must be an object'] },
    {
      name: 'every fault at once',
      targets: { includedNamespaces: list('A'), excludedNamespaces: list('A'), namespaceSelector: { matchLabels: { 'a b': 'c' } } },
      faults: [
        expect.stringMatching(/^spec.targets.includedNamespaces/),
        expect.stringMatching(/^spec.targets.excludedNamespaces/),
        expect.stringMatching(/^spec.targets \["A"\]/),
        expect.stringMatching(/^spec.targets.namespaceSelector/),
      ] as never,
    },
  ])('$name', ({ targets, faults }) => {
    expect(faultsOf(targets)).toEqual(faults);
  });
});

describe('what cannot be meant is warned of', () => {
  it.each<{ name: string; object: JsonObject; warnings: readonly string[] }>([
    { name: 'nothing', object: of(config), warnings: [] },
    {
      name: 'nothing about an empty selector beside names',
      object: of(config, { includedNamespaces: { list: [{ name: 'a' }] }, namespaceSelector: {} }),
      warnings: [],
    },
    {
      name: 'targets that select nothing',
      object: of(config, { namespaceSelector: {}, includedNamespaces: { list: [] } }),
      warnings: ['spec.targets: selects no namespace; name some, select some by labels, or set allNamespaces'],
    },
    {
      name: 'a selection that allNamespaces makes useless',
      object: of(config, { allNamespaces: true, namespaceSelector: { matchLabels: { a: 'b' } } }),
      warnings: ['spec.targets: with allNamespaces, includedNamespaces and namespaceSelector have no effect'],
    },
    {
      name: 'namespaces that never get anything (8)',
      object: of(config, { includedNamespaces: { list: [{ name: 'kube-system' }, { name: 'a' }] } }),
      warnings: ['spec.targets.includedNamespaces: kube-system never gets anything'],
    },
    {
      name: 'a namespace of the resource (15)',
      object: of({ ...config, metadata: { name: 'c', namespace: 'x' } }),
      warnings: ['spec.resource.metadata.namespace: has no effect; spec.targets says where copies go'],
    },
    {
      name: 'a token of a service account',
      object: of({ ...secret, type: 'kubernetes.io/service-account-token' }),
      warnings: ['spec.resource.type: Kubernetes creates a separate token for each copy if the service account exists'],
    },
    {
      name: 'an object of any shape',
      object: { spec: { resource: 1, targets: { includedNamespaces: { list: [null, 1] } } } },
      warnings: ['spec.targets: selects no namespace; name some, select some by labels, or set allNamespaces'],
    },
  ])('$name', ({ object, warnings }) => {
    expect(resourceDistributionWarnings(object)).toEqual(warnings);
  });
});
