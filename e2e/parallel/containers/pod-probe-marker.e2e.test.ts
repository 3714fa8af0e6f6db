/** Probes of Pods by the agents of real nodes, and their results in conditions, labels and annotations. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  containerRecreateRequests,
  nodePodProbes,
  podProbeMarkers,
  type ContainerProbe,
  type PodContainerProbe,
  type PodProbeMarker,
} from '@kruise/api';
import { nodes, podCondition, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const shell = (script: string): ContainerProbe => ({ exec: { command: ['sh', '-c', script] }, periodSeconds: 1 });

describe('PodProbeMarker', () => {
  let fixture: CloneSetFixture;

  const markerOf = (name: string, ...probes: readonly PodContainerProbe[]): PodProbeMarker => ({
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'PodProbeMarker',
    metadata: { namespace: fixture.namespace, name },
    spec: { selector: { matchLabels: { app: 'web' } }, probes },
  });
  const create = (name: string, ...probes: readonly PodContainerProbe[]): Promise<PodProbeMarker> =>
    fixture.client.create(podProbeMarkers, markerOf(name, ...probes));
  const change = async (name: string, ...probes: readonly PodContainerProbe[]): Promise<void> => {
    await fixture.client.patch(podProbeMarkers, { namespace: fixture.namespace, name }, { spec: { probes } }, { type: 'merge' });
  };
  const untilPods = (holds: (pod: Pod) => boolean, what: string): Promise<void> =>
    fixture.eventually(async () => {
      const all = await fixture.pods('web');
      return all.length > 0 && all.every(holds);
    }, what);
  /** Uid and probe of every probe that the agents run in this namespace. */
  const listed = async (): Promise<readonly string[]> => {
    const { items } = await fixture.client.list(nodePodProbes);
    return items
      .flatMap(({ spec }) => spec.podProbes ?? [])
      .filter(({ namespace }) => namespace === fixture.namespace)
      .flatMap(({ uid, probes = [] }) => probes.map(({ name }) => `${uid} ${name}`))
      .toSorted();
  };

  beforeAll(async () => {
    fixture = await openFixture('probes');
    await fixture.apply({ name: 'web', replicas: 2, image: images.first });
    await fixture.untilRolledOut('web');
  });
  afterAll(() => closeFixture(fixture));

  it('has a work list for every node', async () => {
    const names = async (type: typeof nodes | typeof nodePodProbes): Promise<readonly string[]> =>
      (await fixture.client.list(type as typeof nodes)).items.map(({ metadata }) => metadata.name).toSorted();
    await fixture.eventually(
      async () => JSON.stringify(await names(nodePodProbes)) === JSON.stringify(await names(nodes)),
      'one list a node',
    );
  });

  it('marks Pods by the result, and takes the marks back when it changes', async () => {
    const healthy = (script: string): PodContainerProbe => ({
      name: 'healthy',
      containerName: 'main',
      probe: shell(script),
      podConditionType: 'game.example/healthy',
      markerPolicy: [
        { state: 'Succeeded', labels: { healthy: 'yes' }, annotations: { cost: '10' } },
        { state: 'Failed', annotations: { cost: '-10' } },
      ],
    });
    await create('marker', healthy('echo fine'));
    await untilPods(
      ({ metadata, ...pod }) =>
        metadata.labels?.['healthy'] === 'yes' &&
        metadata.annotations?.['cost'] === '10' &&
        podCondition({ metadata, ...pod }, 'game.example/healthy')?.status === 'True',
      'every Pod is marked healthy',
    );
    expect(podCondition((await fixture.pods('web'))[0]!, 'game.example/healthy')?.message?.trim()).toBe('fine');
    await change('marker', healthy('echo broken >&2; exit 1'));
    await untilPods(
      (pod) =>
        pod.metadata.labels?.['healthy'] === undefined &&
        pod.metadata.annotations?.['cost'] === '-10' &&
        podCondition(pod, 'game.example/healthy')?.status === 'False',
      'no Pod is marked healthy',
    );
    await change('marker', healthy('true'));
    await untilPods((pod) => pod.metadata.labels?.['healthy'] === 'yes', 'every Pod is marked healthy again');
    const marker = (): Promise<PodProbeMarker> => fixture.client.get(podProbeMarkers, { namespace: fixture.namespace, name: 'marker' });
    expect((await marker()).metadata.finalizers).toContain('kruise.io/node-pod-probe-cleanup');
    await fixture.eventually(async () => {
      const { metadata, status } = await marker();
      return status?.matchedPods === 2 && status.observedGeneration === metadata.generation;
    }, 'both Pods are counted');
  });

  it('probes the Pod over the network, two probes of one container beside each other', async () => {
    const probe = (name: string, action: ContainerProbe): PodContainerProbe => ({
      name,
      containerName: 'main',
      probe: { ...action, periodSeconds: 1 },
      podConditionType: `net.example/${name}`,
    });
    const http = probe('http', { httpGet: { path: '/', port: 80, scheme: 'HTTP' } });
    await create('network', http, probe('tcp', { tcpSocket: { port: 80 } }));
    const conditions = (pod: Pod): string => ['http', 'tcp'].map((name) => podCondition(pod, `net.example/${name}`)?.status).join();
    await untilPods((pod) => conditions(pod) === 'True,True', 'both probes succeed');
    await change('network', http, probe('tcp', { tcpSocket: { port: 8081 } }));
    await untilPods((pod) => conditions(pod) === 'True,False', 'nobody listens at the other port');
  });

  it('changes a condition after the requested number of failures in a row', async () => {
    const script = 'n=$(cat /tmp/runs 2>/dev/null || echo 0); echo $((n+1)) > /tmp/runs; cat /tmp/runs >&2; exit 1';
    // A run that is cut off fails without being counted by the script.
    const probe: ContainerProbe = { ...shell(script), failureThreshold: 3, timeoutSeconds: 60 };
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await create('slow', { name: 'slow', containerName: 'main', probe, podConditionType: 'slow.example/up' });
    const saidBy = (pod: Pod): string | undefined => {
      const condition = podCondition(pod, 'slow.example/up');
      return condition?.status === 'False' ? condition.message?.trim() : undefined;
    };
    await untilPods((pod) => Number(saidBy(pod)) >= 3, 'the third failure counts');
    const observed = await history.untilNow();
    for (const { metadata } of await fixture.pods('web')) {
      const [first] = observed.sequence(metadata.name, saidBy).filter((said) => said !== '');
      expect(Number(first)).toBeGreaterThanOrEqual(3);
    }
  });

  it('begins again with a container that was restarted', async () => {
    const [pod] = await fixture.pods('web');
    const { name = '', uid } = pod?.metadata ?? {};
    const node = { namespace: '', name: pod?.spec.nodeName ?? '' };
    const stateOf = async () => {
      const { status } = await fixture.client.get(nodePodProbes, node);
      const entry = status?.podProbeStatuses?.find((one) => one.uid === uid);
      return entry?.probeStates?.find((state) => state.name === 'marker#healthy');
    };
    const before = (await stateOf())?.lastTransitionTime ?? '';
    expect(before).not.toBe('');
    const request = { metadata: { namespace: fixture.namespace, name }, spec: { podName: name, containers: [{ name: 'main' }] } };
    await fixture.client.create(containerRecreateRequests, request);
    await fixture.eventually(async () => {
      const { state, lastTransitionTime = '' } = (await stateOf()) ?? {};
      return state === 'Succeeded' && lastTransitionTime > before;
    }, 'the new container is found healthy');
    await untilPods((one) => one.metadata.labels?.['healthy'] === 'yes', 'every Pod is marked healthy');
  });

  it('follows the Pods', async () => {
    await fixture.patch('web', { spec: { replicas: 1 } });
    await fixture.untilRolledOut('web');
    const uids = async (): Promise<readonly string[]> => [...new Set((await listed()).map((entry) => entry.split(' ')[0] ?? ''))];
    const present = async (): Promise<readonly string[]> => (await fixture.pods('web')).map(({ metadata }) => metadata.uid ?? '');
    const agree = async (): Promise<boolean> => JSON.stringify((await uids()).toSorted()) === JSON.stringify((await present()).toSorted());
    await fixture.eventually(agree, 'the lists have the Pod that is left');
    await fixture.patch('web', { spec: { replicas: 3 } });
    await fixture.untilRolledOut('web');
    await fixture.eventually(agree, 'the lists have the new Pods');
    await untilPods((pod) => pod.metadata.labels?.['healthy'] === 'yes', 'the new Pods are marked');
  });

  it('leaves nothing in the lists when a marker is deleted, and keeps what others have', async () => {
    for (const name of ['marker', 'network']) await fixture.client.delete(podProbeMarkers, { namespace: fixture.namespace, name });
    await fixture.eventually(
      async () => (await listed()).map((entry) => entry.split(' ')[1]).join() === 'slow#slow,slow#slow,slow#slow',
      'only the probes of "slow" are listed, for each Pod',
    );
    await fixture.client.delete(podProbeMarkers, { namespace: fixture.namespace, name: 'slow' });
    await fixture.eventually(async () => (await listed()).length === 0, 'nothing is listed');
    const { items } = await fixture.client.list(podProbeMarkers, { namespace: fixture.namespace });
    await fixture.eventually(
      async () => items.length === 0 || (await fixture.client.list(podProbeMarkers, { namespace: fixture.namespace })).items.length === 0,
      'the markers are gone',
    );
  });

  it.each<[string, (marker: PodProbeMarker) => unknown, string]>([
    [
      'without selector terms',
      (marker) => ({ ...marker, spec: { ...marker.spec, selector: {} } }),
      'empty selector is not valid for podProbeMarker.',
    ],
    [
      'with the name of a condition',
      (marker) => ({ ...marker, spec: { ...marker.spec, probes: [{ ...marker.spec.probes[0], name: 'Ready' }] } }),
      'must not be the name',
    ],
    [
      'for a condition of Kubernetes',
      (marker) => ({ ...marker, spec: { ...marker.spec, probes: [{ ...marker.spec.probes[0], podConditionType: 'Ready' }] } }),
      'must not be a condition',
    ],
    [
      'with two handlers',
      (marker) => ({
        ...marker,
        spec: { ...marker.spec, probes: [{ ...marker.spec.probes[0], probe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } }] },
      }),
      'may not specify more than 1 handler type',
    ],
    [
      'with another host',
      (marker) => ({
        ...marker,
        spec: { ...marker.spec, probes: [{ ...marker.spec.probes[0], probe: { tcpSocket: { host: '10.0.0.1', port: 1 } } }] },
      }),
      'host field in probes is not allowed',
    ],
  ])('refuses one %s', async (_name, spoil, message) => {
    const good = markerOf('bad', { name: 'p', containerName: 'main', probe: shell('true'), podConditionType: 'c' });
    await expect(fixture.client.create(podProbeMarkers, spoil(good) as PodProbeMarker)).rejects.toThrow(message);
  });
});
