/** What the original leaves behind is taken over without a write; and what is written here, the original reads. */
import { expect, it } from '@jest/globals';
import { resourceDistributions } from '@kruise/api';
import { configMaps, type KubeObject } from '@kruise/objects';
import { configMap, list, originalCopy } from '@kruise/kinds/resourcedistribution/testing';
import { DistributionCluster } from './cluster.testing.ts';

const conditions = [
  'GetResourceFailed',
  'CreateResourceFailed',
  'UpdateResourceFailed',
  'DeleteResourceFailed',
  'ConflictOccurred',
  'NamespaceNotExists',
].map((type) => ({ type, status: 'False', reason: 'Succeeded', lastTransitionTime: '2025-06-01T00:00:00Z' }));

/** A distribution that the original has carried out. */
function takenOver(change: (copy: KubeObject) => KubeObject = (copy) => copy): DistributionCluster {
  const cluster = new DistributionCluster(['a', 'b', 'c']);
  cluster.distribute({ includedNamespaces: list('a', 'b') });
  const { uid = '' } = cluster.distribution?.metadata ?? {};
  for (const namespace of ['a', 'b']) cluster.api.seed(configMaps, change(originalCopy(namespace, uid, 'of the original')));
  const status = { desired: 2, succeeded: 2, observedGeneration: 1, conditions };
  cluster.api.seed(resourceDistributions, { ...cluster.distribution, status } as never);
  return cluster;
}

it('copies and status of the original stay as they are: nothing is written', async () => {
  const cluster = takenOver();
  const { writes } = cluster;
  const before = [cluster.copy('a'), cluster.copy('b'), cluster.distribution];
  const manager = cluster.begin();
  await manager.settle();
  await cluster.clock.step(3_600_000);
  expect(cluster.writes).toBe(writes);
  expect([cluster.copy('a'), cluster.copy('b'), cluster.distribution]).toEqual(before);
  await manager.stop();
});

it('a copy that the original lags behind with is brought in line, its labels kept', async () => {
  const cluster = takenOver(
    (copy) => ({ ...copy, metadata: { ...copy.metadata, labels: { mine: '1' } }, data: { color: 'old' } }) as KubeObject,
  );
  const manager = cluster.begin();
  await manager.settle();
  expect(cluster.copy('a')).toMatchObject({ data: configMap.data, metadata: { labels: { mine: '1' } } });
  expect(cluster.counts()).toEqual([2, 2, 0]);
  await manager.stop();
});

it('a copy that is owned in v1alpha1 is cleaned up like any other', async () => {
  const cluster = takenOver();
  const manager = cluster.begin();
  await manager.settle();
  await cluster.change({ targets: { includedNamespaces: list('a') } });
  await manager.settle();
  expect(cluster.places()).toEqual(['a']);
  await manager.stop();
});
