import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, sidecarSets } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import {
  configMaps,
  containerStatusOf,
  type ConfigMap,
  type Container,
  type EnvVar,
  isPodReady,
  type Pod,
  pods,
  type ResourceType,
} from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { patiently } from '../../../apps/manager/src/int-tests/fixtures/patiently.testing.ts';
import { everyReplicaWould } from '../../support/replicas.ts';
import { closeFixture, openFixture } from '../../support/fixture.ts';

const deployments: ResourceType = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };

const own: EnvVar = { name: 'OWN', value: '1' };
const priority = (value: string): EnvVar => ({ name: 'KRUISE_CONTAINER_PRIORITY', value });
const barrier = (pod: string, key: string): EnvVar => ({
  name: 'KRUISE_CONTAINER_BARRIER',
  valueFrom: { configMapKeyRef: { name: `${pod}-barrier`, key } },
});
const shell = (name: string, script: string, more: Partial<Container> = {}): Container => ({
  name,
  image: 'busybox:1.35',
  command: ['sh', '-c', script],
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
  ...more,
});
const idle = (name: string, ...env: readonly EnvVar[]): Container => shell(name, 'sleep 3600', env.length === 0 ? {} : { env });

/** Ready this many seconds after its start. */
const readyAfter = (seconds: number): Partial<Container> => ({
  readinessProbe: { exec: { command: ['test', '-e', '/tmp/ready'] }, periodSeconds: 1 },
  command: ['sh', '-c', `sleep ${seconds}; touch /tmp/ready; sleep 3600`],
});

const podOf = (namespace: string, name: string, containers: readonly Container[], annotation?: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace,
    name,
    ...(annotation === undefined ? {} : { annotations: { [annotations.containerLaunchPriority]: annotation } }),
  },
  spec: { containers, terminationGracePeriodSeconds: 0 },
});

const startedAt = (pod: Pod, container: string): number =>
  Date.parse(containerStatusOf(pod, container)?.state?.running?.startedAt ?? 'never');
const barrierEnvs = (pod: Pod): readonly EnvVar[] =>
  pod.spec.containers.flatMap(({ env = [] }) => env.filter(({ name }) => name === 'KRUISE_CONTAINER_BARRIER'));

describe('the start order of containers', () => {
  let fixture: CloneSetFixture;
  /** The barrier that is taken away from a completed Pod before one of its containers restarts. */
  let robbed: ConfigMap | undefined;
  const keyOf = (name: string) => ({ namespace: fixture.namespace, name });
  const read = (name: string): Promise<Pod> => fixture.client.get(pods, keyOf(name));

  async function barrierOf(pod: string): Promise<ConfigMap | undefined> {
    try {
      return await fixture.client.get(configMaps, keyOf(`${pod}-barrier`));
    } catch (error) {
      if (isFailure(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  const restarts = async (name: string): Promise<number> => containerStatusOf(await read(name), 'main')?.restartCount ?? 0;

  async function untilReady(name: string): Promise<Pod> {
    await fixture.eventually(async () => isPodReady(await read(name)), `Pod ${name} is ready`);
    return read(name);
  }

  beforeAll(async () => {
    fixture = await openFixture('launch-priority');
    const create = (pod: Pod): Promise<Pod> => fixture.client.create(pods, pod);
    const { namespace } = fixture;
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [idle('main', own), { ...idle('c2', own, priority('10')), ...readyAfter(8) }],
      },
    };
    await Promise.all([
      fixture.client.create(deployments, {
        metadata: { namespace, name: 'web' },
        spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template },
      } as never),
      create(podOf(namespace, 'ordered', [idle('a'), idle('b'), idle('c')], 'Ordered')),
      create(podOf(namespace, 'plain', [idle('a', own), idle('b')])),
      create(podOf(namespace, 'equal', [idle('a', priority('5')), idle('b', priority('5'))])),
      create(podOf(namespace, 'single', [idle('a', priority('5'))])),
      create(podOf(namespace, 'restarting', [shell('main', 'sleep 4'), idle('first', priority('1'))])),
      create(podOf(namespace, 'robbed', [shell('main', 'sleep 12'), idle('first', priority('1'))])),
    ]);
    await fixture.eventually(async () => startedAt(await read('robbed'), 'main') > 0, 'the last container runs');
    robbed = await barrierOf('robbed');
    await fixture.client.delete(configMaps, keyOf('robbed-barrier'));
  });
  afterAll(() => closeFixture(fixture));

  it('holds the container without a priority back until the other one is ready, in a Pod whose name the webhook chose', async () => {
    const ofDeployment = async (): Promise<Pod | undefined> =>
      (await fixture.client.list(pods, { namespace: fixture.namespace, labelSelector: 'app=web' })).items[0];
    await fixture.eventually(async () => (await ofDeployment()) !== undefined, 'the Deployment has its Pod');
    const made = (await ofDeployment()) as Pod;
    const { name } = made.metadata;
    expect(made.spec.containers.map(({ env }) => env)).toEqual([
      [own, barrier(name, 'p_0')],
      [own, priority('10'), barrier(name, 'p_10')],
    ]);
    const pod = await untilReady(name);
    expect(startedAt(pod, 'main') - startedAt(pod, 'c2')).toBeGreaterThanOrEqual(8000);
    expect(pod.metadata.annotations?.[annotations.containerLaunchPriorityCompleted]).toBe('true');
    expect(await barrierOf(name)).toMatchObject({
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid: pod.metadata.uid }] },
      data: { p_10: 'true', p_0: 'true' },
    });
    await fixture.client.delete(deployments, keyOf('web'), { propagationPolicy: 'Background' });
    await fixture.eventually(async () => (await barrierOf(name)) === undefined, 'the barrier goes with its Pod');
  });

  it('starts containers in the order of the list with the annotation Ordered', async () => {
    const pod = await untilReady('ordered');
    expect(barrierEnvs(pod)).toEqual([barrier('ordered', 'p_0'), barrier('ordered', 'p_-1'), barrier('ordered', 'p_-2')]);
    const times = ['a', 'b', 'c'].map((name) => startedAt(pod, name));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Object.keys((await barrierOf('ordered'))?.data ?? {}).toSorted()).toEqual(['p_-1', 'p_-2', 'p_0']);
  });

  it('starts an injected sidecar with a priority before the container that has none', async () => {
    const { namespace } = fixture;
    const labels = { app: 'sidecared' };
    const pod = podOf(namespace, 'sidecared', [idle('app')]);
    const labelled = { ...pod, metadata: { ...pod.metadata, labels } };
    const name = `${namespace}-first`;
    const sidecarSet = {
      metadata: { name },
      spec: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        selector: { matchLabels: labels },
        containers: [idle('sidecar', priority('1'))],
      },
    };
    await patiently(() => fixture.client.create(sidecarSets, sidecarSet));
    try {
      const isInjected = (): Promise<boolean> => everyReplicaWould(fixture.client, labelled, (patch) => patch.includes(name));
      await fixture.eventually(isInjected, 'every replica injects the sidecar');
      await fixture.client.create(pods, labelled);
      const ready = await untilReady('sidecared');
      const keys = ready.spec.containers.map(({ name: container, env = [] }) => [container, env.at(-1)?.valueFrom?.configMapKeyRef?.key]);
      expect(Object.fromEntries(keys)).toEqual({ app: 'p_0', sidecar: 'p_1' });
      expect(startedAt(ready, 'app')).toBeGreaterThanOrEqual(startedAt(ready, 'sidecar'));
    } finally {
      await fixture.client.delete(sidecarSets, { namespace: '', name });
    }
  });

  it.each(['plain', 'equal', 'single'])('leaves Pod "%s" without an order alone', async (name) => {
    const pod = await untilReady(name);
    expect(barrierEnvs(pod)).toEqual([]);
    expect(await barrierOf(name)).toBeUndefined();
  });

  it.each([
    { value: 'abc', text: 'container "b": KRUISE_CONTAINER_PRIORITY must be an integer, not "abc"' },
    { value: '', text: 'container "b": KRUISE_CONTAINER_PRIORITY must be an integer, not ""' },
  ])('refuses the priority "$value"', async ({ value, text }) => {
    const refused = fixture.client.create(pods, podOf(fixture.namespace, 'refused', [idle('a'), idle('b', priority(value))]));
    await expect(refused).rejects.toMatchObject({ code: 400, message: expect.stringContaining(text) });
  });

  it('lets a container restart after completion without our help', async () => {
    await fixture.eventually(async () => (await restarts('restarting')) >= 1, 'the container restarts');
    expect((await read('restarting')).metadata.annotations?.[annotations.containerLaunchPriorityCompleted]).toBe('true');
  });

  it('gives a completed Pod a barrier again that was deleted, so that its containers restart', async () => {
    await fixture.eventually(async () => (await restarts('robbed')) >= 1, 'the container restarts');
    await fixture.eventually(async () => (await barrierOf('robbed'))?.data?.['p_0'] === 'true', 'the barrier is whole');
    const { metadata, data } = (await barrierOf('robbed')) as ConfigMap;
    expect(data).toEqual({ p_1: 'true', p_0: 'true' });
    expect(metadata.uid).not.toBe(robbed?.metadata.uid);
  });
});
