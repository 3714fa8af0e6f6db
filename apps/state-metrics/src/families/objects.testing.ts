/** One object of each kind, with a value in every member that is exported. */
import type { KubeObject } from '@kruise/objects';

/** An object with any members. */
export type AnyObject = KubeObject & Readonly<Record<string, unknown>>;

const metadata = {
  name: 'c',
  namespace: 'n',
  uid: '7c1b5d2e-0000-4000-8000-000000000001',
  resourceVersion: '17',
  generation: 4,
  creationTimestamp: '2024-08-21T11:20:24Z',
  labels: { app: 'web', 'app.kubernetes.io/partOf': 'shop' },
  annotations: { 'example.com/owner': 'team "a"' },
};
const workload = {
  selector: { matchLabels: { app: 'web' } },
  template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
};
const targetRef = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'c' };
const condition = { type: 'Progressing', status: 'True' };

/** By resource. */
export const anObjectOf: Readonly<Record<string, AnyObject>> = {
  clonesets: {
    metadata,
    spec: {
      ...workload,
      replicas: 5,
      updateStrategy: { type: 'InPlaceIfPossible', paused: true, maxUnavailable: '25%', maxSurge: '25%', partition: '40%' },
    },
    status: {
      replicas: 6,
      availableReplicas: 3,
      readyReplicas: 4,
      updatedReplicas: 2,
      updatedReadyReplicas: 1,
      observedGeneration: 3,
      conditions: [condition, { type: 'Blocked', status: 'Unknown' }],
    },
  },
  statefulsets: {
    metadata,
    spec: {
      ...workload,
      replicas: 5,
      reserveOrdinals: [1, '3-4'],
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%', partition: 2, paused: true } },
    },
    status: {
      replicas: 6,
      availableReplicas: 3,
      currentReplicas: 2,
      readyReplicas: 4,
      updatedReplicas: 1,
      observedGeneration: 3,
      currentRevision: 'c-1',
      updateRevision: 'c-2',
      conditions: [condition],
    },
  },
  sidecarsets: {
    metadata: { ...metadata, namespace: undefined as never },
    spec: {
      namespace: 'pods',
      containers: [
        {
          name: 'a',
          podInjectPolicy: 'BeforeAppContainer',
          upgradeStrategy: { upgradeType: 'ColdUpgrade' },
          shareVolumePolicy: { type: 'enabled' },
        },
        { name: 'b', upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' } },
      ],
      updateStrategy: { type: 'RollingUpdate', maxUnavailable: '30%', partition: 2 },
    },
    status: { matchedPods: 9, updatedPods: 8, readyPods: 7, updatedReadyPods: 6, observedGeneration: 3 },
  },
  daemonsets: {
    metadata,
    spec: { ...workload, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { paused: true, maxSurge: '30%', partition: 2 } } },
    status: {
      currentNumberScheduled: 1,
      desiredNumberScheduled: 4,
      numberAvailable: 2,
      numberMisscheduled: 5,
      numberReady: 3,
      numberUnavailable: 6,
      updatedNumberScheduled: 7,
      observedGeneration: 3,
      conditions: [{ type: 'Blocked', status: 'False' }],
    },
  },
  broadcastjobs: {
    metadata,
    spec: {
      template: workload.template,
      parallelism: 10,
      completionPolicy: { type: 'Always', activeDeadlineSeconds: 600, ttlSecondsAfterFinished: 60 },
    },
    status: { active: 1, succeeded: 2, failed: 3, desired: 6, conditions: [{ type: 'Complete', status: 'True' }] },
  },
  workloadspreads: {
    metadata,
    spec: { targetRef, subsets: [{ name: 'a' }, { name: 'b' }], scheduleStrategy: { type: 'Adaptive' } },
    status: {
      subsetStatuses: [
        { name: 'a', replicas: 3, missingReplicas: 0 },
        { name: 'b', replicas: 0, missingReplicas: -1 },
      ],
    },
  },
  containerrecreaterequests: {
    metadata,
    spec: { podName: 'p', containers: [{ name: 'main' }] },
    status: {
      phase: 'Recreating',
      containerRecreateStates: ['Pending', 'Succeeded', 'Succeeded', 'Failed'].map((phase, at) => ({ name: `container-${at}`, phase })),
    },
  },
  advancedcronjobs: {
    metadata,
    spec: { schedule: '@daily', template: {} },
    status: { active: [{}, {}], lastScheduleTime: '2024-08-21T11:20:24Z' },
  },
  imagelistpulljobs: {
    metadata,
    spec: { images: ['web:1'], completionPolicy: {} },
    status: { desired: 4, active: 1, completed: 3, succeeded: 2, completionTime: '2024-08-21T11:20:24Z' },
  },
  imagepulljobs: {
    metadata,
    spec: { image: 'web:1', completionPolicy: {} },
    status: { desired: 4, active: 1, succeeded: 2, failed: 3, completionTime: '2024-08-21T11:20:24Z' },
  },
  nodeimages: {
    metadata: { ...metadata, namespace: undefined as never },
    spec: {},
    status: { desired: 9, pulling: 1, succeeded: 2, failed: 3, waiting: 4 },
  },
  persistentpodstates: { metadata, spec: { targetRef }, status: { observedGeneration: 3, podStates: { 'c-0': {}, 'c-1': {} } } },
  podprobemarkers: { metadata, spec: { selector: workload.selector, probes: [] }, status: { observedGeneration: 3, matchedPods: 7 } },
  podunavailablebudgets: {
    metadata,
    spec: {},
    status: { observedGeneration: 3, currentAvailable: 5, desiredAvailable: 4, totalReplicas: 6, unavailableAllowed: 1, conditions: [] },
  },
  resourcedistributions: {
    metadata: { ...metadata, namespace: undefined as never },
    spec: { resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, targets: {} },
    status: { observedGeneration: 3, desired: 5, succeeded: 4, failed: 1, conditions: [{ type: 'GetResourceFailed', status: 'False' }] },
  },
  uniteddeployments: {
    metadata,
    spec: { selector: workload.selector, topology: {}, replicas: 8 },
    status: {
      currentRevision: 'c-1',
      observedGeneration: 3,
      replicas: 7,
      readyReplicas: 6,
      updatedReplicas: 5,
      updatedReadyReplicas: 4,
      reservedPods: 1,
      conditions: [{ type: 'SubsetProvisioned', status: 'True' }],
    },
  },
};
