import { describe, expect, it } from '@jest/globals';
import type { Untyped } from '../objects/untyped.ts';
import type { WorkloadKind } from '../objects/workload-kind.ts';
import { rolloutStatus, updatedPodsText } from './status-text.ts';

interface Shape {
  readonly version?: string;
  readonly generation?: number;
  readonly spec?: object;
  readonly status?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

const object = ({ version = 'v1beta1', generation = 2, spec = {}, status = {}, annotations = {} }: Shape): Untyped => ({
  apiVersion: `apps.kruise.io/${version}`,
  kind: 'X',
  metadata: { name: 'x', generation, annotations },
  spec,
  status,
});

const said = (kind: WorkloadKind, shape: Shape, revision = 0): string => {
  try {
    const { line, done, note } = rolloutStatus(kind, object(shape), revision);
    return `${done ? 'done' : 'wait'}: ${line}${note === undefined ? '' : ` (${note})`}`;
  } catch (error) {
    return `error: ${(error as Error).message}`;
  }
};

const observed = { observedGeneration: 2 };
const inPlace = { updateStrategy: { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' } } };

describe('rollout status of a CloneSet', () => {
  it.each<[name: string, shape: Shape, says: string]>([
    [
      'waits for the controller first, whatever the type',
      { spec: inPlace, status: { observedGeneration: 1 } },
      'wait: Waiting for CloneSet spec update to be observed...',
    ],
    ['waits when nothing has been observed yet', { generation: 0 }, 'wait: Waiting for CloneSet spec update to be observed...'],
    [
      'counts the Pods that the partition lets go: 50 % of 5 holds back 3',
      { spec: { replicas: 5, updateStrategy: { rollingUpdate: { partition: '50%' } } }, status: { ...observed, updatedReplicas: 1 } },
      'wait: Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...',
    ],
    [
      'reads the partition of v1alpha1 beside the type',
      {
        version: 'v1alpha1',
        spec: { replicas: 5, updateStrategy: { type: 'InPlaceOnly', partition: 4 } },
        status: { ...observed, updatedReplicas: 0 },
      },
      'wait: Waiting for partitioned roll out to finish: 0 out of 1 new pods have been updated...',
    ],
    [
      'waits for updated Pods to be ready',
      { spec: { replicas: 3, ...inPlace }, status: { ...observed, updatedReplicas: 3, updatedReadyReplicas: 1 } },
      'wait: Waiting for 2 pods to be ready...',
    ],
    [
      'is complete in place',
      { spec: { replicas: 3, ...inPlace }, status: { ...observed, updatedReplicas: 3, updatedReadyReplicas: 3 } },
      'done: partitioned roll out complete: 3 new pods have been updated...',
    ],
    [
      'is complete with recreation, with its revision',
      {
        spec: { replicas: 3 },
        status: { ...observed, updatedReplicas: 3, updatedReadyReplicas: 3, availableReplicas: 3, updateRevision: 'x-7d' },
      },
      'done: CloneSet rolling update complete 3 pods at revision x-7d...',
    ],
    [
      'says that it is paused while it waits',
      { spec: { replicas: 3, updateStrategy: { rollingUpdate: { paused: true } } }, status: observed },
      'wait: Waiting for partitioned roll out to finish: 0 out of 3 new pods have been updated... (CloneSet is paused)',
    ],
    [
      'has one replica by default',
      { status: observed },
      'wait: Waiting for partitioned roll out to finish: 0 out of 1 new pods have been updated...',
    ],
    [
      'is complete with no replicas',
      { spec: { replicas: 0, ...inPlace }, status: observed },
      'done: partitioned roll out complete: 0 new pods have been updated...',
    ],
    [
      'has no status of its own with OnDelete',
      { spec: { updateStrategy: { type: 'OnDelete' } }, status: observed },
      'error: rollout status is only available for RollingUpdate strategy type',
    ],
  ])('%s', (_name, shape, says) => expect(said('CloneSet', shape)).toBe(says));
});

describe('rollout status of other kinds', () => {
  it.each<[kind: WorkloadKind, shape: Shape, says: string]>([
    ['AdvancedStatefulSet', { status: { observedGeneration: 1 } }, 'wait: Waiting for Advanced StatefulSet spec update to be observed...'],
    [
      'AdvancedStatefulSet',
      { spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } }, status: { ...observed, updatedReplicas: 1 } },
      'wait: Waiting for partitioned roll out to finish:1 out of 2 new pods has been updated...',
    ],
    [
      'AdvancedStatefulSet',
      { spec: { replicas: 3 }, status: { ...observed, updatedReplicas: 3, readyReplicas: 1 } },
      'wait: Waiting for 2 pods to be ready...',
    ],
    [
      'AdvancedStatefulSet',
      { spec: { replicas: 3 }, status: { ...observed, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3, updateRevision: 'x-1' } },
      'done: Advanced StatefulSet rolling update complete 3 pods at revision x-1...',
    ],
    ['DaemonSet', { status: { observedGeneration: 1 } }, 'wait: Waiting for daemon set spec update to be observed...'],
    [
      'DaemonSet',
      { spec: { updateStrategy: { type: 'OnDelete' } }, status: observed },
      'error: rollout status is only available for RollingUpdate strategy type',
    ],
    [
      'AdvancedDaemonSet',
      {
        spec: { updateStrategy: { rollingUpdate: { partition: 2 } } },
        status: { ...observed, desiredNumberScheduled: 5, updatedNumberScheduled: 1 },
      },
      'wait: Waiting for daemon set "x" rollout to finish: 1 out of 3 new pods have been updated...',
    ],
    [
      'AdvancedDaemonSet',
      {
        spec: { updateStrategy: { rollingUpdate: { partition: '50%' } } },
        status: { ...observed, desiredNumberScheduled: 5, updatedNumberScheduled: 2, numberAvailable: 5 },
      },
      'wait: Waiting for daemon set "x" rollout to finish: 2 out of 3 new pods have been updated...',
    ],
    [
      'DaemonSet',
      { status: { ...observed, desiredNumberScheduled: 5, updatedNumberScheduled: 5, numberAvailable: 4 } },
      'wait: Waiting for daemon set "x" rollout to finish: 4 of 5 updated pods are available...',
    ],
    [
      'DaemonSet',
      { status: { ...observed, desiredNumberScheduled: 5, updatedNumberScheduled: 5, numberAvailable: 5 } },
      'done: daemon set "x" successfully rolled out',
    ],
    ['StatefulSet', { status: {} }, 'wait: Waiting for statefulset spec update to be observed...'],
    ['StatefulSet', { spec: { replicas: 2 }, status: { ...observed, readyReplicas: 1 } }, 'wait: Waiting for 1 pods to be ready...'],
    [
      'StatefulSet',
      {
        spec: { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } },
        status: { ...observed, readyReplicas: 2, updatedReplicas: 0 },
      },
      'wait: Waiting for partitioned roll out to finish: 0 out of 1 new pods have been updated...',
    ],
    [
      'StatefulSet',
      {
        spec: { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } },
        status: { ...observed, readyReplicas: 2, updatedReplicas: 1 },
      },
      'done: partitioned roll out complete: 1 new pods have been updated...',
    ],
    [
      'StatefulSet',
      { spec: { replicas: 2 }, status: { ...observed, readyReplicas: 2, updatedReplicas: 1, updateRevision: 'b', currentRevision: 'a' } },
      'wait: waiting for statefulset rolling update to complete 1 pods at revision b...',
    ],
    [
      'StatefulSet',
      { spec: { replicas: 2 }, status: { ...observed, readyReplicas: 2, currentReplicas: 2, updateRevision: 'b', currentRevision: 'b' } },
      'done: statefulset rolling update complete 2 pods at revision b...',
    ],
    ['Deployment', { status: { observedGeneration: 1 } }, 'wait: Waiting for deployment spec update to be observed...'],
    [
      'Deployment',
      { status: { ...observed, conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }] } },
      'error: deployment "x" exceeded its progress deadline',
    ],
    [
      'Deployment',
      { spec: { replicas: 3 }, status: { ...observed, updatedReplicas: 1 } },
      'wait: Waiting for deployment "x" rollout to finish: 1 out of 3 new replicas have been updated...',
    ],
    [
      'Deployment',
      { spec: { replicas: 3 }, status: { ...observed, updatedReplicas: 3, replicas: 5 } },
      'wait: Waiting for deployment "x" rollout to finish: 2 old replicas are pending termination...',
    ],
    [
      'Deployment',
      { spec: { replicas: 3 }, status: { ...observed, updatedReplicas: 3, replicas: 3, availableReplicas: 2 } },
      'wait: Waiting for deployment "x" rollout to finish: 2 of 3 updated replicas are available...',
    ],
    [
      'Deployment',
      { spec: { replicas: 3 }, status: { ...observed, updatedReplicas: 3, replicas: 3, availableReplicas: 3 } },
      'done: deployment "x" successfully rolled out',
    ],
    ['UnitedDeployment', {}, 'error: no status viewer has been implemented for X.apps.kruise.io'],
  ])('%s %j', (kind, shape, says) => expect(said(kind, shape)).toBe(says));

  it('compares the revision of a Deployment when one is requested', () => {
    const annotations = { 'deployment.kubernetes.io/revision': '4' };
    expect(said('Deployment', { annotations }, 3)).toBe('error: desired revision (3) is different from the running revision (4)');
    expect(said('Deployment', { annotations, generation: 3 }, 4)).toBe('wait: Waiting for deployment spec update to be observed...');
  });
});

it('the Pods of the update revision are listed by readiness', () => {
  const pod = (name: string, status: string): Untyped => ({ metadata: { name }, status: { conditions: [{ type: 'Ready', status }] } });
  expect(updatedPodsText([pod('a', 'True'), pod('c', 'False'), pod('b', 'True')])).toBe(
    'Updated ready pods: [a b]\nUpdated not ready pods: [c]\n',
  );
  expect(updatedPodsText([])).toBe('Updated ready pods: []\nUpdated not ready pods: []\n');
});
