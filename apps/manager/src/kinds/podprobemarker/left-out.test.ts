/** A marker whose probes do not all fit into the list of a node says so once, and its other probes are placed. */
import { expect, it } from '@jest/globals';
import { nodePodProbes, podProbeMarkers } from '@kruise/api';
import { nodes, pods } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { asNew } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { podProbeMarkerController } from './controller.ts';
import { leftOutMessage } from './events.ts';

const listKey = { namespace: '', name: 'node1' };
const markerKey = { namespace: 'default', name: 'rooms' };
const probe = (name: string, size: number) => ({
  name,
  containerName: 'main',
  podConditionType: `game.example/${name}`,
  probe: { exec: { command: ['x'.repeat(size)] } },
});

/** A node with 12 Pods, and markers of large probes for them. */
async function crowded(...markers: readonly string[]) {
  const cluster = new InMemoryCluster(podProbeMarkerController);
  const { api, clock } = cluster;
  await api.create(nodes, { metadata: { name: 'node1' } });
  await api.create(nodePodProbes, { metadata: { name: 'node1' }, spec: {} });
  for (let i = 0; i < 12; i++) {
    const pod = aPod({ name: `pod-${i}`, node: 'node1', labels: { app: 'game' } });
    const conditions = [...(pod.status?.conditions ?? []), { type: 'Initialized', status: 'True' }];
    await api.updateStatus(pods, { ...(await api.create(pods, asNew(pod))), status: { ...pod.status, podIP: '10.0.0.1', conditions } });
  }
  for (const name of markers) {
    const spec = { selector: { matchLabels: { app: 'game' } }, probes: [probe(`large-${name}`, 60_000)] };
    await api.create(podProbeMarkers, { metadata: { ...markerKey, name, generation: 1 }, spec });
  }
  const manager = cluster.begin();
  await manager.settle();
  const markersOfList = async (): Promise<ReadonlySet<string>> => {
    const { spec } = await api.get(nodePodProbes, listKey);
    return new Set((spec.podProbes ?? []).flatMap(({ probes = [] }) => probes.map(({ name }) => name.split('#')[0] ?? '')));
  };
  return { api, clock, manager, markersOfList };
}

it('a marker without any place in a full list gets one when another marker leaves it', async () => {
  const { api, clock, manager, markersOfList } = await crowded('first', 'second');
  const [held = ''] = await markersOfList();
  expect([...(await markersOfList())]).toHaveLength(1);
  await api.delete(podProbeMarkers, { ...markerKey, name: held });
  await manager.settle();
  await clock.step(1000);
  await manager.settle();
  expect([...(await markersOfList())]).toEqual(['first', 'second'].filter((name) => name !== held));
  await manager.stop();
});

it('the event ProbesLeftOut is recorded once while the same nodes are full', async () => {
  const { api, manager } = await crowded('rooms');
  const events = () => manager.events.filter(({ reason }) => reason === 'ProbesLeftOut');
  expect([(await api.get(nodePodProbes, listKey)).spec.podProbes?.length, events().length]).toEqual([8, 1]);
  const held = await api.get(podProbeMarkers, markerKey);
  await api.update(podProbeMarkers, { ...held, metadata: { ...held.metadata, labels: { touched: 'yes' } } });
  await manager.settle();
  expect(events().length).toBe(1);
  await manager.stop();
});

it.each<[readonly string[], string]>([
  [['a'], 'probes are omitted on a:'],
  [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'probes are omitted on a, b, c, d, e and 2 more nodes:'],
])('of nodes %j it says %j', (full, text) => {
  expect(leftOutMessage(full)).toContain(text);
});
