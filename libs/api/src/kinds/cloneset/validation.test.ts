import { describe, expect, it } from '@jest/globals';
import { formatFieldError, type JsonObject } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { defaultGates } from '../../gates/feature-gates.ts';
import { defaultCloneSet, type CloneSetVersion } from './defaults.ts';
import { validateCloneSetUpdate } from './validation.ts';
import { cloneSetWarnings, validateCloneSet } from './rules.ts';
import { havingIn } from '../../validation/changed-objects.testing.ts';

const bare: JsonObject = {
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } },
  },
};

const claim: JsonObject = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

const options = { allowPrivileged: true, hostNetworkHostPorts: false };
const filled = (object: JsonObject, version: CloneSetVersion = 'v1beta1'): JsonObject =>
  defaultCloneSet(object, { version, oldObject: undefined, gates: defaultGates });
const having = havingIn(bare);
const faultsOf = (object: JsonObject, version: CloneSetVersion = 'v1beta1'): readonly string[] =>
  validateCloneSet(object, { ...options, version }).map(formatFieldError);
const updateFaults = (object: JsonObject, old: JsonObject, version: CloneSetVersion = 'v1beta1'): readonly string[] =>
  validateCloneSetUpdate(object, old, version).map(formatFieldError);
const specOf = (object: JsonObject): JsonObject => object['spec'] as JsonObject;

describe('defaults of CloneSets', () => {
  it('are filled in beside a type that does not exist, which is the only fault', () => {
    for (const rest of [{}, { rollingUpdate: { maxUnavailable: 1 } }])
      expect(faultsOf(filled(having('spec.updateStrategy', { type: 'Recreate', ...rest })))).toEqual([
        expect.stringContaining('spec.updateStrategy.type: Unsupported value: "Recreate"'),
      ]);
    expect(faultsOf(filled(having('spec.updateStrategy', { type: 'Recreate' }), 'v1alpha1'), 'v1alpha1')).toHaveLength(1);
  });

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

  it('host ports of a host network are filled in with their gate', () => {
    const spec = { hostNetwork: true, containers: [{ name: 'web', image: 'nginx:1', ports: [{ containerPort: 80 }] }] };
    const portOf = (DefaultHostNetworkHostPortsInPodTemplates: boolean): unknown =>
      specOf(
        defaultCloneSet(having('spec.template.spec', spec), {
          version: 'v1beta1',
          oldObject: undefined,
          gates: { ...defaultGates, DefaultHostNetworkHostPortsInPodTemplates },
        }),
      )['template'];
    const ports = (port: object): object => ({ spec: { containers: [{ ports: [port] }] } });
    expect(portOf(true)).toMatchObject(ports({ containerPort: 80, hostPort: 80 }));
    expect(portOf(false)).toMatchObject(ports({ containerPort: 80, protocol: 'TCP' }));
    expect(JSON.stringify(portOf(false))).not.toContain('hostPort');
  });

  it('claim templates get a phase, and their quantities are written canonically', () => {
    const claims = [{ metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1024Mi' } } } }];
    expect(specOf(filled(having('spec.volumeClaimTemplates', claims)))['volumeClaimTemplates']).toEqual([
      { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } }, status: { phase: 'Pending' } },
    ]);
  });

  it('a complete object keeps its quantities as they are written', () => {
    const complete = having('spec.template.spec.containers.0.resources', { limits: { cpu: '1000m' } }, filled(bare));
    expect(filled(complete)).toBe(complete);
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
    { name: 'no name', at: 'metadata.name', value: undefined, fault: 'metadata.name: Required value: name or generateName is required' },
    {
      name: 'a name that is none',
      at: 'metadata.name',
      value: 'A',
      fault:
        "metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    },
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
    { name: 'a selector that is a list', at: 'spec.selector', value: [], fault: 'spec.selector: Invalid value: []: must be an object' },
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
      fault: 'spec.template.spec.restartPolicy: Invalid value: "Never": must be Always, for Pods of a CloneSet run on',
    },
    {
      name: 'Pods with a deadline',
      at: 'spec.template.spec.activeDeadlineSeconds',
      value: 5,
      fault: 'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in a CloneSet is not supported',
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
      value: [{ spec: claim }],
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
      fault: 'spec.updateStrategy.type: Unsupported value: "OnDelete": supported values: "ReCreate", "InPlaceIfPossible", "InPlaceOnly"',
    },
    {
      name: 'no partition',
      at: `${rolling}.partition`,
      value: undefined,
      fault: `${rolling}.partition: Required value: must be a number of Pods or a percentage`,
    },
    {
      name: 'a negative partition',
      at: `${rolling}.partition`,
      value: -1,
      fault: `${rolling}.partition: Invalid value: -1: must be greater than or equal to 0`,
    },
    { name: 'a fraction of a percent', at: `${rolling}.partition`, value: '33.4%' },
    {
      name: 'a number in quotes',
      at: `${rolling}.maxUnavailable`,
      value: '5',
      fault: `${rolling}.maxUnavailable: Invalid value: "5": must be an integer or a percentage (e.g. 1 or "20%")`,
    },
    {
      name: 'a surge in words',
      at: `${rolling}.maxSurge`,
      value: 'many',
      fault: `${rolling}.maxSurge: Invalid value: "many": must be an integer or a percentage (e.g. 1 or "20%")`,
    },
    {
      name: 'a surge of InPlaceOnly',
      at: rolling,
      value: { podUpdatePolicy: 'InPlaceOnly', partition: 0, maxUnavailable: 1, maxSurge: 1 },
      fault: `${rolling}.maxSurge: Invalid value: 1: maxSurge can not be used with InPlaceOnly, which creates no Pods`,
    },
    {
      name: 'no room to update',
      at: `${rolling}.maxUnavailable`,
      value: 0,
      fault: `${rolling}.maxUnavailable: Invalid value: 0: maxUnavailable and maxSurge should not both be less than 1 Pod: no Pod could be updated`,
    },
    { name: 'room by surge alone', at: rolling, value: { podUpdatePolicy: 'ReCreate', partition: 0, maxUnavailable: 0, maxSurge: 1 } },
    {
      name: 'a percentage of parallelism',
      at: `${rolling}.inPlaceUpdateStrategy`,
      value: { imagePreDownloadParallelism: '5%' },
      fault: `${rolling}.inPlaceUpdateStrategy.imagePreDownloadParallelism: Invalid value: "5%": must be an integer that is greater than or equal to 0, no percentage`,
    },
    {
      name: 'a negative timeout',
      at: `${rolling}.inPlaceUpdateStrategy`,
      value: { imagePreDownloadTimeoutSeconds: -1 },
      fault: `${rolling}.inPlaceUpdateStrategy.imagePreDownloadTimeoutSeconds: Invalid value: -1: must be greater than or equal to 0`,
    },
    {
      name: 'a negative deadline',
      at: 'spec.progressDeadlineSeconds',
      value: -1,
      fault: 'spec.progressDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
    },
    {
      name: 'a deadline of 0, as minReadySeconds',
      at: 'spec.progressDeadlineSeconds',
      value: 0,
      version: 'v1alpha1',
      fault: 'spec.progressDeadlineSeconds: Invalid value: 0: must be greater than minReadySeconds',
    },
    { name: 'no deadline', at: 'spec.progressDeadlineSeconds', value: 2147483647 },
    {
      name: 'a strategy that is a text',
      at: 'spec.updateStrategy',
      value: 'fast',
      fault: 'spec.updateStrategy: Invalid value: "fast": must be an object',
    },
    { name: 'a name and generateName', at: 'metadata.generateName', value: 'web-' },
    { name: 'generateName alone', at: 'metadata', value: { generateName: 'web-' } },
    { name: 'an empty name beside generateName', at: 'metadata', value: { name: '', generateName: 'web-' } },
    {
      name: 'an empty generateName alone',
      at: 'metadata',
      value: { generateName: '' },
      fault: 'metadata.name: Required value: name or generateName is required',
    },
    { name: 'a name that is a number', at: 'metadata.name', value: 5, fault: 'metadata.name: Invalid value: 5: must be a string' },
    { name: 'replicas of null', at: 'spec.replicas', value: null },
    { name: 'no replicas', at: 'spec.replicas', value: 0 },
    { name: 'a spec that is a list', at: 'spec', value: [], fault: 'spec: Invalid value: []: must be an object' },
    {
      name: 'Pods that end when they succeed',
      at: 'spec.template.spec.restartPolicy',
      value: 'OnFailure',
      fault: 'spec.template.spec.restartPolicy: Invalid value: "OnFailure": must be Always, for Pods of a CloneSet run on',
    },
    {
      name: 'claims that are no list',
      at: 'spec.volumeClaimTemplates',
      value: {},
      fault: 'spec.volumeClaimTemplates: Invalid value: {}: must be a list',
    },
    {
      name: 'a claim that is no object',
      at: 'spec.volumeClaimTemplates',
      value: ['data'],
      fault: 'spec.volumeClaimTemplates[0]: Invalid value: "data": must be an object',
    },
    {
      name: 'a claim of an empty name',
      at: 'spec.volumeClaimTemplates',
      value: [{ metadata: { name: '' }, spec: claim }],
      fault: 'spec.volumeClaimTemplates[0].metadata.name: Required value',
    },
    {
      name: 'a claim whose name is a number',
      at: 'spec.volumeClaimTemplates',
      value: [{ metadata: { name: 5 }, spec: claim }],
      fault: 'spec.volumeClaimTemplates[0].metadata.name: Invalid value: 5: must be a string',
    },
    {
      name: 'a scale strategy that is a text',
      at: 'spec.scaleStrategy',
      value: 'slow',
      fault: 'spec.scaleStrategy: Invalid value: "slow": must be an object',
    },
    {
      name: 'Pods to delete that are no list',
      at: 'spec.scaleStrategy',
      value: { podsToDelete: 'a' },
      fault: 'spec.scaleStrategy.podsToDelete: Invalid value: "a": must be a list',
    },
    {
      name: 'a Pod to delete that is a number',
      at: 'spec.scaleStrategy',
      value: { podsToDelete: ['a', 5] },
      fault: 'spec.scaleStrategy.podsToDelete[1]: Invalid value: 5: must be a string',
    },
    { name: 'Pods to delete', at: 'spec.scaleStrategy', value: { podsToDelete: ['a', 'b'] } },
    {
      name: 'a deadline in words',
      at: 'spec.progressDeadlineSeconds',
      value: 'soon',
      fault: 'spec.progressDeadlineSeconds: Invalid value: "soon": must be an integer',
    },
    { name: 'a deadline above minReadySeconds', at: 'spec.progressDeadlineSeconds', value: 1 },
    {
      name: 'a policy that is a number',
      at: `${rolling}.podUpdatePolicy`,
      value: 5,
      fault: `${rolling}.podUpdatePolicy: Invalid value: 5: must be a string`,
    },
    {
      name: 'no type in v1alpha1',
      at: 'spec.updateStrategy.type',
      value: undefined,
      version: 'v1alpha1',
      fault: 'spec.updateStrategy.type: Unsupported value: "": supported values: "ReCreate", "InPlaceIfPossible", "InPlaceOnly"',
    },
    {
      name: 'rolling update settings that are a list',
      at: rolling,
      value: [],
      fault: `${rolling}: Invalid value: []: must be an object`,
    },
    {
      name: 'a negative percentage',
      at: `${rolling}.partition`,
      value: '-1%',
      fault: `${rolling}.partition: Invalid value: "-1%": must be an integer or a percentage (e.g. 1 or "20%")`,
    },
    { name: 'no maxUnavailable', at: `${rolling}.maxUnavailable`, value: undefined },
    {
      name: 'InPlaceOnly without surge',
      at: rolling,
      value: { podUpdatePolicy: 'InPlaceOnly', partition: 0, maxUnavailable: 1, maxSurge: 0 },
    },
    { name: 'parallelism in quotes', at: `${rolling}.inPlaceUpdateStrategy`, value: { imagePreDownloadParallelism: '+10' } },
    { name: 'parallelism in quotes without a sign', at: `${rolling}.inPlaceUpdateStrategy`, value: { imagePreDownloadParallelism: '10' } },
    { name: 'a parallelism of 0', at: `${rolling}.inPlaceUpdateStrategy`, value: { imagePreDownloadParallelism: 0 } },
    ...[-1, 1.5, 'p5', '-5', true, [5]].map((value) => ({
      name: `a parallelism of ${JSON.stringify(value)}`,
      at: `${rolling}.inPlaceUpdateStrategy`,
      value: { imagePreDownloadParallelism: value },
      fault: `${rolling}.inPlaceUpdateStrategy.imagePreDownloadParallelism: Invalid value: ${JSON.stringify(value)}: must be an integer that is greater than or equal to 0, no percentage`,
    })),
    {
      name: 'pre-download settings of 0',
      at: `${rolling}.inPlaceUpdateStrategy`,
      value: { imagePreDownloadTimeoutSeconds: 0, imagePreDownloadMinUpdatedReadyPods: 0 },
    },
    {
      name: 'a timeout in words',
      at: `${rolling}.inPlaceUpdateStrategy`,
      value: { imagePreDownloadTimeoutSeconds: '5' },
      fault: `${rolling}.inPlaceUpdateStrategy.imagePreDownloadTimeoutSeconds: Invalid value: "5": must be an integer`,
    },
    {
      name: 'a negative number of Pods to be updated before',
      at: `${rolling}.inPlaceUpdateStrategy`,
      value: { imagePreDownloadMinUpdatedReadyPods: -1 },
      fault: `${rolling}.inPlaceUpdateStrategy.imagePreDownloadMinUpdatedReadyPods: Invalid value: -1: must be greater than or equal to 0`,
    },
    { name: 'no spec', at: 'spec', value: undefined, fault: 'spec: Required value' },
  ])('$name', ({ at, value, fault, version = 'v1beta1' }) => {
    const faults = faultsOf(having(at, value, filled(bare, version)), version);
    expect(faults).toEqual(fault === undefined ? [] : [fault]);
  });

  it('room to update is needed for the desired Pods', () => {
    const stuck = { podUpdatePolicy: 'ReCreate', partition: 0, maxUnavailable: '0%', maxSurge: '0%' };
    const of = (replicas: unknown): readonly string[] => faultsOf(having(rolling, stuck, having('spec.replicas', replicas, filled(bare))));
    const fault = `${rolling}.maxUnavailable: Invalid value: "0%": maxUnavailable and maxSurge should not both be less than 1 Pod: no Pod could be updated`;
    expect(of(0)).toEqual([]);
    expect(of(1)).toEqual([fault]);
    expect(of(null)).toEqual([fault]);
  });

  it('a deadline is longer than minReadySeconds in v1alpha1; v1beta1 stores any, as the original does', () => {
    const of = (deadline: number, version: 'v1alpha1' | 'v1beta1'): readonly string[] =>
      faultsOf(having('spec.minReadySeconds', 30, having('spec.progressDeadlineSeconds', deadline, filled(bare, version))), version);
    expect(of(31, 'v1alpha1')).toEqual([]);
    expect(of(30, 'v1alpha1')).toEqual(['spec.progressDeadlineSeconds: Invalid value: 30: must be greater than minReadySeconds']);
    expect(of(30, 'v1beta1')).toEqual([]);
    expect(of(-1, 'v1beta1')).toEqual(['spec.progressDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0']);
  });

  it('the longest minReadySeconds is allowed with no deadline', () => {
    expect(faultsOf(having('spec.minReadySeconds', 2147483647, having('spec.progressDeadlineSeconds', 2147483647, filled(bare))))).toEqual(
      [],
    );
  });

  it('mounts of claim templates are valid, and their names may be those of volumes', () => {
    const mounting = having('spec.template.spec.containers.0.volumeMounts', [{ name: 'data', mountPath: '/d' }]);
    const claimed = having(
      'spec.volumeClaimTemplates',
      [{ metadata: { name: 'data' }, spec: claim }],
      having('spec.template.spec.volumes', [{ name: 'data' }], mounting),
    );
    expect(faultsOf(filled(claimed))).toEqual([]);
    expect(faultsOf(filled(having('spec.volumeClaimTemplates', [{ metadata: { name: 'data' }, spec: claim }], mounting)))).toEqual([]);
  });

  it.each<{ name: string; claims: readonly JsonObject[]; faults: readonly string[] }>([
    {
      name: 'the same name twice',
      claims: [
        { metadata: { name: 'data' }, spec: claim },
        { metadata: { name: 'data' }, spec: claim },
      ],
      faults: ['spec.volumeClaimTemplates[1].metadata.name: Duplicate value: "data"'],
    },
    {
      name: 'a name that no volume can have',
      claims: [{ metadata: { name: 'a.b' }, spec: claim }],
      faults: ['spec.volumeClaimTemplates[0].metadata.name: Invalid value: "a.b": must not contain dots'],
    },
    {
      name: 'a size that is no quantity',
      claims: [{ metadata: { name: 'data' }, spec: { ...claim, resources: { requests: { storage: 'big' } } } }],
      faults: ['spec.volumeClaimTemplates[0].spec.resources[storage]: Invalid value: "big": must be a quantity, such as 500Mi or 2Gi'],
    },
    {
      name: 'no size and no access mode',
      claims: [{ metadata: { name: 'data' } }],
      faults: [
        'spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required, of ReadOnlyMany, ReadWriteMany, ReadWriteOnce, ReadWriteOncePod',
        'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value',
      ],
    },
  ])('a claim template with $name is refused, but taken where it is stored already', ({ claims, faults }) => {
    const object = filled(having('spec.volumeClaimTemplates', claims));
    expect(faultsOf(object)).toEqual(faults);
    const update = { ...options, version: 'v1beta1', oldObject: object } as const;
    expect(validateCloneSet(having('spec.replicas', 7, object), update)).toEqual([]);
    expect(validateCloneSet(object, { ...update, oldObject: filled(bare) }).map(formatFieldError)).toEqual(faults);
  });

  it.each([
    { deadline: 0, minReady: 0, warned: true },
    { deadline: 30, minReady: 30, warned: true },
    { deadline: 31, minReady: 30, warned: false },
    { deadline: 2147483647, minReady: 2147483647, warned: false },
  ])(
    'of v1beta1 with a deadline of $deadline s at $minReady minReadySeconds are taken, with a warning: $warned',
    ({ deadline, minReady, warned }) => {
      const object = having('spec.progressDeadlineSeconds', deadline, having('spec.minReadySeconds', minReady, filled(bare)));
      expect(faultsOf(object)).toEqual([]);
      const warnings = cloneSetWarnings(object, { version: 'v1beta1', oldObject: undefined, gates: defaultGates });
      expect(warnings).toEqual(
        warned
          ? [`spec.progressDeadlineSeconds: ${deadline} is not above minReadySeconds (${minReady}), so that every rollout exceeds it`]
          : [],
      );
    },
  );

  it('all faults are listed together', () => {
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
    const seen = new Occurrences();
    fc.assert(
      fc.property(at, junk, (path, value) => {
        const object = having(path, value, base);
        const again = defaultCloneSet(object, { version, oldObject: base, gates: defaultGates });
        const faults = validateCloneSet(again, { ...options, version });
        seen.note(faults.length === 0 ? 'without a fault' : 'with faults');
        for (const list of [faults, validateCloneSetUpdate(again, base, version), validateCloneSetUpdate(base, again, version)])
          expect(list.filter(({ field }) => typeof field !== 'string')).toEqual([]);
        expect(cloneSetWarnings(object, { version, oldObject: base, gates: defaultGates })).toEqual(expect.any(Array));
      }),
      { numRuns: 500 },
    );
    seen.expectAtLeast({ 'without a fault': 3, 'with faults': 100 });
  });
});

describe('updates of CloneSets', () => {
  it('the selector stays', () => {
    const old = filled(bare);
    expect(updateFaults(having('spec.selector', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, old), old)[0]).toMatch(
      /^spec: Forbidden: updates to cloneset spec for fields other than 'replicas', 'template', .* are forbidden: selector was changed$/,
    );
    expect(updateFaults(having('spec.replicas', 5, old), old)).toEqual([]);
    expect(updateFaults(having('spec.template.spec.dnsPolicy', 'Default', old), old)).toEqual([]);
    const alpha = filled(bare, 'v1alpha1');
    expect(updateFaults(having('spec.template.spec.dnsPolicy', 'Default', alpha), alpha, 'v1alpha1')).toEqual([]);
  });

  it('members that are empty change nothing, whether they are there or not', () => {
    const alpha = filled(having('spec.updateStrategy', { type: 'InPlaceOnly' }), 'v1alpha1');
    const container = 'spec.template.spec.containers.0';
    const again = having(`${container}.workingDir`, '', having(`${container}.args`, [], having(`${container}.stdin`, null, alpha)));
    expect(updateFaults(again, alpha, 'v1alpha1')).toEqual([]);
    expect(updateFaults(alpha, again, 'v1alpha1')).toEqual([]);
    const labelled = having('spec.selector', { matchLabels: { app: '' } }, alpha);
    expect(updateFaults(labelled, having('spec.selector', { matchLabels: {} }, alpha), 'v1alpha1')).not.toEqual([]);
  });

  it('InPlaceOnly lets images change and nothing else', () => {
    const alpha = filled(having('spec.updateStrategy', { type: 'InPlaceOnly' }), 'v1alpha1');
    const image = having('spec.template.spec.containers.0.image', 'nginx:2', alpha);
    const other = having('spec.template.spec.dnsPolicy', 'Default', image);
    expect(updateFaults(image, alpha, 'v1alpha1')).toEqual([]);
    expect(updateFaults(having('spec.template.metadata.labels', { app: 'web', more: 'x' }, alpha), alpha, 'v1alpha1')).toEqual([]);
    expect(updateFaults(having('spec.template.spec.containers.0.image', undefined, alpha), alpha, 'v1alpha1')).toEqual([
      'spec: Forbidden: only allowed to update images in spec for InPlaceOnly, but found remove /containers/0/image',
    ]);
    expect(updateFaults(having('spec.template.spec.containers.0.args', ['x'], image), alpha, 'v1alpha1')).toEqual([
      'spec: Forbidden: only allowed to update images in spec for InPlaceOnly, but found add /containers/0/args',
    ]);
    expect(updateFaults(having('spec.template.spec.containers', 'x', alpha), alpha, 'v1alpha1')).toEqual([
      'spec: Forbidden: only allowed to update images in spec for InPlaceOnly, but found replace /containers',
    ]);
    expect(updateFaults(having('spec.template.spec.containers.1', { name: 'b', image: 'b:1' }, image), alpha, 'v1alpha1')).toEqual([
      'spec: Forbidden: only allowed to update images in spec for InPlaceOnly, but found add /containers/1',
    ]);
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
  const warnings = (object: JsonObject, gates: Partial<typeof defaultGates> = {}): readonly string[] =>
    cloneSetWarnings(object, { version: 'v1beta1', oldObject: undefined, gates: { ...defaultGates, ...gates } });

  it.each([
    { name: 'a long name', object: having('metadata.name', 'a'.repeat(53)), warning: /^metadata.name: longer than 52 characters/ },
    {
      name: 'OnDelete with all settings of a rollout',
      object: having('spec.updateStrategy', {
        type: 'OnDelete',
        rollingUpdate: {
          partition: '5%',
          paused: true,
          priorityStrategy: {},
          scatterStrategy: [],
          podUpdatePolicy: 'InPlaceIfPossible',
          inPlaceUpdateStrategy: {},
        },
      }),
      warning:
        /^spec.updateStrategy.rollingUpdate: partition, paused, priorityStrategy, scatterStrategy, inPlaceUpdateStrategy have no effect with type OnDelete$/,
    },
    {
      name: 'several pre-download settings without their gate',
      object: having('spec.updateStrategy', {
        rollingUpdate: {
          podUpdatePolicy: 'InPlaceIfPossible',
          inPlaceUpdateStrategy: { imagePreDownloadTimeoutSeconds: 5, imagePreDownloadParallelism: 2, gracePeriodSeconds: 3 },
        },
      }),
      warning: /inPlaceUpdateStrategy: imagePreDownloadTimeoutSeconds, imagePreDownloadParallelism have no effect while/,
    },
    {
      name: 'more replicas than the controller supports',
      object: having('spec.replicas', 1_000_001),
      warning: /^spec.replicas: 1000001 is more than 1000000, so that nothing is done for the object until it is lowered$/,
    },
    {
      name: 'a creation limit of 0',
      object: having('spec.scaleStrategy', { maxUnavailable: 0 }),
      warning: /^spec.scaleStrategy.maxUnavailable: with 0 no Pod is ever created$/,
    },
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

  it.each<{ name: string; object: JsonObject }>([
    {
      name: 'OnDelete with settings that say nothing',
      object: having('spec.updateStrategy', {
        type: 'OnDelete',
        rollingUpdate: { partition: 0, paused: false, priorityStrategy: null, scatterStrategy: undefined },
      }),
    },
    { name: 'OnDelete alone', object: having('spec.updateStrategy', { type: 'OnDelete' }) },
    { name: 'a creation limit of 1', object: having('spec.scaleStrategy', { maxUnavailable: 1 }) },
    { name: 'a creation limit of 1%', object: having('spec.scaleStrategy', { maxUnavailable: '1%' }) },
    { name: 'a creation limit of null', object: having('spec.scaleStrategy', { maxUnavailable: null }) },
    { name: 'a name of 52 characters', object: having('metadata.name', 'a'.repeat(52)) },
    {
      name: 'a name that is no text',
      object: having(
        'metadata.name',
        Array.from({ length: 53 }, () => 'a'),
      ),
    },
    {
      name: 'a grace of updates in place',
      object: having('spec.updateStrategy', {
        rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } },
      }),
    },
  ])('nothing is said about $name', ({ object }) => {
    expect(warnings(object)).toEqual([]);
  });

  it('what v1alpha1 refuses is not warned of there', () => {
    const alpha = filled(having('spec.updateStrategy', { type: 'InPlaceOnly' }), 'v1alpha1');
    const changed = having('spec.template.spec.dnsPolicy', 'Default', alpha);
    expect(cloneSetWarnings(changed, { version: 'v1alpha1', oldObject: alpha, gates: defaultGates })).toEqual([]);
  });

  it('nothing is said about what is in order', () => {
    expect(warnings(filled(bare))).toEqual([]);
    expect(warnings(having('metadata.name', 'a'.repeat(53)), { CloneSetShortHash: true })).toEqual([]);
  });
});
