import { describe, expect, it } from '@jest/globals';
import { formatFieldError, formatFieldErrors, type JsonObject } from '@kruise/objects';
import type { SpreadTemplate } from './validation-subset.ts';
import { isSpreadable, unworkableSpread, validateWorkloadSpread, type SpreadSupport } from './validation.ts';

const target = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' };
const spreadOf = (spec: object = {}, name = 'mine'): JsonObject => ({
  metadata: { name },
  spec: { targetRef: target, subsets: [{ name: 'a', maxReplicas: 1 }, { name: 'b' }], ...spec },
});
const subsets = (...all: readonly object[]): object => ({ subsets: all.map((one, index) => ({ name: `s${index}`, ...one })) });
const limits = (...all: readonly unknown[]): object =>
  subsets(...all.map((maxReplicas) => (maxReplicas === undefined ? {} : { maxReplicas })));
const adaptive = (rescheduleCriticalSeconds: unknown, ...all: readonly object[]): object => ({
  ...subsets(...all),
  scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds } },
});
const term = (key: string, operator: string, values?: readonly string[]) => ({ matchExpressions: [{ key, operator, values }] });
const pod = { containers: [{ name: 'main', image: 'app:1' }] };
const template: SpreadTemplate = {
  template: { metadata: { labels: { app: 'web' } }, spec: pod },
  allowPrivileged: false,
  claimVolumes: ['data'],
  hostNetworkHostPorts: true,
};

interface More {
  readonly old?: JsonObject;
  readonly others?: readonly JsonObject[];
  readonly support?: SpreadSupport;
  readonly template?: SpreadTemplate;
}

const faultsOf = (object: JsonObject, { old, others = [], support = { kind: 'Unsupported' }, template: of }: More = {}): string =>
  formatFieldErrors(validateWorkloadSpread(object, { listed: () => support, oldObject: old, others, template: of }));

describe('a WorkloadSpread', () => {
  it.each<{ name: string; spec: object; more?: More }>([
    { name: 'with limits for all but the last subset', spec: {} },
    { name: 'of one subset without a limit', spec: { subsets: [{ name: 'a' }] } },
    { name: 'of a subset that has a patch alone', spec: subsets({ patch: { metadata: { labels: { a: 'b' } } } }) },
    { name: 'with percentages that come to 100', spec: limits('30%', '70%') },
    { name: 'with percentages below 100 and an open last subset', spec: limits('30%', '60%', undefined) },
    { name: 'with a limit of none', spec: limits(0, undefined) },
    { name: 'for a StatefulSet by numbers', spec: { targetRef: { ...target, kind: 'StatefulSet' }, ...limits(1, 3) } },
    { name: 'for a listed kind', spec: { targetRef: { ...target, kind: 'GameSet' } }, more: { support: { kind: 'Supported' } } },
    { name: 'that waits as long as may be', spec: adaptive(73, {}, {}, {}, {}, {}) },
    { name: 'that waits as long as may be with two', spec: adaptive(295, {}, {}) },
    { name: 'that waits for no time', spec: adaptive(0, {}, {}) },
    { name: 'that is Adaptive by its type alone', spec: { scheduleStrategy: { type: 'Adaptive' } } },
    { name: 'of no type in particular', spec: { scheduleStrategy: { type: '' } } },
    { name: 'without settings that are null', spec: { scheduleStrategy: { type: 'Fixed', adaptive: null } } },
    { name: 'that is Adaptive with a limit for the only subset', spec: adaptive(5, { maxReplicas: 1 }) },
    { name: 'whose last limit is null', spec: adaptive(5, { maxReplicas: 1 }, { maxReplicas: null }) },
    { name: 'with all in the first subset', spec: limits('100%', '0%') },
    { name: 'whose patch is null', spec: subsets({ patch: null }) },
    { name: 'with a filter of nothing', spec: { targetFilter: { selector: null } } },
    { name: 'for a Deployment', spec: { targetRef: { ...target, apiVersion: 'apps/v1', kind: 'Deployment' } } },
    { name: 'for a ReplicaSet', spec: { targetRef: { ...target, apiVersion: 'apps/v1', kind: 'ReplicaSet' } } },
    { name: 'for a Job by percentages', spec: { targetRef: { ...target, apiVersion: 'batch/v1', kind: 'Job' }, ...limits('50%', '50%') } },
    { name: 'for a StatefulSet of Kubernetes', spec: { targetRef: { ...target, apiVersion: 'apps/v1', kind: 'StatefulSet' } } },
    {
      name: 'with rules that schedulers take',
      spec: subsets({
        requiredNodeSelector: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] },
        preferredNodeSelector: [{ weight: 1, preference: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] } }],
        tolerations: [{ key: 'x', operator: 'Exists' }],
      }),
    },
    {
      name: 'that prefers a value that no label can have, as Pods may',
      spec: subsets({ preferredNodeSelector: [{ weight: 1, preference: term('zone', 'In', ['-']) }] }),
    },
    { name: 'that waits for any time with one subset', spec: adaptive(100_000, {}) },
    { name: 'of the type Fixed', spec: { scheduleStrategy: { type: 'Fixed' } } },
    { name: 'with a filter', spec: { targetFilter: { selector: { matchLabels: { role: 'x' } } } } },
    {
      name: 'in another version of the target',
      spec: { targetRef: { ...target, apiVersion: 'apps.kruise.io/v1alpha1' } },
      more: { old: spreadOf() },
    },
    {
      name: 'beside those of other workloads',
      spec: {},
      more: { others: [spreadOf(), spreadOf({ targetRef: { ...target, name: 'x' } }, 'x')] },
    },
    {
      name: 'with a patch that uses a volume of the claim templates',
      spec: subsets({ patch: { spec: { containers: [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/d' }] }] } } }),
      more: { template },
    },
  ])('$name is let in', ({ spec, more }) => {
    expect(faultsOf(spreadOf(spec), more)).toBe('');
  });

  it.each<{ name: string; spec: object; more?: More; faults: readonly string[] }>([
    { name: 'no target', spec: { targetRef: undefined }, faults: ['spec.targetRef: Required value'] },
    {
      name: 'a target without version and name',
      spec: { targetRef: { apiVersion: '', kind: 'CloneSet', name: '' } },
      faults: ['spec.targetRef: Invalid value', 'apiVersion, name must not be empty'],
    },
    {
      name: 'a CloneSet of group apps',
      spec: { targetRef: { ...target, apiVersion: 'apps/v1' } },
      faults: ['a CloneSet must be of group "apps.kruise.io"'],
    },
    {
      name: 'a StatefulSet of another group',
      spec: { targetRef: { ...target, apiVersion: 'x/v1', kind: 'StatefulSet' } },
      faults: ['must be of group "apps" or "apps.kruise.io"'],
    },
    { name: 'a kind that is not listed', spec: { targetRef: { ...target, kind: 'GameSet' } }, faults: ['or of a kind on the white list'] },
    {
      name: 'any other kind while the list cannot be read',
      spec: { targetRef: { ...target, kind: 'GameSet' } },
      more: { support: { kind: 'Unknown', why: 'the list is no JSON' } },
      faults: ['spec.targetRef: Internal error: the list is no JSON'],
    },
    ...(
      [
        ['Deployment', 'apps.kruise.io/v1', '"apps"'],
        ['ReplicaSet', 'extensions/v1', '"apps"'],
        ['Job', 'apps/v1', '"batch"'],
      ] as const
    ).map(([kind, apiVersion, group]) => ({
      name: `a ${kind} of another group, listed or not`,
      spec: { targetRef: { ...target, apiVersion, kind } },
      more: { support: { kind: 'Supported' } } as const,
      faults: [`spec.targetRef: Invalid value`, `a ${kind} must be of group ${group}`],
    })),
    { name: 'a target without a kind', spec: { targetRef: { ...target, kind: '' } }, faults: ['kind must not be empty'] },
    { name: 'no subset', spec: { subsets: [] }, faults: ['spec.subsets: Required value'] },
    {
      name: 'subsets without a name, and of the same name',
      spec: { subsets: [{ name: '' }, { name: 'a' }, { name: 'a' }] },
      faults: ['spec.subsets[0].name: Required value', 'spec.subsets[2].name: Duplicate value: "a"'],
    },
    {
      name: 'rules on nodes that no scheduler takes',
      spec: subsets({
        requiredNodeSelector: term('zone', 'Is', ['a']),
        preferredNodeSelector: [{ weight: 101, preference: term('zone', 'In', ['a']) }],
        tolerations: [{ key: 'x', operator: 'Some' }],
      }),
      faults: [
        'spec.subsets[0].requiredNodeSelector.matchExpressions[0].operator',
        'spec.subsets[0].preferredNodeSelector[0].weight',
        'spec.subsets[0].tolerations[0].operator',
      ],
    },
    {
      name: 'values that no label can have',
      spec: subsets({ requiredNodeSelector: term('zone', 'In', ['a b']) }),
      faults: ['spec.subsets[0].requiredNodeSelector.matchExpressions[0].values[0]'],
    },
    { name: 'numbers beside percentages', spec: limits(1, '50%'), faults: ['spec.subsets[1].maxReplicas', 'the same form'] },
    {
      name: 'percentages for a StatefulSet',
      spec: { targetRef: { ...target, kind: 'StatefulSet' }, ...limits('50%', undefined) },
      faults: ['must be a number for a StatefulSet'],
    },
    {
      name: 'a negative limit',
      spec: limits(-1, undefined),
      faults: ['spec.subsets[0].maxReplicas: Invalid value: -1: must not be negative'],
    },
    { name: 'parts of a percent', spec: limits('50.2%', undefined), faults: ['spec.subsets[0].maxReplicas'] },
    { name: 'a number in quotation marks', spec: limits('5', undefined), faults: ['spec.subsets[0].maxReplicas'] },
    { name: 'more than all', spec: limits('60%', '50%'), faults: ['spec.subsets[1].maxReplicas', '110%'] },
    { name: 'more than all by one in a hundred', spec: limits('60%', '41%', undefined), faults: ['spec.subsets[1].maxReplicas', '101%'] },
    { name: 'percentages beside numbers', spec: limits('50%', 1), faults: ['spec.subsets[1].maxReplicas', 'the same form'] },
    {
      name: 'percentages for a StatefulSet in a later subset alone',
      spec: { targetRef: { ...target, kind: 'StatefulSet' }, ...limits(undefined, '50%') },
      faults: ['spec.subsets[1].maxReplicas', 'must be a number for a StatefulSet'],
    },
    { name: 'a negative percentage', spec: limits('-5%', undefined), faults: ['spec.subsets[0].maxReplicas'] },
    { name: 'half a Pod', spec: limits(0.5, undefined), faults: ['spec.subsets[0].maxReplicas'] },
    {
      name: 'less than all after a subset without a limit',
      spec: limits(undefined, '30%'),
      faults: ['spec.subsets[0].maxReplicas', 'not 30%'],
    },
    { name: 'less than all', spec: limits('60%', '30%'), faults: ['spec.subsets[0].maxReplicas', 'not 90%'] },
    {
      name: 'an unknown strategy',
      spec: { scheduleStrategy: { type: 'Free' } },
      faults: ['spec.scheduleStrategy.type', 'Adaptive or Fixed'],
    },
    {
      name: 'settings of Adaptive for Fixed',
      spec: { scheduleStrategy: { type: 'Fixed', adaptive: {} } },
      faults: ['spec.scheduleStrategy.type', 'must be Adaptive where adaptive is given'],
    },
    {
      name: 'settings of Adaptive for no type in particular',
      spec: { scheduleStrategy: { adaptive: {} } },
      faults: ['spec.scheduleStrategy.type', 'must be Adaptive where adaptive is given'],
    },
    {
      name: 'a type that is no text',
      spec: { scheduleStrategy: { type: 7 } },
      faults: ['spec.scheduleStrategy.type: Invalid value: 7: must be Adaptive or Fixed'],
    },
    {
      name: 'Adaptive with a limit for the last subset',
      spec: adaptive(5, {}, { maxReplicas: 1 }),
      faults: ['spec.scheduleStrategy.adaptive', 'must have no maxReplicas'],
    },
    { name: 'a negative time', spec: adaptive(-1, {}, {}), faults: ['rescheduleCriticalSeconds: Invalid value: -1'] },
    { name: 'a second too much with two subsets', spec: adaptive(296, {}, {}), faults: ['must not be above 295 with 2 subsets'] },
    { name: 'a time that is a text', spec: adaptive('8', {}, {}), faults: ['must be an integer'] },
    { name: 'part of a second', spec: adaptive(0.5, {}, {}), faults: ['must be an integer'] },
    {
      name: 'a time that leaves none for the others (15)',
      spec: adaptive(80, {}, {}, {}, {}, {}),
      faults: ['must not be above 73 with 5 subsets'],
    },
    {
      name: 'a filter without values',
      spec: { targetFilter: { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } },
      faults: ['spec.targetFilter.selector.matchExpressions[0].values'],
    },
    {
      name: 'a second one for the workload, whatever its version (14)',
      spec: {},
      more: { others: [spreadOf({ targetRef: { ...target, apiVersion: 'apps.kruise.io/v1alpha1' } }, 'other')] },
      faults: ['is in conflict with WorkloadSpread other'],
    },
    {
      name: 'a second one for the workload, although the first is being deleted',
      spec: {},
      more: { others: [{ ...spreadOf({}, 'other'), metadata: { name: 'other', deletionTimestamp: '2026-01-01T00:00:00Z' } }] },
      faults: ['is in conflict with WorkloadSpread other'],
    },
    {
      name: 'a second one for the workload, though each is for other Pods of it',
      spec: { targetFilter: { selector: { matchLabels: { role: 'x' } } } },
      more: { others: [spreadOf({ targetFilter: { selector: { matchLabels: { role: 'y' } } } }, 'other')] },
      faults: ['is in conflict with WorkloadSpread other'],
    },
    {
      name: 'a workload of another kind later',
      spec: { targetRef: { ...target, kind: 'StatefulSet' } },
      more: { old: spreadOf() },
      faults: ['spec.targetRef: Forbidden: only the version of targetRef may be changed'],
    },
    {
      name: 'a workload of another group later',
      spec: { targetRef: { ...target, apiVersion: 'apps/v1', kind: 'StatefulSet' } },
      more: { old: spreadOf({ targetRef: { ...target, kind: 'StatefulSet' } }) },
      faults: ['spec.targetRef: Forbidden'],
    },
    {
      name: 'another workload later (14)',
      spec: { targetRef: { ...target, name: 'other' } },
      more: { old: spreadOf() },
      faults: ['spec.targetRef: Forbidden'],
    },
    { name: 'a patch that is no object', spec: subsets({ patch: 'x' }), faults: ['spec.subsets[0].patch'] },
    {
      name: 'a patch that does not merge',
      spec: subsets({ patch: { spec: { containers: [{ image: 'x' }] } } }),
      more: { template },
      faults: ['spec.subsets[0].patch', 'cannot be merged'],
    },
    {
      name: 'a patch whose Pods would be refused',
      spec: subsets({ patch: { spec: { containers: [{ name: 'main', image: null }] } } }),
      more: { template },
      faults: ['spec.subsets[0].patch', 'would be refused', 'image'],
    },
  ])('$name is refused', ({ spec, more, faults }) => {
    const text = faultsOf(spreadOf(spec), more);
    expect(faults.filter((fault) => !text.includes(fault))).toEqual([]);
    expect(text).not.toBe('');
  });

  it('has every fault listed, with the allowed values, in the order of its members', () => {
    const spec = {
      targetRef: { ...target, kind: 'GameSet' },
      subsets: [{ name: '' }, { name: '' }, null, { name: 'a', patch: 'x' }, { name: 'b', maxReplicas: -1 }],
      scheduleStrategy: { type: 'Free', adaptive: { rescheduleCriticalSeconds: -1 } },
      targetFilter: { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] } },
    };
    const faults = validateWorkloadSpread(spreadOf(spec), {
      listed: () => ({ kind: 'Unsupported' }),
      oldObject: spreadOf(),
      others: [spreadOf(spec, 'other')],
      template: undefined,
    });
    const shown = '{"apiVersion":"apps.kruise.io/v1beta1","kind":"GameSet","name":"web"}';
    expect(faults.map(formatFieldError)).toEqual([
      `spec.targetRef: Invalid value: ${shown}: must be one of CloneSet, Deployment, ReplicaSet, Job, StatefulSet, or of a kind on the white list of the cluster`,
      'spec.subsets[0].name: Required value: must not be empty',
      'spec.subsets[1].name: Required value: must not be empty',
      'spec.subsets[2]: Invalid value: null: must be an object',
      'spec.subsets[3].patch: Invalid value: "x": must be an object: a strategic merge patch of a Pod',
      'spec.subsets[4].maxReplicas: Invalid value: -1: must not be negative',
      'spec.scheduleStrategy.type: Invalid value: "Free": must be Adaptive or Fixed',
      'spec.scheduleStrategy.adaptive: Invalid value: {"rescheduleCriticalSeconds":-1}: the last subset must have no maxReplicas, for it takes what no other can',
      'spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds: Invalid value: -1: must not be negative',
      expect.stringMatching(/^spec\.targetFilter\.selector\.matchExpressions\[0\]\.values: /),
      'spec.targetRef: Forbidden: only the version of targetRef may be changed',
      `spec.targetRef: Invalid value: ${shown}: is in conflict with WorkloadSpread other, which is for the same workload`,
    ]);
    expect(faultsOf({ metadata: { name: 'mine' }, spec: {} })).toBe(
      '[spec.targetRef: Required value: says whose Pods are spread, spec.subsets: Required value: at least one subset must be given]',
    );
  });

  it('is asked about with the group and the kind of its target, where that is not always supported', () => {
    const asked: unknown[] = [];
    const listed = (kind: object): SpreadSupport => {
      asked.push(kind);
      return { kind: 'Supported' };
    };
    for (const kind of ['GameSet', 'CloneSet'])
      validateWorkloadSpread(spreadOf({ targetRef: { ...target, kind } }), {
        listed,
        oldObject: undefined,
        others: [],
        template: undefined,
      });
    expect(asked).toEqual([{ group: 'apps.kruise.io', kind: 'GameSet' }]);
  });

  it('has the first five faults of its patch listed', () => {
    const containers = Array.from({ length: 7 }, (_none, index) => ({ name: `X${index}`, image: 'app:1' }));
    const text = faultsOf(spreadOf(subsets({ patch: { spec: { containers } } })), { template });
    expect(text.match(/containers\[\d\]\.name/g)).toHaveLength(5);
  });

  it('with values that are no texts is refused for that', () => {
    const required = { requiredNodeSelector: { matchExpressions: [{ key: 'zone', operator: 'In', values: [7] }] } };
    expect(faultsOf(spreadOf(subsets(required)))).toContain('spec.subsets[0].requiredNodeSelector.matchExpressions[0].values');
  });

  it('has no faults listed that the template has without it', () => {
    const broken = { ...template, template: { spec: { containers: [{ name: 'NO' }] } } };
    expect(faultsOf(spreadOf(subsets({ patch: { metadata: {} } })), { template: broken })).toBe('');
  });

  it.each([{}, { spec: null }, { spec: { targetRef: 7, subsets: [7, null], scheduleStrategy: 7, targetFilter: 7 } }])(
    'of any shape is validated without an error: %j',
    (object) => {
      expect(faultsOf(object as JsonObject)).toContain('spec.targetRef');
      expect(unworkableSpread(object as JsonObject)).toBeDefined();
    },
  );

  it('that the rules can handle is decided by the same rules, whatever others there are', () => {
    expect(unworkableSpread(spreadOf({ targetRef: { ...target, kind: 'GameSet' } }))).toBeUndefined();
    const preference = term('zone', 'In', ['a b']);
    expect(unworkableSpread(spreadOf(subsets({ preferredNodeSelector: [{ weight: 1, preference }] })))).toBeUndefined();
    expect(unworkableSpread(spreadOf(limits('x')))?.field).toBe('spec.subsets[0].maxReplicas');
  });

  it.each([
    ['apps', 'Deployment', true],
    ['apps', 'ReplicaSet', true],
    ['apps', 'StatefulSet', true],
    ['apps.kruise.io', 'StatefulSet', true],
    ['apps.kruise.io', 'CloneSet', true],
    ['batch', 'Job', true],
    ['apps', 'CloneSet', false],
    ['', 'Pod', false],
  ])('%s %s may be its target unlisted: %p', (group, kind, then) => {
    expect(isSpreadable({ group, kind })).toBe(then);
  });
});
