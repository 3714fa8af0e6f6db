import { describe, expect, it } from '@jest/globals';
import { formatFieldErrors, type JsonObject } from '@kruise/objects';
import fc from 'fast-check';
import { setMember } from './set-member.testing.ts';
import { defaultSidecarSet } from './defaults.ts';
import { validateSidecarSet, validateSidecarSetStrictly, validateSidecarSetUpdate } from './validation.ts';

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

/** Returns the valid object with members set, by path such as `spec.containers.0.image`; undefined removes. */
const withValues = (values: Readonly<Record<string, unknown>>): JsonObject =>
  Object.entries(values).reduce<JsonObject>((object, [path, value]) => setMember(object, path, value), valid);
const faultsOf = (object: JsonObject): string =>
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
    {
      name: 'name of 64 characters',
      values: { 'metadata.name': 'a'.repeat(64) },
      then: 'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 63 characters',
    },
    {
      name: 'no name',
      values: { 'metadata.name': '' },
      then: `metadata.name: Invalid value: "": must consist of alphanumeric characters or '-'`,
    },
    {
      name: 'generated name',
      values: { 'metadata.name': '', 'metadata.generateName': 'a.' },
      then: `metadata.generateName: Invalid value: "a.": must consist of alphanumeric characters or '-'`,
    },
    {
      name: 'name, beside a generateName',
      values: { 'metadata.name': 'a.b', 'metadata.generateName': 'a' },
      then: 'metadata.name: Invalid value: "a.b": must consist of alphanumeric characters or \'-\'',
    },
    {
      name: 'canary of itself',
      values: { 'metadata.annotations': canary, 'metadata.name': 'base', 'spec.updateStrategy.type': 'NotUpdate' },
      then: 'metadata: Invalid value: "base": base sidecarSet cannot be itself',
    },
    {
      name: 'canary that updates',
      values: { 'metadata.annotations': canary },
      then: 'spec.updateStrategy: Forbidden: RollingUpdate is not supported for canary sidecarSet',
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
    {
      name: 'empty selector',
      values: { 'spec.selector': {} },
      then: 'spec.selector: Invalid value: {}: empty selector is not valid for sidecarset.',
    },
    {
      name: 'illegal selector',
      values: { 'spec.selector': { matchLabels: { 'a b': 'c' } } },
      then: `spec.selector.matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    },
    {
      name: 'empty namespaceSelector',
      values: { 'spec.namespaceSelector': {} },
      then: 'spec.namespaceSelector: Invalid value: {}: empty selector is not valid for sidecarset.',
    },
    {
      name: 'revision without names',
      values: { 'spec.injectionStrategy': { revision: { policy: 'Partial' } } },
      then: 'spec.injectionStrategy.revision: Required value: revisionName and customVersion cannot be empty simultaneously',
    },
    {
      name: 'unknown policy',
      values: { 'spec.injectionStrategy': { revision: { revisionName: 'x', policy: 'partial' } } },
      then: 'spec.injectionStrategy.revision.policy: Unsupported value: "partial": Invalid policy; supported values: "Always", "Partial"; did you mean "Partial"?',
    },
    {
      name: 'partition with selector',
      values: { 'spec.updateStrategy.partition': 1, 'spec.updateStrategy.selector': { matchLabels: { a: 'b' } } },
      then: 'spec.updateStrategy: Forbidden: Partition and Selector cannot be used together',
    },
    {
      name: 'percent partition with selector',
      values: { 'spec.updateStrategy.partition': '0%', 'spec.updateStrategy.selector': { matchLabels: { a: 'b' } } },
      then: 'spec.updateStrategy: Forbidden: Partition and Selector cannot be used together',
    },
    {
      name: 'empty update selector',
      values: { 'spec.updateStrategy.selector': {} },
      then: 'spec.updateStrategy.selector: Invalid value: {}: empty selector is not valid for sidecarset.',
    },
    {
      name: 'negative partition',
      values: { 'spec.updateStrategy.partition': -1 },
      then: 'spec.updateStrategy.partition: Invalid value: -1: must be greater than or equal to 0',
    },
    {
      name: 'fractional percent',
      values: { 'spec.updateStrategy.maxUnavailable': '1.5%' },
      then: 'spec.updateStrategy.maxUnavailable: Invalid value: "1.5%": must be an integer or a percentage (e.g. 1 or "20%")',
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
    {
      name: 'unknown share policy',
      values: { 'spec.containers.0.shareVolumePolicy.type': 'on' },
      then: 'spec.containers[0].shareVolumePolicy: Invalid value: "on": unsupported share volume policy; supported values: "enabled", "disabled"',
    },
    {
      name: 'transferred name',
      values: {
        'spec.containers.0.transferEnv': [
          { envName: 'A', sourceContainerNameFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        ],
      },
      then: `spec.containers[0].transferEnv[0].sourceContainerNameFrom.fieldRef.fieldPath: Invalid value: "metadata.name": unsupported field path: must be metadata.labels['<key>'] or metadata.annotations['<key>']`,
    },
    {
      name: 'illegal key',
      values: { 'spec.containers.0.transferEnv': [{ sourceContainerNameFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } }] },
      then: `spec.containers[0].transferEnv[0].sourceContainerNameFrom.fieldRef.fieldPath: Invalid value: "metadata.labels['a b']": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    },
    {
      name: 'key of a label with capitals in its prefix',
      values: {
        'spec.containers.0.transferEnv': [{ sourceContainerNameFrom: { fieldRef: { fieldPath: "metadata.labels['Example.com/A']" } } }],
      },
      then: `spec.containers[0].transferEnv[0].sourceContainerNameFrom.fieldRef.fieldPath: Invalid value: "metadata.labels['Example.com/A']": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    },
    {
      name: 'other apiVersion',
      values: {
        'spec.containers.0.transferEnv': [
          { sourceContainerNameFrom: { fieldRef: { apiVersion: 'v2', fieldPath: "metadata.labels['a']" } } },
        ],
      },
      then: 'spec.containers[0].transferEnv[0].sourceContainerNameFrom.fieldRef.apiVersion: Invalid value: "v2": must be v1',
    },
    {
      name: 'policy of a plain init container',
      values: { 'spec.initContainers.0.resourcesPolicy': expression('cpu') },
      then: 'spec.initContainers[0].resourcesPolicy: Forbidden: resourcesPolicy is only supported for containers with RestartPolicy Always',
    },
    {
      name: 'policy beside resources',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu+'), 'spec.containers.0.resources': { limits: { cpu: '1' } } },
      then: 'spec.containers[0].resourcesPolicy: Forbidden: resourcesPolicy and resources cannot be configured together',
    },
    {
      name: 'empty regex',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu', { targetContainersNameRegex: '' }) },
      then: 'spec.containers[0].resourcesPolicy.targetContainersNameRegex: Required value: invalid empty regex',
    },
    {
      name: 'broken regex',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu', { targetContainersNameRegex: '(' }) },
      then: 'spec.containers[0].resourcesPolicy.targetContainersNameRegex: Invalid value: "(": invalid regex pattern: error parsing regexp: missing closing )',
    },
    {
      name: 'no expressions',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu', { resourcesExpr: {} }) },
      then: 'spec.containers[0].resourcesPolicy.resourcesExpr: Required value: at least one of limits or requests must be configured',
    },
    {
      name: 'broken expression',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu+') },
      then: 'spec.containers[0].resourcesPolicy.resourcesExpr.limits.cpu: Invalid value: "cpu+": invalid expression: parse error: syntax error at line 1, col 5',
    },
    {
      name: 'other variable',
      values: { 'spec.containers.0.resourcesPolicy': expression('memory') },
      then: 'spec.containers[0].resourcesPolicy.resourcesExpr.limits.cpu: Invalid value: "memory": invalid expression: undefined variable: memory',
    },
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
      then: `spec.customVersion: Invalid value: "v 1": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    },
    {
      name: 'equal container names',
      values: { 'spec.initContainers.0.name': 'a' },
      then: 'spec.initContainers[0].name: Duplicate value: "a"',
    },
    { name: 'container without image', values: { 'spec.containers.0.image': '' }, then: 'spec.containers[0].image: Required value' },
    { name: 'mount of no volume', values: { 'spec.volumes': [] }, then: 'spec.containers[0].volumeMounts[0].name: Not found: "v"' },
    {
      name: 'privileged where it is not allowed',
      values: { 'spec.containers.0.securityContext': { privileged: true } },
      then: 'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
    },
    {
      name: 'patch without annotations',
      values: { 'spec.patchPodMetadata': [{ patchPolicy: 'Retain' }] },
      then: 'spec.patchPodMetadata: Required value: no annotations defined for SidecarSet',
    },
    {
      name: 'patch without policy',
      values: { 'spec.patchPodMetadata': [{ annotations: { a: 'b' } }] },
      then: 'spec.patchPodMetadata: Required value: no patchPolicy defined for patchPodMetadata',
    },
    {
      name: 'illegal annotation',
      values: { 'spec.patchPodMetadata': [{ annotations: { 'a b': 'c' }, patchPolicy: 'Retain' }] },
      then: `spec.patchPodMetadata[0].annotations: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    },
    {
      name: 'annotation twice',
      values: {
        'spec.patchPodMetadata': [
          { annotations: { a: 'b' }, patchPolicy: 'Retain' },
          { annotations: { a: 'c' }, patchPolicy: 'Retain' },
        ],
      },
      then: 'spec.patchPodMetadata: Required value: patch annotation[a] already exist',
    },
    {
      name: 'generated name of 59 characters',
      values: { 'metadata.name': null, 'metadata.generateName': 'a'.repeat(59) },
      then: 'metadata.generateName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 63 characters',
    },
    {
      name: 'name that is a number',
      values: { 'metadata.name': 5 },
      then: `metadata.name: Invalid value: "": must consist of alphanumeric characters or '-'`,
    },
    {
      name: 'neither name nor generateName',
      values: { 'metadata.name': undefined, 'metadata.generateName': '' },
      then: `metadata.name: Invalid value: "": must consist of alphanumeric characters or '-'`,
    },
    { name: 'spec that is a list', values: { spec: [] }, then: 'spec: Invalid value: []: must be an object' },
    {
      name: 'fractional partition',
      values: { 'spec.updateStrategy.partition': 1.5 },
      then: 'spec.updateStrategy.partition: Invalid value: 1.5: must be an integer or a percentage (e.g. 1 or "20%")',
    },
    {
      name: 'percent with text before',
      values: { 'spec.updateStrategy.partition': 'x1%' },
      then: 'spec.updateStrategy.partition: Invalid value: "x1%": must be an integer or a percentage (e.g. 1 or "20%")',
    },
    {
      name: 'percent with text behind',
      values: { 'spec.updateStrategy.partition': '1%x' },
      then: 'spec.updateStrategy.partition: Invalid value: "1%x": must be an integer or a percentage (e.g. 1 or "20%")',
    },
    {
      name: 'illegal update selector',
      values: { 'spec.updateStrategy.selector': { matchLabels: { 'a b': 'c' } } },
      then: `spec.updateStrategy.selector.matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    },
    {
      name: 'illegal namespaceSelector',
      values: { 'spec.namespaceSelector': { matchLabels: { 'a b': 'c' } } },
      then: `spec.namespaceSelector.matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    },
    {
      name: 'inject policy that is a number',
      values: { 'spec.containers.0.podInjectPolicy': 5 },
      then: 'spec.containers[0].podInjectPolicy: Invalid value: 5: unsupported pod inject policy; supported values: "BeforeAppContainer", "AfterAppContainer"',
    },
    {
      name: 'transfer without field path',
      values: { 'spec.containers.0.transferEnv': [{ sourceContainerNameFrom: { fieldRef: {} } }] },
      then: 'spec.containers[0].transferEnv[0].sourceContainerNameFrom.fieldRef.fieldPath: Required value',
    },
    {
      name: 'regex that is a number',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu', { targetContainersNameRegex: 5 }) },
      then: 'spec.containers[0].resourcesPolicy.targetContainersNameRegex: Invalid value: 5: must be a string',
    },
    {
      name: 'policy beside requests',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu'), 'spec.containers.0.resources': { requests: { cpu: '1' } } },
      then: 'spec.containers[0].resourcesPolicy: Forbidden: resourcesPolicy and resources cannot be configured together',
    },
    {
      name: 'broken expression of a request',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu', { resourcesExpr: { requests: { memory: 'memory+' } } }) },
      then: 'spec.containers[0].resourcesPolicy.resourcesExpr.requests.memory: Invalid value: "memory+": invalid expression: parse error: syntax error at line 1, col 8',
    },
    {
      name: 'broken expression of a native sidecar',
      values: {
        'spec.initContainers.0': { name: 'i', image: 'i:1', restartPolicy: 'Always', resourcesPolicy: expression('cpu+') },
        'spec.updateStrategy.type': 'NotUpdate',
      },
      then: 'spec.initContainers[0].resourcesPolicy.resourcesExpr.limits.cpu: Invalid value: "cpu+": invalid expression: parse error: syntax error at line 1, col 5',
    },
    {
      name: 'native sidecar beside resources',
      values: {
        'spec.initContainers.0': {
          name: 'i',
          image: 'i:1',
          restartPolicy: 'Always',
          resources: { limits: { cpu: '1' } },
          resourcesPolicy: expression('cpu'),
        },
        'spec.updateStrategy.type': 'NotUpdate',
      },
      then: 'spec.initContainers[0].resourcesPolicy: Forbidden: resourcesPolicy and resources cannot be configured together',
    },
    {
      name: 'no containers, absent',
      values: { 'spec.containers': null, 'spec.initContainers': [] },
      then: 'spec: Required value: no initContainer or container defined for SidecarSet',
    },
    {
      name: 'annotation that is a number',
      values: { 'spec.patchPodMetadata': [{ annotations: { a: 5 }, patchPolicy: 'Retain' }] },
      then: 'spec.patchPodMetadata[0].annotations[a]: Invalid value: 5: must be a string',
    },
    { name: 'no spec', values: { spec: null }, then: 'spec: Required value' },
  ])('is refused for $name', ({ values, then }) => {
    expect(faultsOf(withValues(values))).toBe(then);
  });

  it.each<{ name: string; values: Readonly<Record<string, unknown>> }>([
    { name: 'a name of 63 characters', values: { 'metadata.name': 'a'.repeat(63) } },
    { name: 'a generated name of 58 characters', values: { 'metadata.name': undefined, 'metadata.generateName': 'a'.repeat(58) } },
    {
      name: 'the annotation of a base without being a canary',
      values: { 'metadata.annotations': { ...canary, 'apps.kruise.io/sidecarset-canary': 'false' } },
    },
    {
      name: 'the annotation of a canary without a base',
      values: { 'metadata.annotations': { ...canary, 'apps.kruise.io/sidecarset-base': '' } },
    },
    {
      name: 'the annotation of a canary alone',
      values: { 'metadata.annotations': { 'apps.kruise.io/sidecarset-canary': 'true' } },
    },
    {
      name: 'a selector of Pods to update',
      values: { 'spec.updateStrategy.selector': { matchLabels: { a: 'b' } }, 'spec.updateStrategy.partition': 0 },
    },
    {
      name: 'a selector of Pods to update without partition',
      values: { 'spec.updateStrategy.selector': { matchLabels: { a: 'b' } }, 'spec.updateStrategy.partition': null },
    },
    { name: 'a partition in percent', values: { 'spec.updateStrategy.partition': '20%' } },
    { name: 'no partition and maxUnavailable', values: { 'spec.updateStrategy': { type: 'RollingUpdate' } } },
    { name: 'a selector of namespaces', values: { 'spec.namespaceSelector': { matchLabels: { a: 'b' } } } },
    { name: 'a revision by its name', values: { 'spec.injectionStrategy': { revision: { revisionName: 'x', policy: 'Always' } } } },
    { name: 'a revision by its version', values: { 'spec.injectionStrategy': { revision: { customVersion: 'x', policy: 'Partial' } } } },
    { name: 'a revision without policy', values: { 'spec.injectionStrategy': { revision: { customVersion: 'x' } } } },
    { name: 'an injection strategy without revision', values: { 'spec.injectionStrategy': { paused: true } } },
    {
      name: 'a container injected behind the others that shares volumes',
      values: { 'spec.containers.0.podInjectPolicy': 'AfterAppContainer', 'spec.containers.0.shareVolumePolicy': { type: 'enabled' } },
    },
    {
      name: 'a transferred annotation, its key in any case',
      values: {
        'spec.containers.0.transferEnv': [
          { sourceContainerNameFrom: { fieldRef: { fieldPath: "metadata.annotations['Example.com/A']" } } },
        ],
      },
    },
    {
      name: 'a transferred label',
      values: {
        'spec.containers.0.transferEnv': [
          { sourceContainerNameFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['a']" } } },
        ],
      },
    },
    { name: 'a transfer by the name of the container', values: { 'spec.containers.0.transferEnv': [{ sourceContainerName: 'main' }] } },
    {
      name: 'a regex of containers',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu', { targetContainersNameRegex: '^main$' }) },
    },
    {
      name: 'expressions of requests alone',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu', { resourcesExpr: { requests: { cpu: 'cpu', memory: 'memory' } } }) },
    },
    {
      name: 'a policy beside resources that say nothing',
      values: { 'spec.containers.0.resourcesPolicy': expression('cpu'), 'spec.containers.0.resources': { limits: {}, requests: {} } },
    },
    {
      name: 'annotations to patch, their keys in any case',
      values: {
        'spec.patchPodMetadata': [
          { annotations: { 'Example.com/A': 'b' }, patchPolicy: 'Retain' },
          { annotations: { c: 'd' }, patchPolicy: 'Overwrite' },
        ],
      },
    },
    { name: 'a version for its revision', values: { 'spec.customVersion': 'v1' } },
    {
      name: 'init containers without a say in hot upgrades',
      values: { 'spec.initContainers.0': { name: 'i', image: 'i:1', upgradeStrategy: { upgradeType: 'HotUpgrade' } } },
    },
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

  it('has all faults listed together', () => {
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
  const faults = (object: JsonObject, oldObject: JsonObject = valid): string =>
    formatFieldErrors(validateSidecarSetUpdate(object, oldObject));

  it.each<{ name: string; values: Readonly<Record<string, unknown>>; then: string }>([
    {
      name: 'a container that is new',
      values: { 'spec.containers.0.name': 'b' },
      then: 'spec.containers.name: Invalid value: "b": container b is not found',
    },
    {
      name: 'another upgrade type',
      values: { 'spec.containers.0.upgradeStrategy.upgradeType': 'HotUpgrade' },
      then: 'spec.containers.upgradeStrategy.upgradeType: Invalid value: "HotUpgrade": container a upgradeType is immutable',
    },
    {
      name: 'another base',
      values: { 'metadata.annotations': canary },
      then: 'metadata: Forbidden: annotations[apps.kruise.io/sidecarset-base] is immutable',
    },
  ])('is refused for $name', ({ values, then }) => {
    expect(faults(withValues(values))).toBe(then);
  });

  it('may remove containers, change images, and do with init containers what it likes', () => {
    expect(faults(withValues({ 'spec.containers': [{ name: 'a', image: 'a:2' }], 'spec.initContainers.0.name': 'new' }))).toBe('');
    expect(faults(withValues({ 'metadata.annotations': canary }), withValues({ 'metadata.annotations': canary }))).toBe('');
  });
});

describe('a hot upgrade', () => {
  const strict = (values: Readonly<Record<string, unknown>>, old?: JsonObject): string =>
    formatFieldErrors(validateSidecarSetStrictly(withValues(values), old));
  const path = 'spec.containers.1.upgradeStrategy.hotUpgradeEmptyImage';

  it('needs an empty image, another than its own, and room in its name', () => {
    expect(strict({})).toBe('');
    expect(strict({ [path]: '' })).toBe(
      'spec.containers[1].upgradeStrategy.hotUpgradeEmptyImage: Required value: HotUpgrade needs an image for the container that idles',
    );
    expect(strict({ [path]: 'hot:1' })).toBe(
      'spec.containers[1].upgradeStrategy.hotUpgradeEmptyImage: Invalid value: "hot:1": must be another image than that of the container',
    );
    expect(strict({ 'spec.containers.1.name': 'n'.repeat(61) })).toBe('');
    expect(strict({ 'spec.containers.1.name': 'n'.repeat(62) })).toBe(
      `spec.containers[1].name: Invalid value: "${'n'.repeat(62)}": must be no more than 61 characters with HotUpgrade`,
    );
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
