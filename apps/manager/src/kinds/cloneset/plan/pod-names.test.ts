/** Names of new Pods: names of deleted Pods, and names that another owner uses, are not given again. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cloneSets } from '@kruise/api';
import { nodes, pods, type Pod } from '@kruise/objects';
import type { FakeApi } from '@kruise/kube/testing';
import { asNew, type ControllerProcess } from '../../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../../module/in-memory-cluster.testing.ts';
import { cloneSetController } from '../controller.ts';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';

let api: FakeApi;
let manager: ControllerProcess;

beforeEach(async () => {
  const cluster = new InMemoryCluster(cloneSetController);
  ({ api } = cluster);
  await api.create(nodes, { metadata: { name: 'node1' } });
  manager = cluster.begin();
});
afterEach(() => manager.stop());

const settle = async (): Promise<void> => {
  for (let round = 0; round < 5; round++) await manager.settle();
};
const held = (): readonly Pod[] => api.peekAll(pods, 'default');
const owned = (): readonly Pod[] => held().filter(({ metadata }) => (metadata.ownerReferences ?? []).length > 0);
const nameOf = ({ metadata }: Pod): string => metadata.name;

describe('a new Pod', () => {
  it.each([1, 3])('is never named like one that was deleted at once (%p replicas)', async (replicas) => {
    await api.create(cloneSets, asNew(aCloneSet({ replicas })));
    await settle();
    const seen = new Set(owned().map(nameOf));
    expect(seen.size).toBe(replicas);
    for (let round = 1; round <= 4; round++) {
      const [first] = owned();
      await api.delete(pods, { namespace: 'default', name: first === undefined ? '' : nameOf(first) });
      await settle();
      for (const pod of owned()) seen.add(nameOf(pod));
      expect(owned()).toHaveLength(replicas);
      expect(seen.size).toBe(replicas + round);
    }
  });

  it.each([
    ['let go', true],
    ['taken away by somebody', false],
  ])('is not named like one that was %s and still exists', async (_name, isStillOwned) => {
    await api.create(cloneSets, asNew(aCloneSet({ replicas: 1 })));
    await settle();
    const [first] = owned();
    if (first === undefined) throw new Error('there is no Pod');
    const { metadata } = first;
    const labels = { ...metadata.labels, app: 'other' };
    const ownerReferences = isStillOwned ? (metadata.ownerReferences ?? []) : [];
    await api.update(pods, { ...first, metadata: { ...metadata, labels, ownerReferences } });
    await settle();
    expect(held()).toHaveLength(2);
    expect(owned()).toHaveLength(1);
    expect(owned().map(nameOf)).not.toContain(nameOf(first));
  });
});
