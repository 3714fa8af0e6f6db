import { describe, expect, it } from '@jest/globals';
import { formatFieldError, type JsonObject } from '@kruise/objects';
import { bare, childTemplate, filled, having, unitedOf, validation } from './admission.testing.ts';
import { unitedTemplateNames } from './template-names.ts';
import { validateUnitedDeploymentUpdate } from './validation.ts';
import { validateUnitedDeployment } from './rules.ts';

const faultsOf = (object: JsonObject): readonly string[] => validateUnitedDeployment(object, validation).map(formatFieldError);
const subsets = (...list: readonly JsonObject[]): JsonObject => having('spec.topology.subsets', list, filled(bare));
const total = (replicas: unknown, ...list: readonly JsonObject[]): JsonObject => having('spec.replicas', replicas, subsets(...list));
const adaptive = (object: JsonObject, over: JsonObject = {}): JsonObject =>
  having('spec.topology.scheduleStrategy', { type: 'Adaptive', adaptive: over }, object);

interface Case {
  readonly name: string;
  readonly object: JsonObject;
  /** Beginnings of the faults; none for an object that may be stored. */
  readonly faults: readonly string[];
}

const expectFaults = ({ object, faults }: Case): void => {
  const found = faultsOf(object);
  expect(found.map((fault, at) => (fault.startsWith(faults[at] ?? '-') ? faults[at] : fault))).toEqual(faults);
};

describe('a UnitedDeployment', () => {
  it.each(unitedTemplateNames)('with a %s and nothing else may be stored', (name) => {
    expect(faultsOf(unitedOf(name))).toEqual([]);
    expect(faultsOf(filled(unitedOf(name)))).toEqual([]);
  });

  it.each<Case>([
    { name: 'no name', object: having('metadata', {}), faults: ['metadata.name: Required value'] },
    { name: 'an illegal name', object: having('metadata.name', 'A'), faults: ['metadata.name: Invalid value: "A"'] },
    { name: 'no spec', object: having('spec', null), faults: ['spec: Required value'] },
    { name: 'a spec that is none', object: having('spec', 1), faults: ['spec: Invalid value'] },
    {
      name: 'negative replicas',
      object: having('spec.replicas', -1),
      faults: ['spec.replicas: Invalid value: -1'],
    },
    {
      name: 'a negative history',
      object: having('spec.revisionHistoryLimit', -1),
      faults: ['spec.revisionHistoryLimit: Invalid value: -1'],
    },
    { name: 'no selector', object: having('spec.selector', null), faults: ['spec.selector: Required value'] },
    { name: 'an empty selector', object: having('spec.selector', {}), faults: ['spec.selector: Invalid value'] },
    {
      name: 'a selector that cannot be read',
      object: having('spec.selector', { matchExpressions: [{ key: 'a', operator: 'X' }] }),
      faults: ['spec.selector.matchExpressions[0].operator: Unsupported value'],
    },
    {
      name: 'another strategy',
      object: having('spec.updateStrategy.type', 'Auto'),
      faults: ['spec.updateStrategy.type: Unsupported value'],
    },
    {
      name: 'a partition of a subset that is not there',
      object: having('spec.updateStrategy.manualUpdate.partitions', { z: 1 }),
      faults: ['spec.updateStrategy.manualUpdate.partitions[z]: Not found'],
    },
    {
      name: 'a partition that is none',
      object: having('spec.updateStrategy.manualUpdate.partitions', { a: -1 }),
      faults: ['spec.updateStrategy.manualUpdate.partitions[a]: Invalid value: -1'],
    },
    {
      name: 'another schedule',
      object: having('spec.topology.scheduleStrategy', { type: 'X' }),
      faults: ['spec.topology.scheduleStrategy.type: Unsupported value'],
    },
    { name: 'subsets that are no list', object: having('spec.topology.subsets', 1), faults: ['spec.topology.subsets: Invalid value'] },
    { name: 'no subset', object: having('spec.topology.subsets', []), faults: [] },
    { name: 'no topology', object: having('spec.topology', null), faults: [] },
  ])('with $name', expectFaults);
});

describe('templates', () => {
  const at = (name: string, path: string, value: unknown): JsonObject =>
    having(`spec.template.${name}.${path}`, value, unitedOf(name as 'cloneSetTemplate'));
  const path = (name: string, member: string): string => `spec.template.${name}.${member}`;

  it.each(unitedTemplateNames)('a %s must not say how many, and carry labels that the selector matches', (name) => {
    expectFaults({ name, object: at(name, 'spec.replicas', 2), faults: [`${path(name, 'spec.replicas')}: Forbidden`] });
    expectFaults({ name, object: at(name, 'metadata.labels', {}), faults: [`${path(name, 'metadata.labels')}: Invalid value`] });
    expectFaults({
      name,
      object: at(name, 'spec.template.metadata.labels', { app: 'other' }),
      faults: [`${path(name, 'spec.template.metadata.labels')}: Invalid value`],
    });
    expectFaults({ name, object: at(name, 'spec', null), faults: [`${path(name, 'spec')}: Required value`] });
    expectFaults({
      name,
      object: at(name, 'spec.template.metadata.labels', { app: 'web', '-x': 'y' }),
      faults: [`${path(name, 'spec.template.metadata.labels')}: Invalid value`],
    });
  });

  it.each(['statefulSetTemplate', 'advancedStatefulSetTemplate'])('a %s must not have a partition of its own', (name) => {
    const partition = 'spec.updateStrategy';
    const faults = [`${path(name, 'spec.updateStrategy.rollingUpdate.partition')}: Forbidden`];
    expectFaults({ name, object: at(name, partition, { type: 'RollingUpdate', rollingUpdate: { partition: 0 } }), faults });
    // As in the original; its value is overwritten in the children.
    for (const type of ['', null, undefined])
      expectFaults({ name, object: at(name, partition, { type, rollingUpdate: { partition: 0 } }), faults: [] });
  });

  it.each<readonly [string, unknown, string]>([
    ['minReadySeconds', -1, 'minReadySeconds: Invalid value'],
    ['ordinals', { start: -1 }, 'ordinals.start: Invalid value'],
    ['persistentVolumeClaimRetentionPolicy', { whenScaled: 'X' }, 'persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value'],
    ['podManagementPolicy', 'X', 'podManagementPolicy: Unsupported value'],
    ['updateStrategy', { type: 'X' }, 'updateStrategy.type: Unsupported value'],
    ['updateStrategy', { type: 'OnDelete', rollingUpdate: { partition: 0 } }, 'updateStrategy.rollingUpdate: Invalid value'],
    ['updateStrategy', { rollingUpdate: { partition: -1 } }, 'updateStrategy.rollingUpdate.partition: Invalid value: -1'],
    ['updateStrategy', { rollingUpdate: { maxUnavailable: 0 } }, 'updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0'],
    ['updateStrategy', { rollingUpdate: { maxUnavailable: '101%' } }, 'updateStrategy.rollingUpdate.maxUnavailable: Invalid value'],
    ['template.spec.restartPolicy', 'Never', 'template.spec.restartPolicy: Unsupported value'],
    ['template.spec.activeDeadlineSeconds', 1, 'template.spec.activeDeadlineSeconds: Forbidden'],
  ])('a StatefulSet of Kubernetes with %s %j', (member, value, fault) => {
    expectFaults({
      name: member,
      object: at('statefulSetTemplate', `spec.${member}`, value),
      faults: [path('statefulSetTemplate', `spec.${fault}`)],
    });
  });

  it('Pods of a Deployment are validated as a whole, those of the other kinds when they are created', () => {
    const containers = [{ name: 'main' }];
    expect(faultsOf(at('deploymentTemplate', 'spec.template.spec.containers', containers))).toEqual([
      expect.stringContaining('spec.template.deploymentTemplate.spec.template.spec.containers[0].image: Required value'),
    ]);
    for (const name of ['statefulSetTemplate', 'advancedStatefulSetTemplate', 'cloneSetTemplate'])
      expect(faultsOf(at(name, 'spec.template.spec.containers', containers))).toEqual([]);
    expect(faultsOf(at('deploymentTemplate', 'spec.template.spec.restartPolicy', 'Never'))).toHaveLength(1);
  });

  it.each<Case>([
    { name: 'none', object: having('spec.template', {}), faults: ['spec.template: Required value'] },
    { name: 'two', object: having('spec.template.deploymentTemplate', childTemplate), faults: ['spec.template: Invalid value'] },
    {
      name: 'one that is none',
      object: having('spec.template.cloneSetTemplate', 1),
      faults: ['spec.template.cloneSetTemplate: Invalid value'],
    },
    { name: 'templates that are none', object: having('spec.template', 1), faults: ['spec.template: Invalid value'] },
  ])('$name', expectFaults);

  it.each(unitedTemplateNames)('Pods of a %s are reserved only where they are alike (13)', (name) => {
    const isOrdered = name === 'statefulSetTemplate' || name === 'advancedStatefulSetTemplate';
    const faults = isOrdered ? ['spec.topology.scheduleStrategy: Forbidden'] : [];
    expectFaults({ name, object: adaptive(unitedOf(name), { reserveUnschedulablePods: true }), faults });
    expectFaults({ name, object: adaptive(unitedOf(name), { reserveUnschedulablePods: false }), faults: [] });
  });
});

describe('subsets', () => {
  const a = { name: 'a' };
  it.each<Case>([
    { name: 'no name', object: subsets({}), faults: ['spec.topology.subsets[0].name: Required value'] },
    { name: 'an illegal name', object: subsets({ name: 'a.b' }), faults: ['spec.topology.subsets[0].name: Invalid value'] },
    { name: 'a name of 63 characters', object: subsets({ name: 'a'.repeat(63) }), faults: [] },
    {
      name: 'a name of 64 characters',
      object: subsets({ name: 'a'.repeat(64) }),
      faults: ['spec.topology.subsets[0].name: Invalid value'],
    },
    { name: 'one name twice', object: subsets(a, a), faults: ['spec.topology.subsets[1].name: Duplicate value'] },
    { name: 'one that is none', object: subsets(1 as never), faults: ['spec.topology.subsets[0]: Invalid value'] },
    {
      name: 'an illegal term',
      object: subsets({ ...a, nodeSelectorTerm: { matchExpressions: [{ key: 'k', operator: 'In' }] } }),
      faults: ['spec.topology.subsets[0].nodeSelectorTerm.matchExpressions[0].values: Required value'],
    },
    {
      name: 'a term with an illegal value, which is no fault',
      object: subsets({ ...a, nodeSelectorTerm: { matchExpressions: [{ key: 'k', operator: 'In', values: ['-'] }] } }),
      faults: [],
    },
    {
      name: 'an illegal toleration',
      object: subsets({ ...a, tolerations: [{ operator: 'X' }] }),
      faults: ['spec.topology.subsets[0].tolerations[0].operator', 'spec.topology.subsets[0].tolerations[0].operator'],
    },
    { name: 'a patch that is none', object: subsets({ ...a, patch: 'x' }), faults: ['spec.topology.subsets[0].patch: Invalid value'] },
    {
      name: 'a share in mode Adaptive',
      object: adaptive(total(3, { ...a, replicas: 1 }, { name: 'b' })),
      faults: ['spec.topology.subsets[0].replicas: Forbidden'],
    },
  ])('$name', expectFaults);

  const [list, first] = ['spec.topology.subsets', 'spec.topology.subsets[0]'];
  it.each<Case>([
    { name: 'shares within the total', object: total(6, { ...a, replicas: 1 }, { name: 'b', replicas: '50%' }, { name: 'c' }), faults: [] },
    {
      name: 'shares above it',
      object: total(2, { ...a, replicas: 2 }, { name: 'b', replicas: 1 }, { name: 'c' }),
      faults: [`${list}: Invalid value: 3`],
    },
    {
      name: 'all shares, and too few',
      object: total(4, { ...a, replicas: 1 }, { name: 'b', replicas: 2 }),
      faults: [`${list}: Invalid value: 3`],
    },
    { name: 'all shares, just right', object: total(3, { ...a, replicas: 1 }, { name: 'b', replicas: 2 }), faults: [] },
    {
      name: 'no total, and a subset without share',
      object: total(undefined, { ...a, replicas: 1 }, { name: 'b' }),
      faults: [`${list}: Invalid value`],
    },
    { name: 'no total, and all shares', object: total(undefined, { ...a, replicas: 1 }), faults: [] },
    {
      name: 'a percentage without a total',
      object: total(undefined, { ...a, replicas: '50%' }),
      faults: [`${first}.replicas: Invalid value: "50%"`],
    },
    {
      name: 'a share that is none',
      object: total(3, { ...a, replicas: '50' }, { name: 'b' }),
      faults: [`${first}.replicas: Invalid value: "50"`],
    },
    {
      name: 'a share above 100%',
      object: total(3, { ...a, maxReplicas: '101%' }, { name: 'b' }),
      faults: [`${first}.maxReplicas: Invalid value`],
    },
    {
      name: 'more at least than at most',
      object: total(9, { ...a, minReplicas: 3, maxReplicas: 2 }, { name: 'b' }),
      faults: [`${first}.minReplicas: Invalid value`],
    },
    { name: 'as much at least as at most', object: total(9, { ...a, minReplicas: 3, maxReplicas: 3 }, { name: 'b' }), faults: [] },
    {
      name: 'shares and limits',
      object: total(9, { ...a, minReplicas: 3 }, { name: 'b', replicas: 1 }),
      faults: [`${list}: Invalid value`],
    },
    {
      name: 'a most for all',
      object: total(9, { ...a, maxReplicas: 3 }, { name: 'b', maxReplicas: 9 }),
      faults: [`${list}: Invalid value`],
    },
    {
      name: 'a most for all, and more at least',
      object: total(9, { ...a, minReplicas: 5, maxReplicas: 3 }, { name: 'b', maxReplicas: 1 }),
      faults: [`${first}.minReplicas: Invalid value: 5`, `${list}: Invalid value`, `${list}: Invalid value: 5`],
    },
    {
      name: 'a most for all, and as much at least',
      object: total(9, { ...a, minReplicas: 4, maxReplicas: 3 }, { name: 'b', maxReplicas: 1 }),
      faults: [`${first}.minReplicas: Invalid value: 4`, `${list}: Invalid value`],
    },
    {
      name: 'limits without a total',
      object: total(undefined, { ...a, minReplicas: 3 }, { name: 'b' }),
      faults: [`${list}: Invalid value`],
    },
    { name: 'the least above the total, which is no fault', object: total(2, { ...a, minReplicas: 3 }, { name: 'b' }), faults: [] },
  ])('$name', expectFaults);
});

describe('an update', () => {
  const updates = (object: JsonObject, old: JsonObject): readonly string[] =>
    validateUnitedDeploymentUpdate(object, old).map(formatFieldError);
  const term = (value: string): JsonObject => ({ matchExpressions: [{ key: 'zone', operator: 'In', values: [value] }] });
  const list = (...subset: readonly JsonObject[]): JsonObject => unitedOf('cloneSetTemplate', subset);

  it.each([
    {
      name: 'another term',
      object: list({ name: 'a', nodeSelectorTerm: term('2') }),
      old: list({ name: 'a', nodeSelectorTerm: term('1') }),
      then: 1,
    },
    { name: 'other tolerations', object: list({ name: 'a', tolerations: [{ key: 'k' }] }), old: list({ name: 'a' }), then: 1 },
    { name: 'no term any more', object: list({ name: 'a' }), old: list({ name: 'a', nodeSelectorTerm: term('1') }), then: 1 },
    {
      name: 'an empty term for none',
      object: list({ name: 'a', nodeSelectorTerm: {}, tolerations: [] }),
      old: list({ name: 'a' }),
      then: 0,
    },
    {
      name: 'another name',
      object: list({ name: 'b', nodeSelectorTerm: term('2') }),
      old: list({ name: 'a', nodeSelectorTerm: term('1') }),
      then: 0,
    },
    {
      name: 'another order',
      object: list({ name: 'b' }, { name: 'a', nodeSelectorTerm: term('1') }),
      old: list({ name: 'a', nodeSelectorTerm: term('1') }, { name: 'b' }),
      then: 0,
    },
  ])('with $name (14)', ({ object, old, then }) => {
    expect(updates(object, old)).toHaveLength(then);
  });

  it('keeps the selector', () => {
    expect(updates(having('spec.selector.matchLabels', { app: 'other' }), bare)).toEqual([
      expect.stringContaining('spec.selector: Forbidden'),
    ]);
  });

  it.each<readonly [string, readonly string[], readonly string[]]>([
    [
      'statefulSetTemplate',
      ['template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy', 'minReadySeconds', 'ordinals'],
      ['serviceName', 'volumeClaimTemplates', 'replicas'],
    ],
    ['advancedStatefulSetTemplate', ['replicas', 'template', 'updateStrategy'], ['serviceName', 'volumeClaimTemplates', 'minReadySeconds']],
    ['deploymentTemplate', ['strategy', 'paused', 'minReadySeconds'], []],
    ['cloneSetTemplate', ['lifecycle', 'volumeClaimTemplates'], []],
  ])('of a %s changes what its children take changes of', (name, free, frozen) => {
    const old = unitedOf(name as 'cloneSetTemplate');
    const changed = (member: string): JsonObject => having(`spec.template.${name}.spec.${member}`, { changed: true }, old);
    for (const member of free) expect(updates(changed(member), old)).toEqual([]);
    for (const member of frozen) expect(updates(changed(member), old)).toEqual([expect.stringContaining(`${member} changed`)]);
  });

  it.each<readonly [string, JsonObject, JsonObject]>([
    ['statefulSetTemplate', { podManagementPolicy: 'OrderedReady' }, {}],
    ['statefulSetTemplate', {}, { podManagementPolicy: 'OrderedReady' }],
    ['advancedStatefulSetTemplate', { podManagementPolicy: 'OrderedReady' }, { podManagementPolicy: '' }],
    ['advancedStatefulSetTemplate', { volumeClaimTemplates: [], serviceName: '', reserveOrdinals: [] }, {}],
    ['advancedStatefulSetTemplate', {}, { volumeClaimTemplates: [], serviceName: null }],
  ])('of a %s to %j from %j means the same', (name, next, old) => {
    const having = (spec: JsonObject): JsonObject => {
      const child = { ...childTemplate, spec: { ...(childTemplate['spec'] as JsonObject), ...spec } };
      return { ...bare, spec: { ...(bare['spec'] as JsonObject), template: { [name]: child } } };
    };
    expect(updates(having(next), having(old))).toEqual([]);
    expect(updates(having({ ...next, podManagementPolicy: 'Parallel' }), having(old))).toHaveLength(1);
  });

  it.each<{ name: string; path: string; value: unknown }>([
    { name: 'replicas', path: 'spec.replicas', value: 3 },
    { name: 'no labels', path: 'metadata', value: {} },
    { name: 'other labels of its Pods', path: 'spec.template.metadata.labels', value: { app: 'other' } },
  ])('of a cloneSetTemplate with $name, which the original has stored, is free as far as that stays', ({ path, value }) => {
    const stored = having(`spec.template.cloneSetTemplate.${path}`, value);
    const judged = (object: JsonObject, oldObject?: JsonObject): readonly string[] =>
      validateUnitedDeployment(object, { ...validation, oldObject }).map(formatFieldError);
    expect(judged(stored)).toHaveLength(1);
    expect(judged(having('spec.replicas', 9, stored), stored)).toEqual([]);
    expect(judged(stored, bare)).toHaveLength(1);
    if (path === 'spec.replicas') expect(judged(having('spec.template.cloneSetTemplate.spec.replicas', 4, stored), stored)).toEqual([]);
  });

  it('to a template of another kind is free (15)', () => {
    expect(updates(unitedOf('cloneSetTemplate'), unitedOf('statefulSetTemplate'))).toEqual([]);
  });
});
