/**
 * "Idle is quiet", for all controllers together: a cluster in which every kind is in use is not written to any more once everything is as it should
 * be. A kind that is added has to come into this cluster, too.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  advancedCronJobs,
  allKinds,
  broadcastJobs,
  cloneSets,
  containerRecreateRequests,
  daemonSets,
  defaultGates,
  ephemeralJobs,
  imageListPullJobs,
  imagePullJobs,
  nodeImages,
  persistentPodStates,
  podProbeMarkers,
  podUnavailableBudgets,
  resourceDistributions,
  resourceTypeOf,
  sidecarSets,
  statefulSets,
  storedVersion,
  unitedDeployments,
  workloadSpreads,
  type KindDeclaration,
} from '@kruise/api';
import { isWrite, quietHour } from '@kruise/kube/testing';
import { deepEqual, formatTime, instant, namespaces, nodes, pods, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import { aHeldPod } from '@kruise/kinds/containerlaunchpriority/testing';
import { aJobPod, byRequest, ended, running } from '@kruise/kinds/sidecarterminator/testing';
import { agentStep } from '@kruise/kinds/images/agent.testing';
import { aJob as aPullJob, aNode } from '@kruise/kinds/images/builders.testing';
import { loadControllers } from '../module/kind-module.ts';
import { kubeletStep } from '../module/fixtures/kubelet-step.testing.ts';
import { asNew } from '../module/controller-process.testing.ts';
import { InMemoryCluster } from '../module/in-memory-cluster.testing.ts';
import { aCronJob } from './advancedcronjob/cluster.testing.ts';
import { aJob as aBroadcastJob } from './broadcastjob/cluster.testing.ts';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';
import { aDaemonSet } from '@kruise/kinds/daemonset/testing';
import { aJob as anEphemeralJob } from '@kruise/kinds/ephemeraljob/testing';
import { modules } from './index.ts';
import { aState } from './persistentpodstate/cluster.testing.ts';
import { aDistribution, aNamespace, list } from '@kruise/kinds/resourcedistribution/testing';
import { aSidecarSet } from '@kruise/kinds/sidecarset/testing';
import { aStatefulSet } from '@kruise/kinds/statefulset/testing';
import { aUnited } from '@kruise/kinds/uniteddeployment/testing';
import { aSpread, aSubset } from '@kruise/kinds/workloadspread/testing';

const gates = { ...defaultGates, ImagePullJobGate: true, EnablePodProbeMarkerOnServerless: true, ResourceDistributionGate: true };
const cluster = new InMemoryCluster([], { gates });
const { api, clock } = cluster;

const hasMain = ({ spec }: Pod): boolean => spec.containers.some(({ name }) => name === 'main');

/** The node that a Pod of a daemon or of a job for all nodes requests. */
const askedNode = ({ spec }: Pod): string | undefined =>
  /"metadata\.name","operator":"In","values":\["([^"]+)"\]/.exec(JSON.stringify(spec))?.[1];

/** What a Pod that runs to its end has come to, after a step of the kubelet. */
const succeeded = (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, phase: 'Succeeded' } });

/** Kubelets and agents look at everything once. */
async function turn(): Promise<void> {
  const now = instant(clock.now());
  for (const pod of api.peekAll(pods)) {
    if (!hasMain(pod) || pod.status?.phase === 'Succeeded') continue;
    const nodeName = pod.spec.nodeName ?? askedNode(pod);
    const next = kubeletStep(nodeName === undefined ? pod : { ...pod, spec: { ...pod.spec, nodeName } }, now);
    const then = pod.spec.restartPolicy === 'Never' ? succeeded(next) : next;
    if (!deepEqual(pod, then)) api.seed(pods, then);
  }
  for (const list of api.peekAll(nodeImages)) {
    const next = agentStep(list, now);
    if (next !== list) api.seed(nodeImages, next);
  }
  return Promise.resolve();
}

async function run(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await turn();
    await clock.step(5000);
    await clock.settle();
  }
}

const seed = <T extends KubeObject>(type: ResourceType<T>, object: T): T => api.seed(type, asNew(object));

/** One object of every kind, and a Pod for every feature. */
function fill(): void {
  for (const name of ['node1', 'node2']) {
    const node = aNode(name, { labels: { 'topology.kubernetes.io/zone': name } });
    const allocatable = { pods: '110', cpu: '4', memory: '8Gi' };
    seed(nodes, { ...node, status: { ...node.status, allocatable } });
  }
  seed(cloneSets, aCloneSet({ replicas: 3 }));
  seed(statefulSets, aStatefulSet({ replicas: 2 }));
  seed(daemonSets, aDaemonSet());
  seed(broadcastJobs, aBroadcastJob());
  // Not due during this test.
  seed(advancedCronJobs, aCronJob({ schedule: '0 0 1 7 *' }));
  seed(sidecarSets, aSidecarSet());
  seed(imagePullJobs, aPullJob({ name: 'pull' }));
  const completionPolicy = { type: 'Always' } as const;
  const metadata = { name: 'all', namespace: 'default' };
  seed(imageListPullJobs, { metadata, spec: { images: ['a:1', 'b:1'], completionPolicy } });
  seed(persistentPodStates, aState({ targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'web' } }));
  seed(ephemeralJobs, anEphemeralJob({ finalized: false }));
  const probes = [{ name: 'up', containerName: 'main', probe: { exec: { command: ['true'] } }, podConditionType: 'example.org/up' }];
  seed(podProbeMarkers, { metadata, spec: { selector: { matchLabels: { app: 'web' } }, probes } });
  const ofSample = { matchLabels: { app: 'sample' } };
  seed(podUnavailableBudgets, { metadata, spec: { selector: ofSample, maxUnavailable: 1 } });
  const targetRef = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'sample' };
  seed(workloadSpreads, aSpread([aSubset('first', 2), aSubset('rest')], { targetRef }));
  seed(unitedDeployments, aUnited());
  seed(namespaces, aNamespace('default'));
  seed(resourceDistributions, aDistribution({ includedNamespaces: list('default', 'absent') }));
  const levels = [
    { name: 'first', level: 2, ready: true },
    { name: 'second', level: 1, ready: true },
  ];
  seed(pods, aHeldPod(levels, { name: 'levels' }));
  const parts = [
    { name: 'job', state: ended },
    { name: 'log', state: running, env: byRequest },
  ];
  seed(pods, aJobPod(parts, { node: 'node1' }));
}

/** A request for a Pod of the CloneSet: no agent answers, so it ends after its time. */
function askForRestart(): void {
  const [pod] = api.peekAll(pods).filter(({ metadata }) => metadata.name.startsWith('sample-'));
  const { name = '', uid = '' } = pod?.metadata ?? {};
  seed(containerRecreateRequests, {
    metadata: {
      name: 'again',
      namespace: 'default',
      creationTimestamp: formatTime(instant(clock.now())),
      labels: {
        'crr.apps.kruise.io/pod-name': name,
        'crr.apps.kruise.io/pod-uid': uid,
        'crr.apps.kruise.io/node-name': 'node1',
        'crr.apps.kruise.io/active': 'true',
      },
    },
    spec: { podName: name, containers: [{ name: 'main' }] },
  });
}

const served = modules.flatMap(({ declaration }) => (declaration === undefined ? [] : [declaration]));
const held = (declaration: KindDeclaration): number => api.peekAll(resourceTypeOf(declaration, storedVersion(declaration))).length;

beforeAll(async () => {
  fill();
  for (const controller of await loadControllers(modules, gates, () => true)) cluster.begin({}, controller);
  await run(20);
  askForRestart();
  const [first] = api.peekAll(cloneSets);
  if (first === undefined) throw new Error('there is no CloneSet');
  // An update and a way back, after which reasons and marks of either may not be written repeatedly.
  for (const image of ['app:2', 'app:1']) {
    await api.patch(
      cloneSets,
      { namespace: 'default', name: 'sample' },
      { spec: aCloneSet({ replicas: 3, image }).spec },
      { type: 'merge' },
    );
    await run(40);
  }
  await run(100);
}, 120_000);
afterAll(() => cluster.stop(), 60_000);

describe('a cluster in which nothing changes', () => {
  it('has an object of every kind that a manager serves', () => {
    expect(served.filter((declaration) => held(declaration) === 0).map(({ kind }) => kind)).toEqual([]);
    expect(served.length).toBeGreaterThan(allKinds.length / 2);
  });

  it('has come to rest: what was requested is done', () => {
    const status = <T extends KubeObject>(type: ResourceType<T>): unknown =>
      (api.peekAll(type)[0] as { status?: unknown } | undefined)?.status;
    expect(status(cloneSets)).toMatchObject({ updatedReadyReplicas: 3 });
    expect(status(statefulSets)).toMatchObject({ updatedReplicas: 2, readyReplicas: 2 });
    expect(status(daemonSets)).toMatchObject({ numberReady: 2 });
    expect(status(broadcastJobs)).toMatchObject({ succeeded: 2, phase: 'completed' });
    expect(status(imageListPullJobs)).toMatchObject({ succeeded: 2 });
    expect(status(containerRecreateRequests)).toMatchObject({ phase: 'Completed' });
    expect(status(podUnavailableBudgets)).toMatchObject({ desiredAvailable: 2, currentAvailable: 3, unavailableAllowed: 1 });
    expect(status(workloadSpreads)).toMatchObject({ subsetStatuses: [{ replicas: 2 }, { replicas: 1 }] });
    expect(status(unitedDeployments)).toMatchObject({ replicas: 3, updatedReadyReplicas: 3 });
    expect(status(resourceDistributions)).toMatchObject({ desired: 2, succeeded: 1 });
  });

  it('is not written to for an hour', async () => {
    const before = api.calls.filter(isWrite).length;
    expect(before).toBeGreaterThan(50);
    expect(await quietHour({ api, clock, turn })).toEqual([]);
    expect(api.calls.filter(isWrite).slice(before)).toEqual([]);
  }, 120_000);
});
