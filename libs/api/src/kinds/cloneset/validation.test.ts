import { describe, expect, it } from '@jest/globals';
import { formatFieldError, setIn } from '@kruise/objects';
import fc from 'fast-check';
import type { Members } from '../../conversion/converter.ts';
import { defaultGates } from '../../gates/feature-gates.ts';
import { defaultCloneSet, type CloneSetVersion } from './defaults.ts';
import { validateCloneSet, validateCloneSetUpdate } from './validation.ts';
import { cloneSetWarnings } from './warnings.ts';

const bare: Members = {
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } },
  },
};

const options = { allowPrivileged: true, hostNetworkHostPorts: false };
const filled = (object: Members, version: CloneSetVersion = 'v1beta1'): Members =>
  defaultCloneSet(object, { version, oldObject: undefined, gates: defaultGates });
const having = (path: string, value: unknown, object: Members = bare): Members =>
  setIn<Members>(
    object,
    path.split('.').map((part): string | number => (/^\d+$/.test(part) ? Number(part) : part)),
    value,
  );
const faultsOf = (object: Members, version: CloneSetVersion = 'v1beta1'): readonly string[] =>
  validateCloneSet(object, { ...options, version }).map(formatFieldError);
const updateFaults = (object: Members, old: Members, version: CloneSetVersion = 'v1beta1'): readonly string[] =>
  validateCloneSetUpdate(object, old, version).map(formatFieldError);
const specOf = (object: Members): Members => object['spec'] as Members;

describe('defaults of CloneSets', () => {
  it('scenario 1: only selector and template are given', () => {
    const { template, ...rest } = specOf(filled(bare));
    expect(rest).toEqual({
      selector: { matchLabels: { app: 'web' } },
      replicas: 1,
      revisionHistoryLimit: 10,
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: { podUpdatePolicy: 'ReCreate', partition: 0, maxUnavailable: '20%', maxSurge: 0 },
      },
    });
    expect(template).toMatchObject({ spec: { containers: [{ imagePullPolicy: 'Always' }], restartPolicy: 'Always' } });
  });

  it('v1alpha1 has the settings beside the type', () => {
    expect(specOf(filled(bare, 'v1alpha1'))['updateStrategy']).toEqual({
      type: 'ReCreate',
      partition: 0,
      maxUnavailable: '20%',
      maxSurge: 0,
    });
    expect(specOf(filled(having('spec.updateStrategy', { type: 'InPlaceOnly', partition: 3 }), 'v1alpha1'))['updateStrategy']).toEqual({
      type: 'InPlaceOnly',
      partition: 3,
      inPlaceUpdateStrategy: {},
      maxUnavailable: '20%',
      maxSurge: 0,
    });
  });

  it('in-place policies get their strategy, OnDelete gets nothing', () => {
    const inPlace = filled(having('spec.updateStrategy', { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' } }));
    expect(specOf(inPlace)['updateStrategy']).toMatchObject({
      type: 'RollingUpdate',
      rollingUpdate: { inPlaceUpdateStrategy: {}, partition: 0 },
    });
    expect(specOf(filled(having('spec.updateStrategy', { type: 'OnDelete' })))['updateStrategy']).toEqual({ type: 'OnDelete' });
  });

  it('a stored template is left alone unless it is changed', () => {
    const gates = defaultGates;
    const stored = having('spec.template.spec.containers.0.resources', { limits: { cpu: '1000m' } });
    const scaled = having('spec.replicas', 3, stored);
    const kept = defaultCloneSet(scaled, { version: 'v1beta1', oldObject: stored, gates });
    expect(specOf(kept)['template']).toBe(specOf(stored)['template']);
    const changed = having('spec.template.spec.containers.0.image', 'nginx:2', scaled);
    expect(specOf(defaultCloneSet(changed, { version: 'v1beta1', oldObject: stored, gates }))['template']).toMatchObject({
      spec: { containers: [{ image: 'nginx:2', imagePullPolicy: 'Always', resources: { limits: { cpu: '1' } } }] },
    });
    const untouched = defaultCloneSet(changed, { version: 'v1beta1', oldObject: undefined, gates: { ...gates, TemplateNoDefaults: true } });
    expect(specOf(untouched)['template']).toBe(specOf(changed)['template']);
  });

  it.each(['v1alpha1', 'v1beta1'] as const)('of %s: what was filled in once stays, and has no fault', (version) => {
    const once = filled(bare, version);
    expect(filled(once, version)).toBe(once);
    expect(faultsOf(once, version)).toEqual([]);
  });
});

describe('validation of CloneSets', () => {
  const rolling = 'spec.updateStrategy.rollingUpdate';
  it.each<{ name: string; at: string; value: unknown; fault?: string; version?: CloneSetVersion }>([
    { name: 'no name', at: 'metadata.name', value: undefined, fault: 'metadata.name: Required value' },
    { name: 'a name that is none', at: 'metadata.name', value: 'A', fault: 'metadata.name: Invalid value: "A"' },
    {
      name: 'negative replicas',
      at: 'spec.replicas',
      value: -1,
      fault: 'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    },
    { name: 'replicas in words', at: 'spec.replicas', value: 'one', fault: 'spec.replicas: Invalid value: "one": must be an integer' },
    { name: 'no selector', at: 'spec.selector', value: undefined, fault: 'spec.selector: Required value' },
    {
      name: 'an empty selector',
      at: 'spec.selector',
      value: {},
      fault: 'spec.selector: Invalid value: {}: empty selector is invalid for cloneset',
    },
    { name: 'a selector that is a list', at: 'spec.selector', value: [], fault: 'spec.selector: Invalid value' },
    {
      name: 'a selector of other Pods',
      at: 'spec.selector.matchLabels',
      value: { app: 'db' },
      fault: 'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    },
    {
      name: 'Pods that end',
      at: 'spec.template.spec.restartPolicy',
      value: 'Never',
      fault: 'spec.template.spec.restartPolicy: Invalid value: "Never"',
    },
    {
      name: 'Pods with a deadline',
      at: 'spec.template.spec.activeDeadlineSeconds',
      value: 5,
      fault: 'spec.template.spec.activeDeadlineSeconds: Forbidden',
    },
    {
      name: 'a fault of the template',
      at: 'spec.template.spec.containers.0.image',
      value: '',
      fault: 'spec.template.spec.containers[0].image: Required value',
    },
    {
      name: 'a mount of no claim',
      at: 'spec.template.spec.containers.0.volumeMounts',
      value: [{ name: 'data', mountPath: '/d' }],
      fault: 'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
    },
    {
      name: 'a claim without name',
      at: 'spec.volumeClaimTemplates',
      value: [{}],
      fault: 'spec.volumeClaimTemplates[0].metadata.name: Required value',
    },
    {
      name: 'a Pod to delete twice',
      at: 'spec.scaleStrategy',
      value: { podsToDelete: ['a', 'b', 'a'] },
      fault: 'spec.scaleStrategy.podsToDelete[2]: Duplicate value: "a"',
    },
    {
      name: 'an unknown type',
      at: 'spec.updateStrategy.type',
      value: 'Rolling',
      fault: 'spec.updateStrategy.type: Unsupported value: "Rolling": supported values: "RollingUpdate", "OnDelete"',
    },
    {
      name: 'an unknown policy',
      at: `${rolling}.podUpdatePolicy`,
      value: 'Recreate',
      fault: `${rolling}.podUpdatePolicy: Unsupported value: "Recreate": supported values: "ReCreate", "InPlaceIfPossible", "InPlaceOnly"; did you mean "ReCreate"?`,
    },
    { name: 'an empty policy', at: `${rolling}.podUpdatePolicy`, value: '' },
    {
      name: 'OnDelete in v1alpha1',
      at: 'spec.updateStrategy.type',
      value: 'OnDelete',
      version: 'v1alpha1',
      fault: 'spec.updateStrategy.type: Unsupported value: "OnDelete"',
    },
    { name: 'no partition', at: `${rolling}.partition`, value: undefined, fault: `${rolling}.partition: Required value` },
    {
      name: 'a negative partition',
      at: `${rolling}.partition`,
      value: -1,
      fault: `${rolling}.partition: Invalid value: -1: must be greater than or equal to 0`,
    },
    { name: 'a fraction of a percent', at: `${rolling}.partition`, value: '33.4%' },
    { name: 'a number in quotes', at: `${rolling}.maxUnavailable`, value: '5', fault: `${rolling}.maxUnavailable: Invalid value: "5"` },
    { name: 'a surge in words', at: `${rolling}.maxSurge`, value: 'many', fault: `${rolling}.maxSurge: Invalid value: "many"` },
    {
      name: 'a surge of InPlaceOnly',
      at: rolling,
      value: { podUpdatePolicy: 'InPlaceOnly', partition: 0, maxUnavailable: 1, maxSurge: 1 },
      fault: `${rolling}.maxSurge: Invalid value: 1`,
    },
    { name: 'no room to update', at: `${rolling}.maxUnavailable`, value: 0, fault: `${rolling}.maxUnavailable: Invalid value: 0` },
    { name: 'room by surge alone', at: rolling, value: { podUpdatePolicy: 'ReCreate', partition: 0, maxUnavailable: 0, maxSurge: 1 } },
    {
      name: 'a percentage of parallelism',
      at: `${rolling}.inPlaceUpdateStrategy`,
      value: { imagePreDownloadParallelism: '5%' },
      fault: `${rolling}.inPlaceUpdateStrategy.imagePreDownloadParallelism: Invalid value: "5%"`,
    },
    {
      name: 'a negative timeout',
      at: `${rolling}.inPlaceUpdateStrategy`,
      value: { imagePreDownloadTimeoutSeconds: -1 },
      fault: `${rolling}.inPlaceUpdateStrategy.imagePreDownloadTimeoutSeconds: Invalid value: -1`,
    },
    {
      name: 'a negative deadline',
      at: 'spec.progressDeadlineSeconds',
      value: -1,
      fault: 'spec.progressDeadlineSeconds: Invalid value: -1',
    },
    {
      name: 'a deadline of 0, as minReadySeconds',
      at: 'spec.progressDeadlineSeconds',
      value: 0,
      fault: 'spec.progressDeadlineSeconds: Invalid value: 0: must be greater than minReadySeconds',
    },
    { name: 'no deadline', at: 'spec.progressDeadlineSeconds', value: 2147483647 },
    {
      name: 'a strategy that is a text',
      at: 'spec.updateStrategy',
      value: 'fast',
      fault: 'spec.updateStrategy: Invalid value: "fast": must be an object',
    },
    { name: 'no spec', at: 'spec', value: undefined, fault: 'spec: Required value' },
  ])('$name', ({ at, value, fault, version = 'v1beta1' }) => {
    const faults = faultsOf(having(at, value, filled(bare, version)), version);
    expect(faults.map((text) => text.slice(0, fault?.length))).toEqual(fault === undefined ? [] : [fault]);
  });

  it('the longest minReadySeconds goes with no deadline', () => {
    expect(faultsOf(having('spec.minReadySeconds', 2147483647, having('spec.progressDeadlineSeconds', 2147483647, filled(bare))))).toEqual(
      [],
    );
  });

  it('mounts of claim templates are valid, and their names may be those of volumes', () => {
    const mounting = having('spec.template.spec.containers.0.volumeMounts', [{ name: 'data', mountPath: '/d' }]);
    const claimed = having(
      'spec.volumeClaimTemplates',
      [{ metadata: { name: 'data' } }],
      having('spec.template.spec.volumes', [{ name: 'data' }], mounting),
    );
    expect(faultsOf(filled(claimed))).toEqual([]);
  });

  it('every fault is told at once', () => {
    const faulty = {
      metadata: { name: 'web' },
      spec: { replicas: -1, selector: {}, template: { spec: { containers: [] } }, updateStrategy: { type: 'x' } },
    };
    expect(faultsOf(faulty)).toHaveLength(4);
  });

  it.each(['v1alpha1', 'v1beta1'] as const)('of %s throws nothing, whatever the object', (version) => {
    const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(null, 0, '', [], {}));
    const at = fc.constantFrom(
      'metadata',
      'spec',
      'spec.selector',
      'spec.template',
      'spec.template.metadata',
      'spec.scaleStrategy',
      'spec.updateStrategy',
      'spec.updateStrategy.rollingUpdate',
      'spec.volumeClaimTemplates',
      'spec.progressDeadlineSeconds',
    );
    const base = filled(bare);
    fc.assert(
      fc.property(at, junk, (path, value) => {
        const object = having(path, value, base);
        const again = defaultCloneSet(object, { version, oldObject: base, gates: defaultGates });
        validateCloneSet(again, { ...options, version });
        validateCloneSetUpdate(again, base, version);
        validateCloneSetUpdate(base, again, version);
        cloneSetWarnings(object, { version, oldObject: base, gates: defaultGates });
      }),
      { numRuns: 500 },
    );
  });
});

describe('updates of CloneSets', () => {
  it('the selector stays', () => {
    const old = filled(bare);
    expect(updateFaults(having('spec.selector', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, old), old)[0]).toMatch(
      /^spec: Forbidden: updates to cloneset spec/,
    );
    expect(updateFaults(having('spec.replicas', 5, old), old)).toEqual([]);
  });

  it('InPlaceOnly lets images change and nothing else', () => {
    const alpha = filled(having('spec.updateStrategy', { type: 'InPlaceOnly' }), 'v1alpha1');
    const image = having('spec.template.spec.containers.0.image', 'nginx:2', alpha);
    const other = having('spec.template.spec.dnsPolicy', 'Default', image);
    expect(updateFaults(image, alpha, 'v1alpha1')).toEqual([]);
    expect(updateFaults(other, alpha, 'v1alpha1')).toEqual([
      'spec: Forbidden: only allowed to update images in spec for InPlaceOnly, but found replace /dnsPolicy',
    ]);
    const beta = filled(having('spec.updateStrategy', { rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } }));
    const changed = having('spec.template.spec.dnsPolicy', 'Default', beta);
    expect(updateFaults(changed, beta)).toEqual([]);
    expect(cloneSetWarnings(changed, { version: 'v1beta1', oldObject: beta, gates: defaultGates })).toEqual([
      expect.stringContaining('found replace /dnsPolicy'),
    ]);
  });
});

describe('warnings about CloneSets', () => {
  const warnings = (object: Members, gates: Partial<typeof defaultGates> = {}): readonly string[] =>
    cloneSetWarnings(object, { version: 'v1beta1', oldObject: undefined, gates: { ...defaultGates, ...gates } });

  it.each([
    { name: 'a long name', object: having('metadata.name', 'a'.repeat(53)), warning: /^metadata.name: longer than 52 characters/ },
    {
      name: 'OnDelete with a partition',
      object: having('spec.updateStrategy', { type: 'OnDelete', rollingUpdate: { partition: 1 } }),
      warning: /partition have no effect with type OnDelete/,
    },
    {
      name: 'a grace of recreation',
      object: having('spec.updateStrategy', { rollingUpdate: { inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } } }),
      warning: /has no effect with ReCreate/,
    },
    {
      name: 'pre-download without its gate',
      object: having('spec.updateStrategy', {
        rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', inPlaceUpdateStrategy: { imagePreDownloadTimeoutSeconds: 5 } },
      }),
      warning: /while feature gate PreDownloadImageForInPlaceUpdate is off/,
    },
    { name: 'no creation ever', object: having('spec.scaleStrategy', { maxUnavailable: '0%' }), warning: /no Pod is ever created/ },
    {
      name: 'a creation limit that is none',
      object: having('spec.scaleStrategy', { maxUnavailable: 'few' }),
      warning: /it does not limit anything/,
    },
  ])('$name', ({ object, warning }) => {
    expect(warnings(object)).toEqual([expect.stringMatching(warning)]);
  });

  it('nothing is said about what is in order', () => {
    expect(warnings(filled(bare))).toEqual([]);
    expect(warnings(having('metadata.name', 'a'.repeat(53)), { CloneSetShortHash: true })).toEqual([]);
  });
});
