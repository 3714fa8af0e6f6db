import { describe, expect, it } from '@jest/globals';
import { formatFieldErrors } from '@kruise/objects';
import fc from 'fast-check';
import { setMember } from './set-member.testing.ts';
import { defaultSidecarSet } from './defaults.ts';
import { validateSidecarSet, validateSidecarSetStrictly, validateSidecarSetUpdate } from './validation.ts';
import type { Members } from '../../conversion/converter.ts';

const hot = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' };
const given = {
  metadata: { name: 'set-1', annotations: {}, labels: {} },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    containers: [
      { name: 'a', image: 'a:1', volumeMounts: [{ name: 'v', mountPath: '/v' }] },
      { name: 'hot', image: 'hot:1', upgradeStrategy: hot },
    ],
    initContainers: [{ name: 'i', image: 'i:1' }],
    volumes: [{ name: 'v', emptyDir: {} }],
  },
};
const valid = defaultSidecarSet(given);

/** The valid object with members set, by path such as `spec.containers.0.image`; undefined removes. */
const withValues = (values: Readonly<Record<string, unknown>>): Members =>
  Object.entries(values).reduce<Members>((object, [path, value]) => setMember(object, path, value), valid);
const faultsOf = (object: Members): string =>
  formatFieldErrors([...validateSidecarSet(object, { allowPrivileged: false }), ...validateSidecarSetStrictly(object, undefined)]);

const canary = { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': 'base' };
const expression = (text: string, over: object = {}) => ({
  targetContainersMode: 'sum',
  resourcesExpr: { limits: { cpu: text } },
  ...over,
});

describe('a SidecarSet', () => {
  it('that is valid has no faults, with its defaults or without', () => {
    expect(faultsOf(valid)).toBe('');
    expect(faultsOf(given)).toBe('');
  });

  it.each<{ name: string; values: Readonly<Record<string, unknown>>; then: string }>([
    {
      name: 'name with a dot',
      values: { 'metadata.name': 'a.b' },
      then: 'metadata.name: Invalid value: "a.b": must consist of alphanumeric characters or \'-\'',
    },
    { name: 'name of 64 characters', values: { 'metadata.name': 'a'.repeat(64) }, then: 'must be no more than 63 characters' },
    { name: 'no name', values: { 'metadata.name': '' }, then: 'metadata.name: Invalid value' },
    {
      name: 'generated name',
      values: { 'metadata.name': '', 'metadata.generateName': 'a.' },
      then: 'metadata.generateName: Invalid value',
    },
    {
      name: 'canary of itself',
      values: { 'metadata.annotations': canary, 'metadata.name': 'base', 'spec.updateStrategy.type': 'NotUpdate' },
      then: 'base sidecarSet cannot be itself',
    },
    {
      name: 'canary that updates',
      values: { 'metadata.annotations': canary },
      then: 'RollingUpdate is not supported for canary sidecarSet',
    },
    {
      name: 'native sidecar that would be updated',
      values: { 'spec.initContainers.0.restartPolicy': 'Always' },
      then: 'spec.updateStrategy: Required value: The initContainer in-place upgrade is not currently supported.',
    },
    {
      name: 'no selector',
      values: { 'spec.selector': undefined },
      then: 'spec.selector: Required value: no selector defined for SidecarSet',
    },
    { name: 'empty selector', values: { 'spec.selector': {} }, then: 'empty selector is not valid for sidecarset.' },
    {
      name: 'illegal selector',
      values: { 'spec.selector': { matchLabels: { 'a b': 'c' } } },
      then: 'spec.selector.matchLabels: Invalid value',
    },
    {
      name: 'empty namespaceSelector',
      values: { 'spec.namespaceSelector': {} },
      then: 'spec.namespaceSelector: Invalid value: {}: empty selector is not valid for sidecarset.',
    },
    {
      name: 'revision without names',
      values: { 'spec.injectionStrategy': { revision: { policy: 'Partial' } } },
      then: 'revisionName and customVersion cannot be empty simultaneously',
    },
    {
      name: 'unknown policy',
      values: { 'spec.injectionStrategy': { revision: { revisionName: 'x', policy: 'partial' } } },
      then: 'Invalid policy; supported values: "Always", "Partial"; did you mean "Partial"?',
    },
    {
      name: 'partition with selector',
      values: { 'spec.updateStrategy.partition': 1, 'spec.updateStrategy.selector': { matchLabels: { a: 'b' } } },
      then: 'Partition and Selector cannot be used together',
    },
    {
      name: 'percent partition with selector',
      values: { 'spec.updateStrategy.partition': '0%', 'spec.updateStrategy.selector': { matchLabels: { a: 'b' } } },
      then: 'Partition and Selector cannot be used together',
    },
    { name: 'empty update selector', values: { 'spec.updateStrategy.selector': {} }, then: 'spec.updateStrategy.selector: Invalid value' },
    {
      name: 'negative partition',
      values: { 'spec.updateStrategy.partition': -1 },
      then: 'spec.updateStrategy.partition: Invalid value: -1: must be greater than or equal to 0',
    },
    {
      name: 'fractional percent',
      values: { 'spec.updateStrategy.maxUnavailable': '1.5%' },
      then: 'spec.updateStrategy.maxUnavailable: Invalid value',
    },
    {
      name: 'no containers at all',
      values: { 'spec.containers': [], 'spec.initContainers': undefined },
      then: 'spec: Required value: no initContainer or container defined for SidecarSet',
    },
    {
      name: 'unknown inject policy',
      values: { 'spec.containers.0.podInjectPolicy': 'BeforeAppContainers' },
      then: 'spec.containers[0].podInjectPolicy: Invalid value: "BeforeAppContainers": unsupported pod inject policy; supported values: "BeforeAppContainer", "AfterAppContainer"; did you mean "BeforeAppContainer"?',
    },
    { name: 'unknown share policy', values: { 'spec.containers.0.shareVolumePolicy.type': 'on' }, then: 'unsupported share volume policy' },
    {
      name: 'transferred name',
      values: {
        'spec.containers.0.transferEnv': [
          { envName: 'A', sourceContainerNameFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        ],
      },
      then: 'spec.containers[0].transferEnv[0].sourceContainerNameFrom.fieldRef.fieldPath: Invalid value: "metadata.name": unsupported field path',
    },
    {
      name: 'illegal key',
      values: { 'spec.containers.0.transferEnv': [{ sourceContainerNameFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } }] },
      then: 'fieldRef.fieldPath: Invalid value',
    },
    {
      name: 'other apiVersion',
      values: {
        'spec.containers.0.transferEnv': [
          { sourceContainerNameFrom: { fieldRef: { apiVersion: 'v2', fieldPath: "metadata.labels['a']" } } },
        ],
      },
      then: 'fieldRef.apiVersion: Invalid value: "v2": must be v1',
    },
    {
      name: 'policy of a plain init container',
      values: { 'spec.initContainers.0.resourcesPolicy': expression('cpu') },
      then: 'resourcesPolicy is only supported for containers with RestartPolicy Always',
    },
    {
      name: 'policy beside resources',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu+'), 'spec.containers.0.resources': { limits: { cpu: '1' } } },
      then: 'resourcesPolicy and resources cannot be configured together',
    },
    {
      name: 'empty regex',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu', { targetContainersNameRegex: '' }) },
      then: 'Required value: invalid empty regex',
    },
    {
      name: 'broken regex',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu', { targetContainersNameRegex: '(' }) },
      then: 'invalid regex pattern',
    },
    {
      name: 'no expressions',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu', { resourcesExpr: {} }) },
      then: 'at least one of limits or requests must be configured',
    },
    {
      name: 'broken expression',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu+') },
      then: 'spec.containers[0].resourcesPolicy.resourcesExpr.limits.cpu: Invalid value: "cpu+": invalid expression: parse error: syntax error at line 1, col 5',
    },
    { name: 'other variable', values: { 'spec.containers.0.resourcesPolicy': expression('memory') }, then: 'undefined variable: memory' },
    {
      name: 'restart policy of a container',
      values: { 'spec.containers.0.restartPolicy': 'Always' },
      then: 'spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers',
    },
    {
      name: 'restart policy of an init container',
      values: { 'spec.initContainers.0.restartPolicy': 'Never' },
      then: 'spec.initContainers[0].restartPolicy: Unsupported value: "Never": supported values: "Always"',
    },
    {
      name: 'custom version that no revision could be labelled with',
      values: { 'spec.customVersion': 'v 1' },
      then: 'spec.customVersion: Invalid value: "v 1": a valid label must be',
    },
    { name: 'equal container names', values: { 'spec.initContainers.0.name': 'a' }, then: 'Duplicate value: "a"' },
    { name: 'container without image', values: { 'spec.containers.0.image': '' }, then: 'spec.containers[0].image: Required value' },
    { name: 'mount of no volume', values: { 'spec.volumes': [] }, then: 'spec.containers[0].volumeMounts[0].name: Not found' },
    {
      name: 'privileged where it is not allowed',
      values: { 'spec.containers.0.securityContext': { privileged: true } },
      then: 'securityContext.privileged',
    },
    {
      name: 'patch without annotations',
      values: { 'spec.patchPodMetadata': [{ patchPolicy: 'Retain' }] },
      then: 'spec.patchPodMetadata: Required value: no annotations defined for SidecarSet',
    },
    {
      name: 'patch without policy',
      values: { 'spec.patchPodMetadata': [{ annotations: { a: 'b' } }] },
      then: 'no patchPolicy defined for patchPodMetadata',
    },
    {
      name: 'illegal annotation',
      values: { 'spec.patchPodMetadata': [{ annotations: { 'a b': 'c' }, patchPolicy: 'Retain' }] },
      then: 'spec.patchPodMetadata[0].annotations: Invalid value: "a b"',
    },
    {
      name: 'annotation twice',
      values: {
        'spec.patchPodMetadata': [
          { annotations: { a: 'b' }, patchPolicy: 'Retain' },
          { annotations: { a: 'c' }, patchPolicy: 'Retain' },
        ],
      },
      then: 'patch annotation[a] already exist',
    },
    { name: 'no spec', values: { spec: null }, then: 'spec: Required value' },
  ])('is refused for $name', ({ values, then }) => {
    expect(faultsOf(withValues(values))).toContain(then);
  });

  it.each<{ name: string; values: Readonly<Record<string, unknown>> }>([
    { name: 'a canary that does not update', values: { 'metadata.annotations': canary, 'spec.updateStrategy.type': 'NotUpdate' } },
    {
      name: 'native sidecars in a set that does not update',
      values: { 'spec.initContainers.0.restartPolicy': 'Always', 'spec.updateStrategy.type': 'NotUpdate' },
    },
    { name: 'init containers alone', values: { 'spec.containers': [], 'spec.volumes': [] } },
    { name: 'more than 100 percent', values: { 'spec.updateStrategy.maxUnavailable': '150%' } },
    { name: 'a generated name', values: { 'metadata.name': '', 'metadata.generateName': 'set-' } },
    { name: 'an expression that may be negative', values: { 'spec.containers.0.resourcesPolicy': expression('cpu - 2') } },
    {
      name: 'a native sidecar with a policy',
      values: {
        'spec.initContainers.0': { name: 'i', image: 'i:1', restartPolicy: 'Always', resourcesPolicy: expression('cpu/2') },
        'spec.updateStrategy.type': 'NotUpdate',
      },
    },
    {
      name: 'a partition and selector that are not used',
      values: { 'spec.updateStrategy': { type: 'NotUpdate', partition: 1, selector: {} } },
    },
  ])('may have $name', ({ values }) => {
    expect(faultsOf(withValues(values))).toBe('');
  });

  it('is told every fault at once', () => {
    const faults = faultsOf(
      withValues({ 'metadata.name': 'a.b', 'spec.selector': {}, 'spec.containers.0.image': '', 'spec.updateStrategy.partition': -1 }),
    );
    for (const path of ['metadata.name', 'spec.selector', 'spec.containers[0].image', 'spec.updateStrategy.partition'])
      expect(faults).toContain(path);
  });

  it('of any shape never makes a check throw', () => {
    const anything = fc.oneof(fc.constant(null), fc.integer(), fc.string(), fc.array(fc.constant(null)), fc.jsonValue({ maxDepth: 3 }));
    const path = fc.constantFrom(
      'metadata',
      'spec',
      'spec.selector',
      'spec.containers',
      'spec.containers.0',
      'spec.containers.0.transferEnv',
      'spec.containers.0.resourcesPolicy',
      'spec.volumes',
      'spec.patchPodMetadata',
      'spec.updateStrategy',
      'spec.injectionStrategy.revision',
      'spec.initContainers',
    );
    fc.assert(
      fc.property(path, anything, (at, value) => {
        const object = withValues({ [at]: value });
        expect(Array.isArray(validateSidecarSet(defaultSidecarSet(object), { allowPrivileged: true }))).toBe(true);
        expect(Array.isArray(validateSidecarSetUpdate(object, valid))).toBe(true);
        expect(Array.isArray(validateSidecarSetStrictly(valid, object))).toBe(true);
      }),
    );
  });
});

describe('an update of a SidecarSet', () => {
  const faults = (object: Members, oldObject: Members = valid): string => formatFieldErrors(validateSidecarSetUpdate(object, oldObject));

  it.each<{ name: string; values: Readonly<Record<string, unknown>>; then: string }>([
    { name: 'a container that is new', values: { 'spec.containers.0.name': 'b' }, then: 'container b is not found' },
    {
      name: 'another upgrade type',
      values: { 'spec.containers.0.upgradeStrategy.upgradeType': 'HotUpgrade' },
      then: 'spec.containers.upgradeStrategy.upgradeType: Invalid value: "HotUpgrade": container a upgradeType is immutable',
    },
    { name: 'another base', values: { 'metadata.annotations': canary }, then: 'annotations[apps.kruise.io/sidecarset-base] is immutable' },
  ])('is refused for $name', ({ values, then }) => {
    expect(faults(withValues(values))).toContain(then);
  });

  it('may remove containers, change images, and do with init containers what it likes', () => {
    expect(faults(withValues({ 'spec.containers': [{ name: 'a', image: 'a:2' }], 'spec.initContainers.0.name': 'new' }))).toBe('');
    expect(faults(withValues({ 'metadata.annotations': canary }), withValues({ 'metadata.annotations': canary }))).toBe('');
  });
});

describe('a hot upgrade', () => {
  const strict = (values: Readonly<Record<string, unknown>>, old?: Members): string =>
    formatFieldErrors(validateSidecarSetStrictly(withValues(values), old));
  const path = 'spec.containers.1.upgradeStrategy.hotUpgradeEmptyImage';

  it('needs an empty image, another than its own, and room in its name', () => {
    expect(strict({})).toBe('');
    expect(strict({ [path]: '' })).toContain('spec.containers[1].upgradeStrategy.hotUpgradeEmptyImage: Required value');
    expect(strict({ [path]: 'hot:1' })).toContain('must be another image');
    expect(strict({ 'spec.containers.1.name': 'n'.repeat(62) })).toContain('no more than 61 characters');
  });

  it('that is stored already may be written again', () => {
    expect(strict({ [path]: '' }, withValues({ [path]: '' }))).toBe('');
    expect(strict({ [path]: '' }, valid)).not.toBe('');
  });

  it('and so may an expression that always fails', () => {
    const values = { 'spec.containers.0.resourcesPolicy': expression('cpu*cpu') };
    expect(strict(values, valid)).toContain('multiplication of two quantities');
    expect(strict(values, withValues(values))).toBe('');
  });
});
