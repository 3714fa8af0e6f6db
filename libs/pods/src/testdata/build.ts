// Builders with valid defaults for the tests of this project; a test names only what it checks.
import type { Container, ControllerRevision, Pod, PodCondition, PodTemplateSpec } from '@kruise/objects';
import { instant, parseTime } from '@kruise/objects';
import { newRevision } from '../revision/plan-revisions.ts';

export const at = (text: string) => parseTime(text) ?? instant(0);
export const noon = at('2026-01-02T12:00:00Z');

export const template = (spec: object = {}, metadata: object = { labels: { app: 'sample' } }): PodTemplateSpec =>
  ({
    metadata,
    spec: {
      containers: [
        {
          name: 'nginx',
          image: 'nginx:1.25',
          imagePullPolicy: 'Always',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      ...spec,
    },
  });

export const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'sample', uid: 'u1', controller: true, blockOwnerDeletion: true };

export const source = (of: PodTemplateSpec) => ({ namespace: 'default', parent: 'sample', owner, template: of, annotations: {} });

export const revisionWith = (of: PodTemplateSpec, number = 1, annotations: Record<string, string> = {}): ControllerRevision =>
  newRevision({ ...source(of), annotations }, number, 0).revision;

export interface PodGiven {
  readonly name?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: readonly string[];
  readonly deleting?: boolean;
  readonly created?: string;
  readonly nodeName?: string;
  readonly phase?: string;
  readonly gates?: readonly string[];
  readonly conditions?: readonly Partial<PodCondition>[];
  readonly containers?: readonly object[];
  readonly initContainers?: readonly object[];
  readonly statuses?: readonly object[];
  readonly initStatuses?: readonly object[];
}

export function aPod(given: PodGiven = {}): Pod {
  const { gates = ['InPlaceUpdateReady', 'KruisePodReady'], containers = [{ name: 'a', image: 'a:1' }] } = given;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: given.name ?? 'sample-x',
      namespace: 'default',
      uid: given.name ?? 'sample-x',
      resourceVersion: '7',
      creationTimestamp: given.created ?? '2026-01-01T00:00:00Z',
      labels: given.labels ?? {},
      annotations: given.annotations ?? {},
      ...(given.finalizers === undefined ? {} : { finalizers: given.finalizers }),
      ...(given.deleting === true ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    },
    spec: {
      containers: containers as Container[],
      ...(given.initContainers === undefined ? {} : { initContainers: given.initContainers as Container[] }),
      ...(given.nodeName === '' ? {} : { nodeName: given.nodeName ?? 'node1' }),
      readinessGates: gates.map((conditionType) => ({ conditionType })),
    },
    status: {
      phase: given.phase ?? 'Running',
      conditions: (given.conditions ?? []) as PodCondition[],
      containerStatuses: (given.statuses ?? []) as never[],
      ...(given.initStatuses === undefined ? {} : { initContainerStatuses: given.initStatuses as never[] }),
    },
  };
}

export const condition = (type: string, status: string, more: Partial<PodCondition> = {}): PodCondition => ({
  type,
  status,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...more,
});

export const readyConditions = (since = '2026-01-01T00:00:00Z'): readonly PodCondition[] => [
  condition('ContainersReady', 'True', { lastTransitionTime: since }),
  condition('Ready', 'True', { lastTransitionTime: since }),
];
