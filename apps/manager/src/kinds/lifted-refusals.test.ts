/** Refusals that end: whatever a policy has refused for a long time, every kind that owns no Pods makes the write again within a minute. */
import { describe, expect, it } from '@jest/globals';
import {
  advancedCronJobs,
  containerRecreateRequests,
  ephemeralJobs,
  imageListPullJobs,
  imagePullJobs,
  labels,
  nodePodProbes,
  persistentPodStateAnnotations,
  podProbeMarkers,
  podUnavailableBudgets,
  resourceDistributions,
} from '@kruise/api';
import { apiFailures, isWrite, type FakeCall } from '@kruise/kube/testing';
import { namespaces, nodes, pods, type KubeObject, type ResourceType } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { aNode } from '@kruise/kinds/images/builders.testing';
import type { ControllerModule } from '../module/kind-module.ts';
import { asNew } from '../module/controller-process.testing.ts';
import { InMemoryCluster } from '../module/in-memory-cluster.testing.ts';
import { builtInStatefulSets } from '@kruise/workloads';
import { advancedCronJobController } from './advancedcronjob/controller.ts';
import { containerRecreateRequestController } from './containerrecreaterequest/controller.ts';
import { ephemeralJobController } from './ephemeraljob/controller.ts';
import { imageListPullJobController } from './imagelistpulljob/controller.ts';
import { imagePullJobController } from './imagepulljob/controller.ts';
import { nodeImageController } from './nodeimage/controller.ts';
import { nodePodProbeController } from './nodepodprobe/controller.ts';
import { persistentPodStateController } from './persistentpodstate/controller.ts';
import { podProbeMarkerController } from './podprobemarker/controller.ts';
import { podUnavailableBudgetController } from './podunavailablebudget/controller.ts';
import { resourceDistributionController } from './resourcedistribution/controller.ts';

interface Row {
  readonly name: string;
  readonly controller: ControllerModule;
  readonly given: readonly (readonly [ResourceType, object])[];
  /** Plural of the kind of objects to which the policy refuses every write. */
  readonly refused: string;
}

const metadata = { namespace: 'default', name: 'one' };
const selector = { matchLabels: { app: 'web' } };
/** Of the second object that the API server is given. */
const webUid = '00000000-0000-4000-8000-000000000002';
const web = asNew(aPod({ name: 'web', node: 'n0', labels: { app: 'web' } }));
const aWeb = {
  ...web,
  status: { ...web.status, conditions: [{ type: 'Initialized', status: 'True' }] },
};
const statefulSet = (annotations: object): readonly [ResourceType, object] => [
  builtInStatefulSets,
  { metadata: { ...metadata, annotations }, spec: { replicas: 1 } },
];
const marker = {
  metadata,
  spec: { selector, probes: [{ name: 'idle', containerName: 'main', podConditionType: 'Idle', probe: { exec: { command: ['true'] } } }] },
};
const result = { name: 'one#idle', state: 'Succeeded' };
const listOfNode = {
  metadata: { name: 'n0' },
  spec: {
    podProbes: [{ name: 'web', namespace: 'default', uid: webUid, probes: [{ name: 'one#idle', containerName: 'main', probe: {} }] }],
  },
  status: { podProbeStatuses: [{ name: 'web', namespace: 'default', uid: webUid, probeStates: [result] }] },
};

const rows: readonly Row[] = [
  {
    name: 'the ImagePullJob of an ImageListPullJob',
    controller: imageListPullJobController,
    given: [[imageListPullJobs, { metadata, spec: { images: ['nginx'], completionPolicy: { type: 'Always' } } }]],
    refused: 'imagepulljobs',
  },
  {
    name: 'the finalizer of an EphemeralJob',
    controller: ephemeralJobController,
    given: [[ephemeralJobs, { metadata, spec: { selector: {}, template: { ephemeralContainers: [] } } }]],
    refused: 'ephemeraljobs',
  },
  {
    name: 'the Job of an AdvancedCronJob, whose next time is a day later',
    controller: advancedCronJobController,
    given: [[advancedCronJobs, { metadata, spec: { schedule: '5 0 * * *', timeZone: 'UTC', template: { jobTemplate: { spec: {} } } } }]],
    refused: 'jobs',
  },
  {
    name: 'the finalizer of an ImagePullJob',
    controller: imagePullJobController,
    given: [[imagePullJobs, { metadata, spec: { image: 'nginx', completionPolicy: { type: 'Always' } } }]],
    refused: 'imagepulljobs',
  },
  {
    name: 'the copy of a ResourceDistribution',
    controller: resourceDistributionController,
    given: [
      [namespaces, { metadata: { name: 'a' } }],
      [
        resourceDistributions,
        {
          metadata: { name: 'one' },
          spec: {
            resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: {} },
            targets: { includedNamespaces: { list: [{ name: 'a' }] } },
          },
        },
      ],
    ],
    refused: 'configmaps',
  },
  {
    name: 'the status of a ResourceDistribution',
    controller: resourceDistributionController,
    given: [[resourceDistributions, { metadata: { name: 'one' }, spec: { resource: {}, targets: {} } }]],
    refused: 'resourcedistributions',
  },
  {
    name: 'the finalizer of a PodProbeMarker',
    controller: podProbeMarkerController,
    given: [[podProbeMarkers, marker]],
    refused: 'podprobemarkers',
  },
  {
    name: 'the probes of a PodProbeMarker in the list of a node',
    controller: podProbeMarkerController,
    given: [
      [nodes, aNode('n0')],
      [pods, aWeb],
      [nodePodProbes, { metadata: { name: 'n0' }, spec: {} }],
      [podProbeMarkers, marker],
    ],
    refused: 'nodepodprobes',
  },
  { name: 'the NodePodProbe of a node', controller: nodePodProbeController, given: [[nodes, aNode('n0')]], refused: 'nodepodprobes' },
  {
    name: 'the result of a probe in a Pod',
    controller: nodePodProbeController,
    given: [
      [nodes, aNode('n0')],
      [pods, aWeb],
      [podProbeMarkers, marker],
      [nodePodProbes, listOfNode],
    ],
    refused: 'pods',
  },
  { name: 'the NodeImage of a node', controller: nodeImageController, given: [[nodes, aNode('n0')]], refused: 'nodeimages' },
  {
    name: 'the end of a ContainerRecreateRequest without a Pod',
    controller: containerRecreateRequestController,
    given: [
      [
        containerRecreateRequests,
        { metadata: { ...metadata, labels: { [labels.recreatePodUid]: 'web' } }, spec: { podName: 'web', containers: [{ name: 'main' }] } },
      ],
    ],
    refused: 'containerrecreaterequests',
  },
  {
    name: 'the PersistentPodState that a StatefulSet asks for',
    controller: persistentPodStateController,
    given: [
      statefulSet({
        [persistentPodStateAnnotations.autoGenerate]: 'true',
        [persistentPodStateAnnotations.requiredTopology]: 'topology.kubernetes.io/zone',
      }),
    ],
    refused: 'persistentpodstates',
  },
  {
    name: 'the status of a PodUnavailableBudget',
    controller: podUnavailableBudgetController,
    given: [
      [pods, aWeb],
      [podUnavailableBudgets, { metadata, spec: { selector, maxUnavailable: 1 } }],
    ],
    refused: 'podunavailablebudgets',
  },
];

/** The policy refuses for so long. */
const refusedFor = 2_400_000;

describe('what was refused for 40 minutes', () => {
  it.each(rows)('is written within a minute once it is allowed: $name', async ({ controller, given, refused: plural }) => {
    const cluster = new InMemoryCluster(controller);
    const { api, clock } = cluster;
    for (const [type, object] of given) api.seed(type, object as KubeObject);
    let [isLifted, refused, written] = [false, 0, 0];
    const before = (call: FakeCall): void => {
      if (!isWrite(call) || call.type?.plural !== plural) return;
      if (isLifted) written += 1;
      else {
        refused += 1;
        throw apiFailures.badRequest('refused by a policy');
      }
    };
    const manager = cluster.begin({ before });
    await clock.step(refusedFor);
    expect(refused).toBeGreaterThan(5);
    expect(refused).toBeLessThan(100);
    isLifted = true;
    await clock.step(60_000);
    expect(written).toBeGreaterThan(0);
    await manager.stop();
  });
});
