import { expect, it } from '@jest/globals';
import { cloneSets, conditionTypes, type CloneSet } from '@kruise/api';
import { nodes, pods, type Node, type Pod } from '@kruise/objects';
import { asNew } from '../../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../../module/in-memory-cluster.testing.ts';
import { cloneSetController } from '../controller.ts';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';

const key = { namespace: 'default', name: 'sample' };
const nodeKey = { namespace: '', name: 'node1' };

it('names a node that is lost although its Pods, which were not ready anyway, say nothing new', async () => {
  const cluster = new InMemoryCluster(cloneSetController);
  const { api } = cluster;
  const setReady = async (status: string): Promise<void> => {
    const node: Node = await api.get(nodes, nodeKey);
    await api.updateStatus(nodes, { ...node, status: { conditions: [{ type: 'Ready', status }] } });
  };
  await api.create(nodes, { metadata: { name: nodeKey.name } });
  await setReady('True');
  const manager = cluster.begin();
  await api.create(cloneSets, asNew(aCloneSet({ replicas: 1 })));
  for (let round = 0; round < 5; round++) await manager.settle();
  const { items } = await api.list<Pod>(pods, { namespace: key.namespace });
  expect(items).toHaveLength(1);
  for (const pod of items) {
    const placed = await api.update(pods, { ...pod, spec: { ...pod.spec, nodeName: nodeKey.name } });
    await api.updateStatus(pods, { ...placed, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } });
  }
  const blockedBy = async (): Promise<string | undefined> => {
    for (let round = 0; round < 5; round++) await manager.settle();
    const { status }: CloneSet = await api.get(cloneSets, key);
    return status?.conditions?.find(({ type }) => type === conditionTypes.blocked)?.reason;
  };
  const before = await blockedBy();
  expect(before).not.toBe('NodeLost');
  await setReady('Unknown');
  expect(await blockedBy()).toBe('NodeLost');
  await setReady('True');
  expect(await blockedBy()).toBe(before);
  await manager.stop();
});
