/** For each finding: objects of which the first has it, and how the same objects look without it. */
import type { LintId } from './findings/catalog.ts';
import type { LintedObject } from './objects/linted.ts';

export interface LintExample {
  readonly id: LintId;
  readonly name: string;
  readonly path: string;
  readonly faulty: readonly LintedObject[];
  /** Without the finding. */
  readonly sound: readonly LintedObject[];
}

const labels = { app: 'web' };
const selector = { matchLabels: labels };
const container = { name: 'main', image: 'app:1' };
const template = { metadata: { labels }, spec: { containers: [container] } };

/** An object of any kind, called `web`. */
export const anObject = (apiVersion: string, kind: string, spec: unknown, metadata: object = {}): LintedObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web', ...metadata },
  spec,
});

const apps = 'apps.kruise.io/v1beta1';

/** A CloneSet that has no findings. */
export const aCloneSet = (spec: object = {}, metadata: object = {}): LintedObject =>
  anObject(apps, 'CloneSet', { replicas: 3, selector, template, ...spec }, metadata);

const statefulSet = (apiVersion = apps, replicas = 3): LintedObject =>
  anObject(apiVersion, 'StatefulSet', { replicas, serviceName: 'web', selector, template });
const rolling = (rollingUpdate: object): LintedObject => aCloneSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
const budget = (spec: object): LintedObject => anObject('policy.kruise.io/v1beta1', 'PodUnavailableBudget', { selector, ...spec });
const scaler = (apiVersion: string, kind: string): LintedObject =>
  anObject('autoscaling/v2', 'HorizontalPodAutoscaler', { scaleTargetRef: { apiVersion, kind, name: 'web' } });
const vertical = (apiVersion: string, kind: string): LintedObject =>
  anObject('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', { targetRef: { apiVersion, kind, name: 'web' } });
const sidecars = (spec: object): LintedObject =>
  anObject(apps, 'SidecarSet', { selector, containers: [{ ...container, name: 'side' }], ...spec });
const marker = (containerName: string): LintedObject =>
  anObject('apps.kruise.io/v1alpha1', 'PodProbeMarker', {
    selector,
    probes: [{ name: 'p', containerName, probe: { exec: { command: ['true'] } }, podConditionType: 'example.com/up' }],
  });
const spread = (apiVersion: string, kind: string, name = 'web'): LintedObject =>
  anObject(apps, 'WorkloadSpread', { targetRef: { apiVersion, kind, name }, subsets: [{ name: 'a', maxReplicas: 1 }, { name: 'b' }] });
const pull = (pullSecrets: readonly string[]): LintedObject =>
  anObject(apps, 'ImagePullJob', { image: 'app:1', completionPolicy: { type: 'Always' }, pullSecrets });
const secret = (name: string): LintedObject => anObject('v1', 'Secret', undefined, { name });
const request = (name: string): LintedObject => anObject(apps, 'ContainerRecreateRequest', { podName: 'web', containers: [{ name }] });
const pod = anObject('v1', 'Pod', { containers: [container] });
const namespaceOf = (team: string): LintedObject => anObject('v1', 'Namespace', {}, { name: 'default', labels: { team } });

/** At least one example of each finding. */
export const lintExamples: readonly LintExample[] = [
  {
    id: 'KR003',
    name: 'more replicas than the subresource scale has',
    path: 'spec.replicas',
    faulty: [aCloneSet({ replicas: 2 ** 40 })],
    sound: [aCloneSet({ replicas: 2 ** 31 - 1 })],
  },
  {
    id: 'KR001',
    name: 'a kind of another group',
    path: 'apiVersion',
    faulty: [anObject(apps, 'PodUnavailableBudget', {})],
    sound: [budget({ maxUnavailable: 1 })],
  },
  { id: 'KR001', name: 'a kind that does not exist', path: 'kind', faulty: [anObject(apps, 'ClonSet', {})], sound: [aCloneSet()] },
  {
    id: 'KR001',
    name: 'a version that is not served',
    path: 'apiVersion',
    faulty: [{ ...aCloneSet(), apiVersion: 'apps.kruise.io/v1' }],
    sound: [aCloneSet()],
  },
  {
    id: 'KR002',
    name: 'an illegal label',
    path: 'metadata.labels[a]',
    faulty: [aCloneSet({}, { labels: { a: 'b c' } })],
    sound: [aCloneSet({}, { labels: { a: 'bc' } })],
  },
  {
    id: 'KR002',
    name: 'no name',
    path: 'metadata.name',
    faulty: [aCloneSet({}, { name: '' })],
    sound: [aCloneSet({}, { name: '', generateName: 'web-' })],
  },
  {
    id: 'KR003',
    name: 'a text in place of a number',
    path: 'spec.replicas',
    faulty: [aCloneSet({ replicas: '3' })],
    sound: [aCloneSet({ replicas: 3 })],
  },
  { id: 'KR003', name: 'a missing field', path: 'spec.selector', faulty: [aCloneSet({ selector: null })], sound: [aCloneSet()] },
  {
    id: 'KR004',
    name: 'labels that the selector does not match',
    path: 'spec.template.metadata.labels',
    faulty: [aCloneSet({ selector: { matchLabels: { app: 'other' } } })],
    sound: [aCloneSet()],
  },
  {
    id: 'KR004',
    name: 'two budgets for one workload',
    path: 'spec.selector',
    faulty: [{ ...budget({ maxUnavailable: 1 }), metadata: { name: 'other' } }, budget({ maxUnavailable: 1 })],
    sound: [budget({ maxUnavailable: 1 })],
  },
  {
    id: 'KR004',
    name: 'a CloneSet that may neither add a Pod nor make one unavailable',
    path: 'spec.updateStrategy.rollingUpdate.maxUnavailable',
    faulty: [rolling({ maxUnavailable: '0%', maxSurge: 0 })],
    sound: [rolling({ maxUnavailable: '1%', maxSurge: 0 })],
  },
  { id: 'KR005', name: 'a gate that is off', path: 'kind', faulty: [pull([])], sound: [] },
  { id: 'KR006', name: 'a misspelt field', path: 'spec.replica', faulty: [aCloneSet({ replica: 3 })], sound: [aCloneSet()] },
  {
    id: 'KR006',
    name: 'a member that metadata lacks',
    path: 'metadata.label',
    faulty: [aCloneSet({}, { label: {} })],
    sound: [aCloneSet()],
  },
  {
    id: 'KR007',
    name: 'a CloneSet of more replicas than a controller works with',
    path: 'spec.replicas',
    faulty: [aCloneSet({ replicas: 1_000_001 })],
    sound: [aCloneSet({ replicas: 1_000_000 })],
  },
  {
    id: 'KR007',
    name: 'a StatefulSet of more replicas than a controller works with',
    path: 'spec.replicas',
    faulty: [statefulSet(apps, 1_000_001)],
    sound: [statefulSet(apps, 1_000_000)],
  },
  {
    id: 'KR008',
    name: 'an object that is defined twice',
    path: 'metadata.name',
    faulty: [aCloneSet(), aCloneSet()],
    sound: [aCloneSet(), aCloneSet({}, { namespace: 'other' })],
  },
  {
    id: 'KR101',
    name: 'a VerticalPodAutoscaler of an Advanced StatefulSet',
    path: 'spec.targetRef',
    faulty: [vertical(apps, 'StatefulSet')],
    sound: [vertical(apps, 'CloneSet')],
  },
  {
    id: 'KR102',
    name: 'an autoscaler of a CloneSet in group apps',
    path: 'spec.scaleTargetRef.apiVersion',
    faulty: [scaler('apps/v1', 'CloneSet')],
    sound: [scaler(apps, 'CloneSet')],
  },
  {
    id: 'KR102',
    name: 'an autoscaler with a version that is not served',
    path: 'spec.scaleTargetRef.apiVersion',
    faulty: [scaler('apps.kruise.io/v1', 'CloneSet')],
    sound: [scaler('apps.kruise.io/v1alpha1', 'CloneSet')],
  },
  {
    id: 'KR102',
    name: 'an autoscaler of an Advanced StatefulSet in group apps',
    path: 'spec.scaleTargetRef.apiVersion',
    faulty: [scaler('apps/v1', 'StatefulSet'), statefulSet()],
    sound: [scaler('apps/v1', 'StatefulSet'), statefulSet('apps/v1')],
  },
  {
    id: 'KR102',
    name: 'an autoscaler of a kind that does not exist',
    path: 'spec.scaleTargetRef.kind',
    faulty: [scaler(apps, 'Deployment')],
    sound: [scaler('apps/v1', 'Deployment')],
  },
  {
    id: 'KR103',
    name: 'an autoscaler of an Advanced DaemonSet',
    path: 'spec.scaleTargetRef.kind',
    faulty: [scaler(apps, 'DaemonSet')],
    sound: [scaler(apps, 'UnitedDeployment')],
  },
  {
    id: 'KR104',
    name: 'a budget of 0',
    path: 'spec.maxUnavailable',
    faulty: [budget({ maxUnavailable: 0 })],
    sound: [budget({ maxUnavailable: 1 })],
  },
  {
    id: 'KR104',
    name: 'a percentage that is all replicas when it is rounded',
    path: 'spec.minAvailable',
    faulty: [budget({ minAvailable: '90%' }), aCloneSet()],
    sound: [budget({ minAvailable: '60%' }), aCloneSet()],
  },
  {
    id: 'KR104',
    name: 'as many available Pods as the workload has',
    path: 'spec.minAvailable',
    faulty: [budget({ selector: undefined, targetRef: { apiVersion: apps, kind: 'CloneSet', name: 'web' }, minAvailable: 3 }), aCloneSet()],
    sound: [budget({ selector: undefined, targetRef: { apiVersion: apps, kind: 'CloneSet', name: 'web' }, minAvailable: 2 }), aCloneSet()],
  },
  {
    id: 'KR105',
    name: 'a partition of all replicas',
    path: 'spec.updateStrategy.rollingUpdate.partition',
    faulty: [rolling({ partition: 3 })],
    sound: [rolling({ partition: 2 })],
  },
  {
    id: 'KR105',
    name: 'a partition of 100%',
    path: 'spec.updateStrategy.rollingUpdate.partition',
    faulty: [rolling({ partition: '100%' })],
    sound: [rolling({ partition: '99%' })],
  },
  {
    id: 'KR105',
    name: 'a SidecarSet with a partition of 100%',
    path: 'spec.updateStrategy.partition',
    faulty: [sidecars({ updateStrategy: { partition: '100%' } })],
    sound: [sidecars({ updateStrategy: { partition: '50%' } })],
  },
  {
    id: 'KR106',
    name: 'a SidecarSet whose Pods must stay available',
    path: 'spec.updateStrategy.maxUnavailable',
    faulty: [sidecars({ updateStrategy: { maxUnavailable: 0 } })],
    sound: [sidecars({ updateStrategy: { maxUnavailable: 1 } })],
  },
  {
    id: 'KR107',
    name: 'a SidecarSet that selects no template',
    path: 'spec.selector',
    faulty: [sidecars({ selector: { matchLabels: { app: 'other' } } }), aCloneSet()],
    sound: [sidecars({}), aCloneSet()],
  },
  {
    id: 'KR107',
    name: 'a SidecarSet of other namespaces',
    path: 'spec.selector',
    faulty: [sidecars({ namespaceSelector: { matchLabels: { team: 'a' } } }), aCloneSet(), namespaceOf('b')],
    sound: [sidecars({ namespaceSelector: { matchLabels: { team: 'a' } } }), aCloneSet(), namespaceOf('a')],
  },
  {
    id: 'KR107',
    name: 'a PodProbeMarker that selects no template',
    path: 'spec.selector',
    faulty: [
      marker('main'),
      aCloneSet({}, { namespace: 'other' }),
      anObject('apps/v1', 'Deployment', { template: { metadata: { labels: {} } } }),
    ],
    sound: [marker('main'), aCloneSet()],
  },
  {
    id: 'KR108',
    name: 'a WorkloadSpread of a workload in another group',
    path: 'spec.targetRef.apiVersion',
    faulty: [spread('apps/v1', 'StatefulSet'), statefulSet()],
    sound: [spread(apps, 'StatefulSet'), statefulSet()],
  },
  {
    id: 'KR109',
    name: 'a probe of a container that the template lacks',
    path: 'spec.probes[0].containerName',
    faulty: [marker('mian'), aCloneSet()],
    sound: [marker('main'), aCloneSet()],
  },
  {
    id: 'KR110',
    name: 'a request for a container that the Pod lacks',
    path: 'spec.containers[0].name',
    faulty: [request('side'), pod],
    sound: [request('main'), pod],
  },
  {
    id: 'KR201',
    name: 'a CloneSet that never creates a Pod',
    path: 'spec.scaleStrategy.maxUnavailable',
    faulty: [aCloneSet({ scaleStrategy: { maxUnavailable: 0 } })],
    sound: [aCloneSet({ scaleStrategy: { maxUnavailable: 1 } })],
  },
  {
    id: 'KR202',
    name: 'v1alpha1',
    path: 'apiVersion',
    faulty: [{ ...aCloneSet(), apiVersion: 'apps.kruise.io/v1alpha1' }],
    sound: [aCloneSet()],
  },
  {
    id: 'KR203',
    name: 'a WorkloadSpread of an absent workload',
    path: 'spec.targetRef',
    faulty: [spread(apps, 'CloneSet', 'other'), aCloneSet()],
    sound: [spread(apps, 'CloneSet'), aCloneSet()],
  },
  {
    id: 'KR205',
    name: 'a CloneSet that an autoscaler scales',
    path: 'spec.replicas',
    faulty: [aCloneSet(), scaler(apps, 'CloneSet')],
    sound: [aCloneSet({ replicas: undefined }), scaler(apps, 'CloneSet')],
  },
];

/** Needs feature gate ImagePullJobGate. */
export const pullSecretExample = { faulty: [pull(['a', 'b']), secret('a')], sound: [pull(['a']), secret('a')] };
