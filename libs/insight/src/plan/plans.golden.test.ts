/** Every field of the plan of many changes, as recorded in `testdata/*.txt`; with `UPDATE_GOLDEN=1`, they are recorded again. */
import { describe, expect, it } from '@jest/globals';
import type { Gates } from '@kruise/api';
import { aDaemonSet, aNode } from '@kruise/kinds/daemonset/testing';
import { aClaimTemplate, aStatefulSet, type SetShape } from '@kruise/kinds/statefulset/testing';
import type { Pod } from '@kruise/objects';
import { goldenText } from '@kruise/testing';
import type { AnyObject } from '../seen.ts';
import type { Batch, BatchEnd, ChangePlan, FieldChange, WorkloadPlan } from './change-plan.ts';
import { asObject, factsOf, runningCloneSet, settled, templateOf, typed, withSpec, type RunningSet } from './fixtures.testing.ts';
import { planChange } from './plan-change.ts';

interface Row {
  readonly name: string;
  readonly running: RunningSet;
  /** Members of the spec that change. */
  readonly spec: object;
  readonly objects?: readonly AnyObject[];
  readonly gates?: Partial<Gates>;
}

const updateGate: Partial<Gates> = { PodUnavailableBudgetUpdateGate: true };
const rolling = (rollingUpdate: object, more: object = {}): object => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate, ...more },
});
const inPlace = { podUpdatePolicy: 'InPlaceIfPossible', partition: 0, maxUnavailable: 2, maxSurge: 0 };

const budget = (name: string, spec: object, status?: object): AnyObject =>
  typed('policy.kruise.io/v1beta1', 'PodUnavailableBudget', {
    metadata: { name, namespace: 'default', uid: name },
    spec,
    ...(status === undefined ? {} : { status }),
  });
const forApp = (app: string, limit: object): object => ({ selector: { matchLabels: { app } }, ...limit });

const related = (name: string) => (pod: Pod) => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, 'kruise.io/related-pub': name } },
});
const unready = (pod: Pod): Pod => ({
  ...pod,
  status: {
    ...pod.status!,
    conditions: pod.status!.conditions!.map((one) =>
      one.type.endsWith('Ready') && one.type !== 'InPlaceUpdateReady' ? { ...one, status: 'False' as const } : one,
    ),
  },
});
/** A Pod of another workload. */
const foreignPod = (name: string, from: RunningSet, change: (pod: Pod) => Pod = (pod) => pod): AnyObject => {
  const pod = from.facts.objects.find(({ kind }) => kind === 'Pod') as unknown as Pod;
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'other', uid: 'other', controller: true };
  const { labels } = pod.metadata;
  const metadata = { name, namespace: 'default', uid: name, ownerReferences: [owner], ...(labels === undefined ? {} : { labels }) };
  return typed('v1', 'Pod', change({ ...pod, metadata }));
};

const cloneSets: readonly Row[] = [
  {
    name: 'a CloneSet whose policy allows updates in place only',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling({ ...inPlace, podUpdatePolicy: 'InPlaceOnly' }) },
  },
  {
    name: 'a CloneSet with a surge that updates in place',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling({ ...inPlace, maxSurge: 1 }) },
  },
  {
    name: 'a CloneSet that may create one Pod at a time',
    running: runningCloneSet(),
    spec: { replicas: 8, scaleStrategy: { maxUnavailable: 1 } },
  },
  {
    name: 'a CloneSet with a partition in percent',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling({ ...inPlace, partition: '40%' }) },
  },
  {
    name: 'a CloneSet with a partition and a surge',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling({ ...inPlace, podUpdatePolicy: 'ReCreate', partition: 3, maxSurge: 1 }) },
  },
  {
    name: 'a CloneSet that scales in and updates',
    running: runningCloneSet(),
    spec: { replicas: 3, ...templateOf('app:2'), ...rolling(inPlace) },
  },
  { name: 'a CloneSet that scales to 0', running: runningCloneSet(), spec: { replicas: 0 } },
  {
    name: 'a CloneSet with Pods that are not ready',
    running: runningCloneSet({}, (pod, index) => (index < 2 ? unready(pod) : pod)),
    spec: { ...templateOf('app:2'), ...rolling({ ...inPlace, maxUnavailable: 1 }) },
  },
  {
    name: 'a CloneSet that gets claims',
    running: runningCloneSet(),
    spec: { volumeClaimTemplates: [aClaimTemplate('data')], ...rolling(inPlace) },
  },
  {
    name: 'a CloneSet whose hook keeps Pods that are updated',
    running: runningCloneSet(),
    spec: {
      ...templateOf('app:2', {}, { app: 'sample', hold: 'yes' }),
      lifecycle: { inPlaceUpdate: { labelsHandler: { hold: 'yes' } } },
      ...rolling(inPlace),
    },
  },
];

const budgets: readonly Row[] = [
  {
    name: 'a budget that its controller has not seen yet',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling(inPlace) },
    objects: [budget('new', forApp('sample', { maxUnavailable: 1 }))],
    gates: updateGate,
  },
  {
    name: 'a budget for other Pods',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling(inPlace) },
    objects: [budget('other', forApp('other', { maxUnavailable: 0 }))],
    gates: updateGate,
  },
  {
    name: 'a budget that names the workload',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling(inPlace) },
    objects: [
      budget('named', { targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'sample' }, maxUnavailable: 0 }),
    ],
    gates: updateGate,
  },
  {
    name: 'a budget that names another workload',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling(inPlace) },
    objects: [budget('named', { targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'other' }, maxUnavailable: 0 })],
    gates: updateGate,
  },
  {
    name: 'a budget in an annotation of the Pods, beside one whose selector matches them',
    running: runningCloneSet({}, related('second')),
    spec: { ...templateOf('app:2'), ...rolling(inPlace) },
    objects: [budget('first', forApp('sample', { maxUnavailable: 0 })), budget('second', forApp('sample', { maxUnavailable: 1 }))],
    gates: updateGate,
  },
  {
    name: 'an annotation that names a budget which does not exist',
    running: runningCloneSet({}, related('gone')),
    spec: { ...templateOf('app:2'), ...rolling(inPlace) },
    objects: [budget('first', forApp('sample', { maxUnavailable: 0 }))],
    gates: updateGate,
  },
  {
    name: 'a budget of which a Pod of another workload uses a part',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling(inPlace) },
    objects: [foreignPod('o1', runningCloneSet(), unready), budget('shared', forApp('sample', { maxUnavailable: 2 }))],
    gates: updateGate,
  },
  {
    name: 'a budget with Pods of another workload that are ready',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling(inPlace) },
    objects: [foreignPod('o1', runningCloneSet()), budget('shared', forApp('sample', { minAvailable: 5 }))],
    gates: updateGate,
  },
  {
    name: 'a budget with a Pod of another workload that has failed',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling(inPlace) },
    objects: [
      foreignPod('o1', runningCloneSet(), (pod) => ({ ...pod, status: { ...pod.status!, phase: 'Failed' } })),
      budget('shared', forApp('sample', { minAvailable: '80%' })),
    ],
    gates: updateGate,
  },
  {
    name: 'a budget in percent while the workload grows',
    running: runningCloneSet(),
    spec: { replicas: 10, ...templateOf('app:2'), ...rolling({ ...inPlace, maxUnavailable: 4 }) },
    objects: [
      budget('percent', forApp('sample', { minAvailable: '80%' }), {
        totalReplicas: 5,
        currentAvailable: 5,
        desiredAvailable: 4,
        unavailableAllowed: 1,
      }),
    ],
    gates: updateGate,
  },
  {
    name: 'a budget of another workload while this one grows',
    running: runningCloneSet(),
    spec: { replicas: 10 },
    objects: [budget('other', forApp('other', { minAvailable: '80%' }))],
    gates: updateGate,
  },
  {
    name: 'a budget with both gates, and Pods that are recreated',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling({ ...inPlace, podUpdatePolicy: 'ReCreate' }) },
    objects: [budget('one', forApp('sample', { maxUnavailable: 1 }))],
    gates: updateGate,
  },
  {
    name: 'a budget of which a Pod that is not ready uses nothing more',
    running: runningCloneSet({}, (pod, index) => (index === 0 ? unready(pod) : pod)),
    spec: { ...templateOf('app:2'), ...rolling(inPlace) },
    objects: [budget('used', forApp('sample', { maxUnavailable: 1 }))],
    gates: updateGate,
  },
  {
    name: 'a budget and a hook that keeps Pods that are updated',
    running: runningCloneSet(),
    spec: {
      ...templateOf('app:2', {}, { app: 'sample', hold: 'yes' }),
      lifecycle: { inPlaceUpdate: { labelsHandler: { hold: 'yes' }, markPodNotReady: true } },
      ...rolling(inPlace),
    },
    objects: [budget('one', forApp('sample', { maxUnavailable: 1 }))],
    gates: updateGate,
  },
  {
    name: 'a budget that allows nothing, and a surge',
    running: runningCloneSet(),
    spec: { ...templateOf('app:2'), ...rolling({ ...inPlace, podUpdatePolicy: 'ReCreate', maxSurge: 1 }) },
    objects: [budget('none', forApp('sample', { maxUnavailable: 0 }))],
  },
  {
    name: 'a budget that allows nothing, of Pods that are deleted',
    running: runningCloneSet(),
    spec: { replicas: 3 },
    objects: [budget('none', forApp('sample', { maxUnavailable: 0 }))],
  },
];

const web = templateOf('app:2', {}, { app: 'web' }) as { readonly template: { readonly spec: object } };
const gatedWeb = {
  template: { ...web.template, spec: { ...web.template.spec, readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] } },
};
const aWeb = (shape: SetShape = {}, ...others: readonly AnyObject[]): RunningSet => settled(aStatefulSet(shape), ...others);
const fast = typed('storage.k8s.io/v1', 'StorageClass', { metadata: { name: 'fast' }, allowVolumeExpansion: true });
const onUpdate = { spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' as const } } };
const resizeGate: Partial<Gates> = { StatefulSetAutoResizePVCGate: true };

const statefulSets: readonly Row[] = [
  { name: 'a StatefulSet', running: aWeb(), spec: gatedWeb },
  {
    name: 'a StatefulSet whose Pods are recreated in order',
    running: aWeb({ rollingUpdate: { podUpdatePolicy: 'ReCreate' } }),
    spec: gatedWeb,
  },
  { name: 'a StatefulSet with OnDelete', running: aWeb({ type: 'OnDelete' }), spec: gatedWeb },
  { name: 'a StatefulSet that is paused', running: aWeb({ rollingUpdate: { paused: true } }), spec: gatedWeb },
  { name: 'a StatefulSet with a partition', running: aWeb({ rollingUpdate: { partition: 2 } }), spec: gatedWeb },
  {
    name: 'a StatefulSet whose Pods are updated at the same time',
    running: aWeb({ parallel: true, rollingUpdate: { maxUnavailable: 2 } }),
    spec: gatedWeb,
  },
  {
    name: 'a StatefulSet that allows updates in place only, with a field that is not updated in place',
    running: aWeb({ rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } }),
    spec: templateOf('app:1', { workingDir: '/srv' }, { app: 'web' }),
  },
  { name: 'a StatefulSet that scales in', running: aWeb({ claims: [aClaimTemplate('data')] }), spec: { replicas: 1 } },
  {
    name: 'a StatefulSet that scales in and deletes claims',
    running: aWeb({
      claims: [aClaimTemplate('data')],
      spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' } },
    }),
    spec: { replicas: 1 },
    gates: { StatefulSetAutoDeletePVC: true },
  },
  { name: 'a StatefulSet with a reserved ordinal', running: aWeb(), spec: { reserveOrdinals: [1] } },
  {
    name: 'a StatefulSet whose claims grow',
    running: aWeb({ claims: [aClaimTemplate('data')], ...onUpdate }, fast),
    spec: { ...gatedWeb, volumeClaimTemplates: [aClaimTemplate('data', '2Gi')] },
    gates: resizeGate,
  },
  {
    name: 'a StatefulSet whose claims cannot grow',
    running: aWeb({ claims: [aClaimTemplate('data')], ...onUpdate }),
    spec: { ...gatedWeb, volumeClaimTemplates: [aClaimTemplate('data', '2Gi')] },
    gates: resizeGate,
  },
  {
    name: 'a StatefulSet with another claim',
    running: aWeb({ claims: [aClaimTemplate('data')] }),
    spec: { volumeClaimTemplates: [aClaimTemplate('data'), aClaimTemplate('logs')] },
  },
  {
    name: 'a StatefulSet of which a budget keeps every Pod, at the same time',
    running: aWeb({ parallel: true, rollingUpdate: { maxUnavailable: 1 } }),
    spec: gatedWeb,
    objects: [budget('none', forApp('web', { maxUnavailable: 0 }))],
    gates: updateGate,
  },
];

const agentOf = (image: string, more: object = {}): object => {
  const { template } = templateOf(image, {}, { app: 'agent' }) as { readonly template: { readonly spec: object } };
  return { template: { ...template, spec: { ...template.spec, ...more } } };
};
const nodeOf = (name: string, labels: Readonly<Record<string, string>> = {}): AnyObject => {
  const node = aNode(name);
  return asObject({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...labels } } });
};
const nodes = [nodeOf('n1', { disk: 'ssd' }), nodeOf('n2'), nodeOf('n3', { zone: 'a' })];
const agents = (shape: Parameters<typeof aDaemonSet>[0] = {}): RunningSet => settled(aDaemonSet(shape), ...nodes);

const daemonSets: readonly Row[] = [
  { name: 'a DaemonSet', running: agents(), spec: agentOf('app:2') },
  {
    name: 'a DaemonSet that updates in place',
    running: agents({ rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible' } }),
    spec: agentOf('app:2'),
  },
  {
    name: 'a DaemonSet with a surge',
    running: agents(),
    spec: { ...agentOf('app:2'), ...rolling({ rollingUpdateType: 'Standard', maxUnavailable: 0, maxSurge: 1 }) },
  },
  {
    name: 'a DaemonSet with a partition',
    running: agents(),
    spec: { ...agentOf('app:2'), ...rolling({ rollingUpdateType: 'Standard', maxUnavailable: 1, partition: 2 }) },
  },
  {
    name: 'a DaemonSet that updates the nodes of a selector',
    running: agents(),
    spec: {
      ...agentOf('app:2'),
      ...rolling({ rollingUpdateType: 'Standard', maxUnavailable: 1, selector: { matchLabels: { zone: 'a' } } }),
    },
  },
  {
    name: 'a DaemonSet that is paused',
    running: agents(),
    spec: { ...agentOf('app:2'), ...rolling({ rollingUpdateType: 'Standard', maxUnavailable: 1, paused: true }) },
  },
  { name: 'a DaemonSet with OnDelete', running: agents(), spec: { ...agentOf('app:2'), updateStrategy: { type: 'OnDelete' } } },
  { name: 'a DaemonSet that chooses one node', running: agents(), spec: agentOf('app:1', { nodeSelector: { disk: 'ssd' } }) },
  { name: 'a DaemonSet and another node', running: agents(), spec: {}, objects: [nodeOf('n4')] },
  {
    name: 'a DaemonSet of which a budget keeps one Pod after the other',
    running: agents({ rollingUpdate: { maxUnavailable: 3 } }),
    spec: agentOf('app:2'),
    objects: [budget('one', forApp('agent', { maxUnavailable: 1 }))],
  },
  {
    name: 'a DaemonSet of which a budget in percent counts the chosen nodes',
    running: agents(),
    spec: agentOf('app:2', { nodeSelector: { disk: 'ssd' } }),
    objects: [
      budget('percent', forApp('agent', { minAvailable: '100%' }), {
        totalReplicas: 3,
        currentAvailable: 3,
        desiredAvailable: 3,
        unavailableAllowed: 0,
      }),
    ],
  },
];

const valueText = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value));
const changeText = ({ path, before, after }: FieldChange): string => `${path}: ${valueText(before)} -> ${valueText(after)}`;
const endText = (end: BatchEnd): string => ('limit' in end ? `${end.kind}, ${end.limit}` : end.kind);
const list = (what: string, names: readonly string[]): readonly string[] => (names.length === 0 ? [] : [`${what} ${names.join(' ')}`]);

function batchText({ inPlace: updated, recreated, deleted, created, endedBy }: Batch): string {
  const parts = [
    ...list('in place', updated),
    ...list('recreated', recreated),
    ...list('deleted', deleted),
    ...(created > 0 ? [`created ${created}`] : []),
  ];
  return `batch: ${parts.join(', ')} (${endText(endedBy)})`;
}

const workloadLines = ({
  kind,
  name,
  operation,
  counts,
  batches,
  endedBy,
  wantsInPlace,
  recreations,
  claims,
  images,
  assumptions,
}: WorkloadPlan) => [
  `${operation} ${kind} ${name}: ${Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')}`,
  ...batches.map(batchText),
  `ends: ${endText(endedBy)}${wantsInPlace ? ', in place is wanted' : ''}`,
  ...recreations.flatMap(({ fromRevision, why, fields }) => [
    `recreated from ${fromRevision}: ${why}`,
    ...fields.map((field) => `  ${changeText(field)}`),
  ]),
  ...claims.map(({ claim, change, from, to }) => `claim ${claim}: ${change} ${from ?? 'absent'} -> ${to ?? 'absent'}`),
  ...images.map(({ image, nodes: count, isExact }) => `image ${image}: ${isExact ? 'exactly' : 'about'} ${count} nodes`),
  ...assumptions.map((assumption) => `assumes that ${assumption}`),
];

const planText = (name: string, { kind, name: object, operation, fields, summary, workloads }: ChangePlan): string =>
  [
    name,
    ...[`${operation} ${kind} ${object}: ${summary}`, ...fields.map(changeText), ...workloads.flatMap(workloadLines)].map(
      (line) => `  ${line}`,
    ),
    '',
  ].join('\n');

function planOf({ running: { set, facts }, spec, objects = [], gates = {} }: Row): ChangePlan {
  return planChange(set, withSpec(set, spec), { ...factsOf(...facts.objects, ...objects), gates: { ...facts.gates, ...gates } });
}

describe('the plan', () => {
  it.each([
    ['cloneset', cloneSets],
    ['budget', budgets],
    ['statefulset', statefulSets],
    ['daemonset', daemonSets],
  ])('of each %s is as recorded', (file, rows) => {
    const text = rows.map((row) => planText(row.name, planOf(row))).join('\n');
    expect(text).toBe(goldenText(new URL(`./testdata/${file}.txt`, import.meta.url), text));
  });
});
