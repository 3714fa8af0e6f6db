/**
 * Both controllers of probes on one API server, killed at each of their writes, in each way to die: the result equals that of an undisturbed
 * run. The last tests cover a node that cannot be written, and one that reports results that no list requests.
 */
import { describe, expect, it } from '@jest/globals';
import { nodePodProbes, podProbeMarkerFinalizer, podProbeMarkers } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { deathsAtEveryStep, deathTimes, type Death, type FakeApi } from '@kruise/kube/testing';
import { nodes, podCondition, pods } from '@kruise/objects';
import { nodePodProbeController } from '../nodepodprobe/controller.ts';
import type { ControllerProcess, ProcessOptions } from '../../module/controller-process.testing.ts';
import { marker, markerKey, namespace, nodeNames, ProbeCluster } from './cluster.testing.ts';
import { podProbeMarkerController } from './controller.ts';

/** Each controller in a process of its own. */
interface Processes {
  readonly markers: ControllerProcess;
  readonly lists: ControllerProcess;
}

function newCluster(): ProbeCluster {
  const cluster = new ProbeCluster();
  cluster.api.seed(podProbeMarkers, marker);
  return cluster;
}
const begin = (cluster: ProbeCluster, options: ProcessOptions): Processes => ({
  markers: cluster.begin(options, podProbeMarkerController),
  lists: cluster.begin(options, nodePodProbeController),
});
const settle = async ({ markers, lists }: Processes): Promise<void> => {
  for (let round = 0; round < 4; round++) {
    await markers.settle();
    await lists.settle();
  }
};
const end = ({ markers, lists }: Processes): Promise<unknown> => Promise.all([markers.stop(), lists.stop()]);

/** Runs one step, first with processes that die at their `at`-th write, then with others. @returns the first ones */
async function survive(cluster: ProbeCluster, death: Death | undefined): Promise<Processes> {
  const first = begin(cluster, { death });
  await settle(first);
  await end(first);
  const second = begin(cluster, {});
  await settle(second);
  await end(second);
  return first;
}

/** In a line: who is on which list, and what each Pod says. */
async function pictureOf(api: FakeApi): Promise<string> {
  const { items: lists } = await api.list(nodePodProbes);
  const { items } = await api.list(pods);
  const listed = lists.map(({ metadata, spec }) => `${metadata.name}[${(spec.podProbes ?? []).map(({ name }) => name).join()}]`);
  const said = items.map(
    (pod) => `${pod.metadata.name}=${podCondition(pod, 'game.example/idle')?.status ?? '-'}/${pod.metadata.labels?.['idle'] ?? '-'}`,
  );
  return [...listed, ...said].join(' ');
}

/** @returns the visible state after each step, and the first processes */
async function scenario(death?: Death): Promise<{ readonly pictures: readonly string[]; readonly managers: readonly ControllerProcess[] }> {
  const cluster = newCluster();
  const { api } = cluster;
  const pictures: string[] = [];
  const managers: ControllerProcess[] = [];
  const step = async (change: () => Promise<unknown>): Promise<void> => {
    await change();
    const { markers, lists } = await survive(cluster, death);
    managers.push(markers, lists);
    pictures.push(await pictureOf(api));
  };
  await step(() => Promise.resolve());
  expect((await api.get(podProbeMarkers, markerKey)).metadata.finalizers).toEqual([podProbeMarkerFinalizer]);
  await step(() => cluster.answer('Succeeded'));
  await step(() => cluster.answer('Failed'));
  await step(() => api.delete(pods, { namespace, name: 'pod-node1' }));
  expect((await api.get(podProbeMarkers, markerKey)).status).toEqual({ observedGeneration: 1, matchedPods: 1 });
  await step(() => api.delete(podProbeMarkers, markerKey));
  await step(() => api.delete(nodes, { namespace: '', name: 'node2' }));
  await expect(api.get(podProbeMarkers, markerKey)).rejects.toMatchObject({ failure: { kind: 'NotFound' } });
  return { pictures, managers };
}

describe('probes of Pods', () => {
  it.each(deathTimes)('end the same wherever the manager is killed (%s)', async (when) => {
    const { pictures, managers } = await scenario();
    expect(pictures).toEqual([
      'node1[pod-node1] node2[pod-node2] pod-node1=-/- pod-node2=-/-',
      'node1[pod-node1] node2[pod-node2] pod-node1=True/yes pod-node2=True/yes',
      'node1[pod-node1] node2[pod-node2] pod-node1=False/- pod-node2=False/-',
      'node1[] node2[pod-node2] pod-node1=False/- pod-node2=False/-',
      'node1[] node2[] pod-node1=False/- pod-node2=False/-',
      'node1[] pod-node1=False/- pod-node2=False/-',
    ]);
    const most = Math.max(...managers.map(({ writes }) => writes));
    expect(most).toBeGreaterThanOrEqual(3);
    const deaths = await deathsAtEveryStep(when, async (death) => {
      const disturbed = await scenario(death);
      expect({ death, pictures: disturbed.pictures }).toEqual({ death, pictures });
      return { dead: disturbed.managers.some(({ dead }) => dead) };
    });
    expect(deaths).toBe(most);
  });
});

describe('the node', () => {
  it('that cannot be written delays neither the others nor the status', async () => {
    const cluster = newCluster();
    const { api, clock } = cluster;
    let isRefused = true;
    const managers = begin(cluster, {
      before: ({ type, key, verb }) => {
        if (isRefused && type?.kind === 'NodePodProbe' && key.name === 'node1' && verb === 'update')
          throw new ApiError('not now', { kind: 'Forbidden' });
      },
    });
    await settle(managers);
    expect(await pictureOf(api)).toBe('node1[] node2[pod-node2] pod-node1=-/- pod-node2=-/-');
    expect((await api.get(podProbeMarkers, markerKey)).status).toEqual({ observedGeneration: 1, matchedPods: 2 });
    isRefused = false;
    await clock.step(60_000);
    await settle(managers);
    expect(await pictureOf(api)).toBe('node1[pod-node1] node2[pod-node2] pod-node1=-/- pod-node2=-/-');
    await end(managers);
  });

  it('reports nothing about Pods of another node', async () => {
    const cluster = newCluster();
    const { api } = cluster;
    const managers = begin(cluster, {});
    await settle(managers);
    const [mine, other] = await Promise.all(nodeNames.map((name) => api.get(nodePodProbes, { namespace: '', name })));
    const [entry] = other?.spec.podProbes ?? [];
    const { name = '', namespace: of = '', uid = '' } = entry ?? {};
    const probeStates = [{ name: 'rooms#idle', state: 'Succeeded' as const }];
    await api.updateStatus(nodePodProbes, { ...mine!, status: { podProbeStatuses: [{ name, namespace: of, uid, probeStates }] } });
    await settle(managers);
    expect(await pictureOf(api)).toContain('pod-node2=-/-');
    await end(managers);
  });
});
