/** Defaults, faults and warnings of StatefulSets, each rule with and without its fault. @see spec/statefulset.md 4 */
import { describe, expect, it } from '@jest/globals';
import { formatFieldError, type JsonObject, type StorageClass } from '@kruise/objects';
import { defaultGates, type Gates } from '../../gates/feature-gates.ts';
import { classesToLookUp, resizesWithUpdate, validateClaimGrowth } from './claim-growth.ts';
import { defaultStatefulSet, type StatefulSetVersion } from './defaults.ts';
import { validateStatefulSetUpdate } from './validation.ts';
import { statefulSetWarnings, validateStatefulSet } from './rules.ts';
import { havingIn } from '../../validation/changed-objects.testing.ts';

const bare: JsonObject = {
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    serviceName: 'web',
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1' }], readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
    },
  },
};

const having = havingIn(bare);
const withGates = (more: Partial<Gates>): Gates => ({ ...defaultGates, ...more });
const filled = (object: JsonObject, version: StatefulSetVersion = 'v1beta1', gates: Partial<Gates> = {}): JsonObject =>
  defaultStatefulSet(object, { version, oldObject: undefined, gates: withGates(gates) });
const specOf = (object: JsonObject): JsonObject => object['spec'] as JsonObject;
const faultsOf = (object: JsonObject): readonly string[] => validateStatefulSet(object).map(formatFieldError);
const parallel = (object: JsonObject): JsonObject => having('spec.podManagementPolicy', 'Parallel', object);
const rolling = 'spec.updateStrategy.rollingUpdate';

describe('defaults of StatefulSets', () => {
  it('fill in everything that is optional', () => {
    const { template, ...rest } = specOf(filled(bare));
    expect(rest).toEqual({
      selector: { matchLabels: { app: 'web' } },
      serviceName: 'web',
      podManagementPolicy: 'OrderedReady',
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: { partition: 0, maxUnavailable: 1, podUpdatePolicy: 'ReCreate', minReadySeconds: 0 },
      },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      replicas: 1,
      revisionHistoryLimit: 10,
    });
    expect(template).toMatchObject({ spec: { containers: [{ imagePullPolicy: 'Always' }], restartPolicy: 'Always' } });
  });

  it('leave what is set, and an object that lacks nothing is the very same', () => {
    const complete = filled(having('spec.replicas', 0));
    expect(specOf(complete)['replicas']).toBe(0);
    expect(filled(complete)).toBe(complete);
  });

  it('give OnDelete no settings', () => {
    expect(specOf(filled(having('spec.updateStrategy', { type: 'OnDelete' })))['updateStrategy']).toEqual({ type: 'OnDelete' });
  });

  it('depend on gates, and have nothing in v1alpha1 that it does not know', () => {
    const off = specOf(filled(bare, 'v1beta1', { StatefulSetAutoDeletePVC: false }));
    expect(off['persistentVolumeClaimRetentionPolicy']).toBeUndefined();
    expect(off['volumeClaimUpdateStrategy']).toBeUndefined();
    const on = specOf(filled(bare, 'v1beta1', { StatefulSetAutoResizePVCGate: true }));
    expect(on['volumeClaimUpdateStrategy']).toEqual({ type: 'OnDelete' });
    const alpha = specOf(filled(bare, 'v1alpha1', { StatefulSetAutoResizePVCGate: true }));
    expect([alpha['persistentVolumeClaimRetentionPolicy'], alpha['volumeClaimUpdateStrategy']]).toEqual([undefined, undefined]);
  });

  it('complete a policy that is half filled', () => {
    const policy = specOf(filled(having('spec.persistentVolumeClaimRetentionPolicy', { whenScaled: 'Delete' })))[
      'persistentVolumeClaimRetentionPolicy'
    ];
    expect(policy).toEqual({ whenScaled: 'Delete', whenDeleted: 'Retain' });
  });

  it('leave a template that is stored already, and every template without them', () => {
    const stored = having('spec.replicas', 3);
    const kept = defaultStatefulSet(bare, { version: 'v1beta1', oldObject: stored, gates: defaultGates });
    expect(specOf(kept)['template']).toBe(specOf(bare)['template']);
    expect(specOf(filled(bare, 'v1beta1', { TemplateNoDefaults: true }))['template']).toBe(specOf(bare)['template']);
  });

  it('give claim templates their phase', () => {
    const claims = [{ metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } } }];
    expect(specOf(filled(having('spec.volumeClaimTemplates', claims)))['volumeClaimTemplates']).toMatchObject([
      { status: { phase: 'Pending' } },
    ]);
  });
});

describe('faults of StatefulSets', () => {
  const inPlace = having(`${rolling}.podUpdatePolicy`, 'InPlaceIfPossible', filled(bare));

  it('are none in what defaults make of a bare one, and in one that uses everything', () => {
    const full = [
      ['spec.reserveOrdinals', [1, '3-4']],
      ['spec.ordinals', { start: 3 }],
      ['spec.scaleStrategy', { maxUnavailable: '10%' }],
      [`${rolling}.maxUnavailable`, '50%'],
      [`${rolling}.unorderedUpdate`, {}],
      [`${rolling}.minReadySeconds`, 300],
    ] as const;
    expect(faultsOf(filled(bare))).toEqual([]);
    expect(faultsOf(full.reduce((object, [path, value]) => having(path, value, object), parallel(inPlace)))).toEqual([]);
  });

  it.each<{ path: string; value: unknown; then: readonly string[]; of?: JsonObject }>([
    { path: 'metadata', value: {}, then: ['metadata.name: Required value: name or generateName is required'] },
    { path: 'metadata', value: { generateName: 'web-' }, then: [] },
    {
      path: 'metadata.name',
      value: 'web.db',
      then: [expect.stringContaining('metadata.name: Invalid value: "web.db"') as unknown as string],
    },
    { path: 'metadata.name', value: 'a'.repeat(64), then: [expect.stringContaining('no more than 63') as unknown as string] },
    { path: 'spec', value: undefined, then: ['spec: Required value'] },
    { path: 'spec', value: 'x', then: ['spec: Invalid value: "x": must be an object'] },
    { path: 'spec.template.spec', value: 7, then: ['spec.template.spec: Invalid value: 7: must be an object'] },
    ...['containers', 'initContainers', 'volumes'].flatMap((name) => [
      {
        path: `spec.template.spec.${name}`,
        value: 'x',
        then: [`spec.template.spec.${name}: Invalid value: "x": must be a list`],
      },
      {
        path: `spec.template.spec.${name}`,
        value: [{ name: 'a', image: 'a:1' }, 7],
        then: [`spec.template.spec.${name}[1]: Invalid value: 7: must be an object`],
      },
    ]),
    { path: 'spec.volumeClaimTemplates', value: null, then: [] },
    { path: 'spec.volumeClaimTemplates', value: 7, then: ['spec.volumeClaimTemplates: Invalid value: 7: must be a list'] },
    {
      path: 'spec.volumeClaimTemplates',
      value: [{ metadata: { name: 'data' } }, 'x'],
      then: ['spec.volumeClaimTemplates[1]: Invalid value: "x": must be an object'],
    },
    {
      path: 'spec.volumeClaimTemplates',
      value: [{ metadata: { name: 5 } }],
      then: ['spec.volumeClaimTemplates[0].metadata.name: Invalid value: 5: must be a string'],
    },
    { path: 'spec.podManagementPolicy', value: '', then: ['spec.podManagementPolicy: Required value'] },
    {
      path: 'spec.podManagementPolicy',
      value: 'Serial',
      then: [`spec.podManagementPolicy: Invalid value: "Serial": must be 'OrderedReady' or 'Parallel'`],
    },
    { path: 'spec.reserveOrdinals', value: 3, then: ['spec.reserveOrdinals: Invalid value: 3: must be a list'] },
    {
      path: 'spec.reserveOrdinals',
      value: [0, '5-2', -1],
      then: [
        'spec: Invalid value: "5-2": reserveOrdinals[1] the start of the range must not be above its end',
        'spec: Invalid value: -1: reserveOrdinals[2] must be 0 or more',
      ],
    },
    { path: 'spec.ordinals', value: { start: -1 }, then: ['spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0'] },
    {
      path: 'spec.ordinals',
      value: { start: 2147483647 },
      of: having('spec.replicas', 5, filled(bare)),
      then: ['spec.replicas: Invalid value: 5: start and reservations leave 1 ordinals up to 2147483647'],
    },
    {
      path: 'spec.reserveOrdinals',
      value: ['0-9007199254740993'],
      then: ['spec.replicas: Invalid value: 1: start and reservations leave 0 ordinals up to 2147483647'],
    },
    { path: 'spec.ordinals', value: [], then: [expect.stringContaining('spec.ordinals: Invalid value') as unknown as string] },
    { path: 'spec.scaleStrategy', value: { maxUnavailable: 1 }, then: [] },
    {
      path: 'spec.scaleStrategy',
      value: { maxUnavailable: 2 },
      then: ['spec.scaleStrategy.maxUnavailable: Invalid value: 2: can only work with Parallel PodManagementPolicyType'],
    },
    { path: 'spec.updateStrategy', value: { type: '' }, then: ['spec.updateStrategy: Required value'] },
    {
      path: 'spec.updateStrategy',
      value: { type: 'Never' },
      then: [`spec.updateStrategy: Invalid value: "Never": must be 'RollingUpdate' or 'OnDelete'`],
    },
    { path: 'spec.updateStrategy', value: { type: 'OnDelete' }, then: [] },
    {
      path: 'spec.updateStrategy',
      value: { type: 'OnDelete', rollingUpdate: {} },
      then: [`${rolling}: Invalid value: {}: only allowed for updateStrategy 'RollingUpdate'`],
    },
    { path: `${rolling}.partition`, value: -1, then: [`${rolling}.partition: Invalid value: -1: must be greater than or equal to 0`] },
    { path: `${rolling}.partition`, value: '10%', then: [`${rolling}.partition: Invalid value: "10%": must be an integer`] },
    { path: `${rolling}.minReadySeconds`, value: 301, then: [`${rolling}.minReadySeconds: Invalid value: 301: must be no more than 300`] },
    { path: `${rolling}.maxUnavailable`, value: null, then: [`${rolling}.maxUnavailable: Required value`] },
    {
      path: `${rolling}.maxUnavailable`,
      value: '100%',
      then: [`${rolling}.maxUnavailable: Invalid value: "100%": can only work with Parallel PodManagementPolicyType`],
    },
    {
      path: `${rolling}.maxUnavailable`,
      value: 0,
      of: parallel(filled(bare)),
      then: [`${rolling}.maxUnavailable: Invalid value: 0: should not be less than 1`],
    },
    {
      path: `${rolling}.maxUnavailable`,
      value: '0%',
      of: parallel(filled(bare)),
      then: [`${rolling}.maxUnavailable: Invalid value: "0%": should not be less than 1`],
    },
    { path: `${rolling}.maxUnavailable`, value: '1%', of: parallel(filled(bare)), then: [] },
    { path: `${rolling}.podUpdatePolicy`, value: '', then: [`${rolling}.podUpdatePolicy: Required value`] },
    {
      path: `${rolling}.podUpdatePolicy`,
      value: 'Never',
      then: [expect.stringContaining(`${rolling}.podUpdatePolicy: Invalid value: "Never": must be one of`) as unknown as string],
    },
    {
      path: 'spec.template.spec.readinessGates',
      value: [],
      of: inPlace,
      then: [expect.stringContaining('spec.template.spec.readinessGates: Invalid value') as unknown as string],
    },
    { path: 'spec.template.spec.readinessGates', value: [], then: [] },
    {
      path: `${rolling}.unorderedUpdate`,
      value: {},
      then: [`${rolling}.unorderedUpdate: Required value: can only work with Parallel PodManagementPolicyType`],
    },
    { path: `${rolling}.unorderedUpdate`, value: {}, of: parallel(filled(bare)), then: [] },
    {
      path: 'spec.persistentVolumeClaimRetentionPolicy',
      value: { whenDeleted: 'Delete' },
      then: ['spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "": supported values: "Retain", "Delete"'],
    },
    { path: 'spec.replicas', value: -1, then: ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'] },
    { path: 'spec.selector', value: undefined, then: ['spec.selector: Required value'] },
    { path: 'spec.selector', value: {}, then: ['spec.selector: Invalid value: {}: empty selector is invalid for statefulset'] },
    {
      path: 'spec.selector',
      value: { matchLabels: { app: 'other' } },
      then: ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    },
    {
      path: 'spec.template.metadata.annotations',
      value: { 'a b': 'c' },
      then: [expect.stringContaining('spec.template.metadata.annotations') as unknown as string],
    },
    { path: 'spec.template.spec.restartPolicy', value: '', then: [] },
    {
      path: 'spec.template.spec.restartPolicy',
      value: 'Never',
      then: ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    },
    {
      path: 'spec.template.spec.activeDeadlineSeconds',
      value: 5,
      then: ['spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported'],
    },
    { path: 'spec.template.spec.containers', value: [], then: [] },
  ])('$path = $value', ({ path, value, then, of = filled(bare) }) => {
    expect(faultsOf(having(path, value, of))).toEqual(then);
  });

  it('come all at once', () => {
    const object = having('spec.replicas', -1, having('spec.selector', {}, having('metadata', {}, filled(bare))));
    expect(faultsOf(object)).toHaveLength(3);
  });
});

describe('updates of StatefulSets', () => {
  const old = filled(bare);
  const faults = (object: JsonObject, before: JsonObject = old): readonly string[] =>
    validateStatefulSetUpdate(object, before).map(formatFieldError);

  it.each([
    { path: 'spec.selector', value: { matchLabels: { app: 'web', tier: 'db' } }, name: 'selector' },
    { path: 'spec.serviceName', value: 'other', name: 'serviceName' },
    { path: 'spec.podManagementPolicy', value: 'Parallel', name: 'podManagementPolicy' },
  ])('may not change $path', ({ path, value, name }) => {
    expect(faults(having(path, value, old))).toEqual([
      expect.stringMatching(new RegExp(`^spec: Forbidden: .* are forbidden: ${name} changed$`)),
    ]);
  });

  it('may change everything else, the strategy included', () => {
    const changed = having(
      'spec.updateStrategy',
      { type: 'OnDelete' },
      having('spec.replicas', 9, having('spec.reserveOrdinals', [1], old)),
    );
    expect(faults(changed)).toEqual([]);
    expect(faults(having('spec.volumeClaimTemplates', [], old))).toEqual([]);
  });

  it('do not distinguish absent from empty', () => {
    expect(faults(having('spec.serviceName', '', old), having('spec.serviceName', undefined, old))).toEqual([]);
  });

  it('may change images and their pull policy alone with InPlaceOnly', () => {
    const only = having(`${rolling}.podUpdatePolicy`, 'InPlaceOnly', old);
    expect(faults(having('spec.template.spec.containers.0.image', 'nginx:2', only), only)).toEqual([]);
    expect(faults(having('spec.template.spec.containers.0.imagePullPolicy', 'Never', only), only)).toEqual([]);
    const env = having('spec.template.spec.containers.0.env', [{ name: 'A', value: 'b' }], only);
    expect(faults(env, only)).toEqual([expect.stringContaining('InPlaceOnly, but found add /containers/0/env')]);
    expect(faults(env, old)).toHaveLength(1);
    expect(faults(having('spec.template.spec.containers.0.env', [{ name: 'A', value: 'b' }], old))).toEqual([]);
  });
});

describe('growing claim templates', () => {
  const claim = (name: string, storage: string, more: JsonObject = {}): JsonObject => ({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage } }, ...more },
  });
  const set = (...claims: readonly JsonObject[]): JsonObject =>
    having('spec.volumeClaimUpdateStrategy', { type: 'OnPodRollingUpdate' }, having('spec.volumeClaimTemplates', claims));
  const aClass = (name: string, allowVolumeExpansion?: boolean, created?: string): StorageClass => ({
    metadata: {
      name,
      ...(created === undefined
        ? {}
        : { creationTimestamp: created, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }),
    },
    ...(allowVolumeExpansion === undefined ? {} : { allowVolumeExpansion }),
  });
  const faults = (next: JsonObject, old: JsonObject, ...classes: readonly StorageClass[]): readonly string[] =>
    validateClaimGrowth(next, old, classes).map(formatFieldError);
  const old = set(claim('data', '1Gi'));
  const classless = (storage: string): JsonObject => set(claim('data', storage, { storageClassName: undefined }));

  it('is looked at where the stored object resizes claims with Pods', () => {
    expect([resizesWithUpdate(old), resizesWithUpdate(bare)]).toEqual([true, false]);
  });

  it('requests the classes of claims of which only the size changes', () => {
    expect(classesToLookUp(set(claim('data', '1024Mi')), old)).toEqual([]);
    expect(classesToLookUp(set(claim('data', '2Gi')), old)).toEqual(['fast']);
    expect(classesToLookUp(classless('2Gi'), classless('1Gi'))).toEqual(['']);
  });

  it.each<{ name: string; next: readonly JsonObject[]; before: readonly JsonObject[]; then: readonly string[] }>([
    {
      name: 'a limit that changes',
      next: [claim('data', '1Gi', { resources: { limits: { storage: '3Gi' } } })],
      before: [claim('data', '1Gi', { resources: { limits: { storage: '2Gi' } } })],
      then: ['fast'],
    },
    {
      name: 'a size that was not set',
      next: [claim('data', '1Gi')],
      before: [claim('data', '1Gi', { resources: {} })],
      then: ['fast'],
    },
    {
      name: 'a number for a size, as for the same text',
      next: [claim('data', '1', { resources: { requests: { storage: 1024 } } })],
      before: [claim('data', '1', { resources: { requests: { storage: '1Ki' } } })],
      then: [],
    },
    {
      name: 'two claims of one class once, and that of each other class',
      next: [claim('data', '2Gi'), claim('logs', '2Gi'), claim('slow', '2Gi', { storageClassName: 'slow' })],
      before: [claim('data', '1Gi'), claim('logs', '1Gi'), claim('slow', '1Gi', { storageClassName: 'slow' })],
      then: ['fast', 'slow'],
    },
    { name: 'no claim that is new', next: [claim('data', '1Gi'), claim('logs', '2Gi')], before: [claim('data', '1Gi')], then: [] },
  ])('requests the classes of $name', ({ next, before, then }) => {
    expect(classesToLookUp(set(...next), set(...before))).toEqual(then);
  });

  it('reads no template that is no object, and no list that is none', () => {
    expect(classesToLookUp(set(claim('data', '2Gi'), 'x' as unknown as JsonObject), old)).toEqual(['fast']);
    expect(classesToLookUp(having('spec.volumeClaimTemplates', 'x'), old)).toEqual([]);
    expect(faults(having('spec.volumeClaimTemplates', 'x'), old)).toEqual([
      'spec.volumeClaimTemplates: Invalid value: 0: the number of claim templates cannot change from 1',
    ]);
  });

  it.each<{ name: string; next: JsonObject; before?: JsonObject; classes?: readonly StorageClass[]; then: readonly unknown[] }>([
    { name: 'is allowed by a class that allows it', next: set(claim('data', '2Gi')), classes: [aClass('fast', true)], then: [] },
    { name: 'may shrink as well', next: set(claim('data', '1Mi')), classes: [aClass('fast', true)], then: [] },
    {
      name: 'is refused by a class that forbids it',
      next: set(claim('data', '2Gi')),
      classes: [aClass('fast', false)],
      then: [
        expect.stringMatching(/^spec\.volumeClaimTemplates\[data\]\.spec\.resources\.requests\.storage: Forbidden: StorageClass fast/),
      ],
    },
    {
      name: 'is refused by a class that does not say',
      next: set(claim('data', '2Gi')),
      classes: [aClass('fast')],
      then: [expect.stringContaining('Forbidden: StorageClass fast does not allow volume expansion')],
    },
    {
      name: 'is refused without the class',
      next: set(claim('data', '2Gi')),
      then: [expect.stringContaining('spec.storageClassName: Invalid value: "fast": there is no such StorageClass')],
    },
    { name: 'is taken without a class and a default one', next: classless('2Gi'), before: classless('1Gi'), then: [] },
    {
      name: 'is decided by the newest default class',
      next: classless('2Gi'),
      before: classless('1Gi'),
      classes: [aClass('old', true, '2026-01-01T00:00:00Z'), aClass('new', false, '2026-02-01T00:00:00Z')],
      then: [expect.stringContaining('Forbidden: StorageClass new')],
    },
    {
      name: 'comes with no other number of templates',
      next: set(claim('data', '1Gi'), claim('logs', '1Gi')),
      then: [
        expect.stringContaining('spec.volumeClaimTemplates: Invalid value: 2: the number of claim templates cannot change from 1'),
        expect.stringContaining('spec.volumeClaimTemplates[logs].name: Forbidden'),
      ],
    },
    {
      name: 'comes with no other class',
      next: set(claim('data', '1Gi', { storageClassName: 'slow' })),
      then: ['spec.volumeClaimTemplates[data].spec.storageClassName: Invalid value: "slow": cannot be changed, it is fast'],
    },
    {
      name: 'may set the class that was left to the API server',
      next: set(claim('data', '1Gi')),
      before: classless('1Gi'),
      then: [],
    },
    { name: 'may leave out the class that is set', next: classless('1Gi'), then: [] },
    {
      name: 'is decided by the default class alone, if the claim names none',
      next: classless('2Gi'),
      before: classless('1Gi'),
      classes: [aClass('fast', false), aClass('default', true, '2026-01-01T00:00:00Z')],
      then: [],
    },
    {
      name: 'takes a default class without a time for the oldest',
      next: classless('2Gi'),
      before: classless('1Gi'),
      classes: [aClass('undated', false, ''), aClass('dated', true, '2026-01-01T00:00:00Z')],
      then: [],
    },
    {
      name: 'comes with no other name',
      next: set(claim('logs', '1Gi')),
      then: [
        'spec.volumeClaimTemplates[logs].name: Forbidden: claim templates cannot be added or renamed while claims are resized with Pods',
      ],
    },
    {
      name: 'takes missing access modes for none',
      next: set(claim('data', '1Gi', { accessModes: undefined })),
      before: set(claim('data', '1Gi', { accessModes: [] })),
      then: [],
    },
    {
      name: 'comes with access modes, if it had some',
      next: set(claim('data', '1Gi', { accessModes: undefined })),
      then: ['spec.volumeClaimTemplates[data].spec.accessModes: Invalid value: []: cannot be changed'],
    },
    {
      name: 'comes with no other access modes',
      next: set(claim('data', '1Gi', { accessModes: ['ReadOnlyMany'] })),
      then: [expect.stringContaining('spec.volumeClaimTemplates[data].spec.accessModes: Invalid value')],
    },
  ])('$name', ({ next, before = old, classes = [], then }) => {
    expect(faults(next, before, ...classes)).toEqual(then);
  });
});

describe('warnings about StatefulSets', () => {
  const warn = (object: JsonObject, gates: Partial<Gates> = {}): readonly string[] =>
    statefulSetWarnings(object, { gates: withGates(gates) });

  it('are none about what defaults make of a bare one, nor about one of the longest name that works', () => {
    expect(warn(filled(bare))).toEqual([]);
    expect(warn(having('metadata.name', 'a'.repeat(52), filled(bare)))).toEqual([]);
  });

  it.each<{ path: string; value: unknown; gates?: Partial<Gates>; on?: Partial<Gates>; then: string }>([
    { path: 'spec.ordinals', value: { start: 3 }, on: { StatefulSetStartOrdinal: true }, then: 'StatefulSetStartOrdinal is off' },
    {
      path: 'spec.volumeClaimUpdateStrategy',
      value: { type: 'OnPodRollingUpdate' },
      on: { StatefulSetAutoResizePVCGate: true },
      then: 'StatefulSetAutoResizePVCGate is off',
    },
    {
      path: 'spec.persistentVolumeClaimRetentionPolicy',
      value: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      gates: { StatefulSetAutoDeletePVC: false },
      on: {},
      then: 'StatefulSetAutoDeletePVC is off',
    },
    { path: `${rolling}.maxUnavailable`, value: 2, then: 'one by one with OrderedReady' },
    { path: `${rolling}.inPlaceUpdateStrategy`, value: { gracePeriodSeconds: 5 }, then: 'has no effect with ReCreate' },
    { path: `${rolling}.partition`, value: 1, then: 'no Pod of 1 is updated' },
    { path: 'spec.replicas', value: 1_000_001, then: 'spec.replicas: 1000001 is more than 1000000' },
    { path: 'metadata.name', value: 'a'.repeat(53), then: 'metadata.name: with more than 52 characters' },
  ])('$path = $value', ({ path, value, gates = {}, on, then }) => {
    const object = having(path, value, filled(bare));
    expect(warn(object, gates)).toEqual([expect.stringContaining(then)]);
    if (on !== undefined) expect(warn(object, on)).toEqual([]);
  });

  it('report pre-downloads while their gate is off', () => {
    const ahead = having(
      `${rolling}.inPlaceUpdateStrategy`,
      { imagePreDownloadParallelism: 2 },
      having(`${rolling}.podUpdatePolicy`, 'InPlaceIfPossible', filled(bare)),
    );
    expect(warn(ahead)).toEqual([expect.stringContaining('PreDownloadImageForInPlaceUpdate is off')]);
    expect(warn(ahead, { PreDownloadImageForInPlaceUpdate: true })).toEqual([]);
  });
});
