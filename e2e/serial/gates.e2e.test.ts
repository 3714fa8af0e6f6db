/** What feature gates that are off by default change: the manager runs with them while these tests do. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conditionTypes, daemonSets, deleteProtection, labels, persistentPodStates, statefulSets, unitedDeployments } from '@kruise/api';
import { unlessGone } from '@kruise/kube';
import {
  containerStatusOf,
  isPodReady,
  nodes,
  persistentVolumeClaims,
  pods,
  type KubeObject,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/cloneset-world.testing.ts';
import { DaemonSetWorld } from '../../apps/manager/src/int-tests/daemonset-world.testing.ts';
import { UnitedWorld } from '../../apps/manager/src/int-tests/united-world.testing.ts';
import { imageOf, inPlaceReady, lifecycleState, restartsOf } from '../support/pod-facts.ts';
import { PodHistory } from '../support/pod-history.ts';
import { closeWorld, images, kubectl, openWorld } from '../support/world.ts';

const system = 'kruise-system';
const deployment = 'deployment/kruise-controller-manager';
const gates = [
  'CloneSetEventHandlerOptimization',
  'CloneSetPartitionRollback',
  'CloneSetShortHash',
  'DaemonSetPruneIneligibleNodes',
  'InPlaceWorkloadVerticalScaling',
  'PersistentPodStateAutoCleanup',
  'PreparingUpdateAsUpdate',
  'RecreatePodWhenChangeVCTInCloneSetGate',
  'RecreatePodWhenChangeVCTInStatefulSetGate',
  'ResourcesDeletionProtection',
];
const flag = '--feature-gates=';

const builtInStatefulSets: ResourceType<KubeObject> = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
};

const uids = (pods: readonly Pod[]): readonly (string | undefined)[] => pods.map((pod) => pod.metadata.uid);

describe('with feature gates that are off by default', () => {
  let world: CloneSetWorld;
  let original: readonly string[] = [];

  const setArgs = async (args: readonly string[]): Promise<void> => {
    const change = [{ op: 'replace', path: '/spec/template/spec/containers/0/args', value: args }];
    await kubectl('-n', system, 'patch', deployment, '--type=json', '-p', JSON.stringify(change));
  };
  const withGates = (args: readonly string[]): readonly string[] => {
    const held = args.find((arg) => arg.startsWith(flag))?.slice(flag.length) ?? '';
    const all = [...held.split(',').filter((gate) => gate !== ''), ...gates.map((gate) => `${gate}=true`)];
    return [...args.filter((arg) => !arg.startsWith(flag)), `${flag}${all.join(',')}`];
  };

  beforeAll(async () => {
    world = await openWorld('gates');
    const text = await kubectl('-n', system, 'get', deployment, '-o', 'json');
    const { spec } = JSON.parse(text) as {
      readonly spec: { readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } } };
    };
    original = spec.template.spec.containers[0]?.args ?? [];
    await setArgs(withGates(original));
    await kubectl('-n', system, 'rollout', 'status', deployment, '--timeout=120s');
  });
  // Nobody has to wait until the manager is as before: its replicas take turns.
  afterAll(async () => {
    await setTaints(null);
    await setArgs(original);
    await closeWorld(world);
  });

  const setTaints = (taints: readonly object[] | null): Promise<unknown> =>
    world.client.patch(nodes, { namespace: '', name: 'node2' }, { spec: { taints } }, { type: 'merge' });
  const sized = (name: string, cpu: { readonly request: string; readonly limit: string }, memory = '32Mi', restart = false): object => ({
    metadata: { labels: { app: name } },
    spec: {
      containers: [
        {
          name: 'main',
          image: images.first,
          resources: { requests: { cpu: cpu.request, memory: '16Mi' }, limits: { cpu: cpu.limit, memory } },
          resizePolicy: [
            { resourceName: 'cpu', restartPolicy: 'NotRequired' },
            { resourceName: 'memory', restartPolicy: restart ? 'RestartContainer' : 'NotRequired' },
          ],
        },
      ],
    },
  });
  const limits = (pod: Pod): Readonly<Record<string, string>> | undefined =>
    (containerStatusOf(pod, 'main') as { readonly resources?: { readonly limits?: Readonly<Record<string, string>> } } | undefined)
      ?.resources?.limits;

  it('cpu and memory change in the running container, which stays in service', async () => {
    await world.apply({ name: 'sized', replicas: 1, image: '', spec: { template: sized('sized', { request: '10m', limit: '100m' }) } });
    await world.untilRolledOut('sized');
    const [before] = await world.pods('sized');
    const name = before?.metadata.name ?? '';
    await using history = await PodHistory.begin(world.client, world.namespace);
    await world.patch('sized', { spec: { template: sized('sized', { request: '20m', limit: '200m' }, '48Mi') } });
    await world.untilRolledOut('sized');
    const after = await world.pod(name);
    expect(after.metadata.uid).toBe(before?.metadata.uid);
    expect(limits(after)).toMatchObject({ cpu: '200m', memory: '48Mi' });
    expect(restartsOf(after)).toBe(0);
    expect(history.sequence(name, inPlaceReady)).toEqual(['True']);
    expect(history.sequence(name, lifecycleState)).toEqual(['Normal', 'Updating', 'Normal']);
  });

  it('a node that cannot give as much is named, and other amounts go to the same Pod', async () => {
    const [before] = await world.pods('sized');
    await world.patch('sized', { spec: { template: sized('sized', { request: '900', limit: '900' }, '48Mi') } });
    await world.until('sized', ({ status }) => status?.conditions?.some(({ reason }) => reason === 'ResizePending') === true);
    await world.patch('sized', { spec: { template: sized('sized', { request: '30m', limit: '300m' }, '48Mi') } });
    const { status } = await world.untilRolledOut('sized');
    expect(status?.conditions?.some(({ type }) => type === conditionTypes.blocked) ?? false).toBe(false);
    const [after] = await world.pods('sized');
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after && limits(after)).toMatchObject({ cpu: '300m' });
  });

  it('a container that restarts for its memory leaves service meanwhile, and a change of the QoS class recreates the Pod', async () => {
    const cpu = { request: '10m', limit: '100m' };
    await world.apply({ name: 'memory', replicas: 1, image: '', spec: { template: sized('memory', cpu, '32Mi', true) } });
    await world.untilRolledOut('memory');
    const [before] = await world.pods('memory');
    const name = before?.metadata.name ?? '';
    await using history = await PodHistory.begin(world.client, world.namespace);
    await world.patch('memory', { spec: { template: sized('memory', cpu, '64Mi', true) } });
    await world.untilRolledOut('memory');
    expect(history.sequence(name, inPlaceReady)).toEqual(['True', 'False', 'True']);
    expect(restartsOf(await world.pod(name))).toBe(1);

    const guaranteed = sized('memory', { request: '100m', limit: '100m' }, '16Mi', true);
    await world.patch('memory', { spec: { template: guaranteed } });
    await world.untilRolledOut('memory');
    expect(uids(await world.pods('memory'))).not.toEqual([before?.metadata.uid]);
  });

  it('a partition that is raised brings Pods back to the current revision, in place', async () => {
    await world.apply({ name: 'back', replicas: 4, image: images.first, rollingUpdate: { partition: 2, maxUnavailable: 4 } });
    await world.until('back', ({ status }) => status?.availableReplicas === 4);
    const before = uids(await world.pods('back'));
    await world.setImage('back', images.second);
    await world.until('back', ({ status }) => status?.updatedAvailableReplicas === 2);
    await world.patch('back', { spec: { updateStrategy: { rollingUpdate: { partition: 4 } } } });
    await world.until('back', ({ status }) => status?.updatedReplicas === 0 && status.availableReplicas === 4);
    const after = await world.pods('back');
    expect(uids(after)).toEqual(before);
    expect(after.map(imageOf)).toEqual(Array.from({ length: 4 }, () => images.first));
  });

  it('a Pod whose recorded node does not exist is forgotten, and can run elsewhere', async () => {
    const key = { namespace: world.namespace, name: 'lost' };
    const app = { app: 'lost' };
    const { client } = world;
    const template = {
      metadata: { labels: app },
      spec: {
        terminationGracePeriodSeconds: 1,
        nodeSelector: { 'example.com/gates': 'nowhere' },
        containers: [{ name: 'main', image: images.first }],
      },
    };
    const spec = { replicas: 1, serviceName: 'lost', selector: { matchLabels: app }, template };
    await client.create(builtInStatefulSets, { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: key, spec } as KubeObject);
    await client.create(persistentPodStates, {
      metadata: key,
      spec: {
        targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'lost' },
        requiredPersistentTopology: { keys: ['kubernetes.io/hostname'] },
      },
    });
    await world.eventually(async () => (await unlessGone(world.pod('lost-0'))) !== undefined, 'the Pod is there');
    const isSeen = async (): Promise<boolean> => (await client.get(persistentPodStates, key)).status?.observedGeneration !== undefined;
    await world.eventually(isSeen, 'the PersistentPodState has a status');
    const gone = { nodeName: 'gone', nodeTopologyLabels: { 'kubernetes.io/hostname': 'gone' } };
    const change = { status: { podStates: { 'lost-0': gone } } };
    await client.patch(persistentPodStates, key, change, { type: 'merge', subresource: 'status' });
    const isForgotten = async (): Promise<boolean> =>
      (await client.get(persistentPodStates, key)).status?.podStates?.['lost-0']?.nodeName !== 'gone';
    await world.eventually(isForgotten, 'the entry of the node that does not exist is gone');
    const anywhere = { spec: { template: { spec: { nodeSelector: null } } } };
    await client.patch(builtInStatefulSets, key, anywhere, { type: 'merge' });
    await client.delete(pods, { ...key, name: 'lost-0' });
    await world.eventually(async () => {
      const next = await unlessGone(world.pod('lost-0'));
      return next !== undefined && isPodReady(next);
    }, 'its successor runs');
  });

  it('Pods of a StatefulSet that lack a claim are made anew, one after the other', async () => {
    const key = { namespace: world.namespace, name: 'mounts' };
    const app = { app: 'mounts' };
    const { client } = world;
    const spec = {
      replicas: 2,
      serviceName: 'mounts',
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: images.first }] },
      },
    };
    await client.create(statefulSets, { metadata: key, spec });
    const isReady = async (): Promise<boolean> => {
      const { status, metadata } = await client.get(statefulSets, key);
      return status?.observedGeneration === metadata.generation && status?.readyReplicas === 2;
    };
    await world.eventually(isReady, 'both Pods are ready');
    const members = async (): Promise<readonly Pod[]> =>
      (await client.list(pods, { namespace: world.namespace, labelSelector: 'app=mounts' })).items;
    const before = uids(await members());
    const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } } };
    await client.patch(statefulSets, key, { spec: { volumeClaimTemplates: [claim] } }, { type: 'merge' });
    const mounted = async (): Promise<readonly (string | undefined)[]> =>
      (await members()).flatMap(({ spec: { volumes = [] } }) => volumes.flatMap((one) => one.persistentVolumeClaim?.claimName ?? []));
    await world.eventually(async () => (await mounted()).toSorted().join() === 'data-mounts-0,data-mounts-1', 'both mount their claims');
    await world.eventually(isReady, 'both Pods are ready again');
    expect(uids(await members()).filter((uid) => before.includes(uid))).toEqual([]);
  });

  it('a template that changes with its claims gives new Pods with new claims', async () => {
    const claims = (storage: string): object[] => [
      { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } } },
    ];
    const template = (image: string): object => ({
      metadata: { labels: { app: 'claims' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
    });
    const sizes = async (): Promise<readonly (string | undefined)[]> => {
      const { items } = await world.client.list(persistentVolumeClaims, { namespace: world.namespace, labelSelector: 'app=claims' });
      return items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ spec }) => spec?.resources?.requests?.['storage']);
    };
    await world.apply({
      name: 'claims',
      replicas: 2,
      image: '',
      spec: { template: template(images.first), volumeClaimTemplates: claims('1Mi') },
    });
    await world.untilRolledOut('claims');
    const before = uids(await world.pods('claims'));
    await world.patch('claims', { spec: { volumeClaimTemplates: claims('2Mi') } });
    await world.until('claims', ({ status, metadata }) => status?.observedGeneration === metadata.generation);
    expect(uids(await world.pods('claims'))).toEqual(before);
    await world.patch('claims', { spec: { template: template(images.second), updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } } });
    await world.untilRolledOut('claims');
    expect(uids(await world.pods('claims')).filter((uid) => before.includes(uid))).toEqual([]);
    await world.eventually(async () => (await sizes()).join() === '2Mi,2Mi', 'claims of the new size only');
  });

  it('an update of a DaemonSet leaves a Pod alone that is on a node which takes no new ones', async () => {
    const daemons = new DaemonSetWorld(daemonSets, world.client, world.namespace);
    await daemons.apply({ name: 'pruned', image: images.first });
    await daemons.untilRolledOut('pruned');
    await setTaints([{ key: 'example.com/gates', value: 'x', effect: 'NoSchedule' }]);
    await daemons.until('pruned', ({ status }) => status?.numberMisscheduled === 1);
    await daemons.setImage('pruned', images.second);
    await daemons.untilRolledOut('pruned', 2);
    // One more look at all of it, after which nothing is left to do.
    await daemons.patch('pruned', { spec: { revisionHistoryLimit: 9 } });
    const { status } = await daemons.untilRolledOut('pruned', 2);
    expect(status?.numberMisscheduled).toBe(1);
    const { first, second } = images;
    expect(await daemons.byNode('pruned', imageOf)).toEqual({ node1: second, node2: first, node3: second });
  });

  it('a UnitedDeployment that is protected is not deleted while it has replicas, and takes its children along (uniteddeployment 19)', async () => {
    const united = new UnitedWorld(unitedDeployments, world.client, world.namespace);
    const protecting = { [labels.deleteProtection]: deleteProtection.cascading };
    await united.apply({
      name: 'protected',
      replicas: 2,
      image: images.first,
      subsets: [{ name: 'a' }, { name: 'b' }],
      labels: protecting,
    });
    await united.untilRolledOut('protected');
    const deleted = (): Promise<string> =>
      world.client.delete(unitedDeployments, { namespace: world.namespace, name: 'protected' }, { propagationPolicy: 'Background' }).then(
        () => 'none',
        (error: Error) => error.message,
      );
    expect(await deleted()).toContain('replicas 2>0');
    await united.patch('protected', { spec: { replicas: 0 } });
    expect(await deleted()).toBe('none');
    await world.eventually(async () => (await united.children('protected')).length === 0, 'the children are collected');
  });
});
