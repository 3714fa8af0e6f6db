/**
 * A StatefulSet that names a ConfigMap, with a container that restarts for its hash: all actions, writes and events from before the ConfigMap exists
 * until it was deleted and created again. To write the file again after an intended change:
 * UPDATE_GOLDEN=1 npm run jest -- statefulset/runs/config-rollout.golden, then review the diff.
 */
import { expect, it } from '@jest/globals';
import { annotations, statefulSets } from '@kruise/api';
import { configMaps, deepEqual, pods, type Pod } from '@kruise/objects';
import { formatRuntimeMeta, metadataEnvHash, plainHash } from '@kruise/pods';
import { goldenOf } from '../../../module/golden-scenarios.testing.ts';
import { StatefulSetCluster } from '../cluster.testing.ts';

const env = [{ name: 'CONFIG_HASH', valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${annotations.configHash}']` } } }];
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'app:1', env }], readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
};
const app = { namespace: 'default', name: 'app' };

/** The agent restarts the container when its environment differs, and reports it. */
function reported(pod: Pod): Pod {
  const [container] = pod.spec.containers;
  const [status] = pod.status?.containerStatuses ?? [];
  if (container === undefined || status === undefined) return pod;
  const meta = {
    name: container.name,
    containerID: status.containerID ?? '',
    restartCount: status.restartCount,
    plainHash: plainHash(container),
    metadataEnvHash: metadataEnvHash(container, pod.metadata),
  };
  const report = { [annotations.runtimeContainersMeta]: formatRuntimeMeta([meta]) };
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...report } } };
}

function begin(): StatefulSetCluster {
  const cluster = new StatefulSetCluster({ replicas: 2, spec: { template } }, { gates: { ConfigRollout: true } });
  const { metadata, ...rest } = cluster.set;
  cluster.api.seed(statefulSets, { ...rest, metadata: { ...metadata, annotations: { [annotations.configRollout]: 'configmap/app' } } });
  cluster.onTick = () => {
    for (const pod of cluster.pods) {
      const next = reported(pod);
      if (!deepEqual(pod, next)) cluster.api.seed(pods, next);
    }
  };
  return cluster;
}

it('config-rollout', async () => {
  await using cluster = begin();
  const { api, timeline } = cluster;
  const set = (level: string): void => void api.seed(configMaps, { metadata: app, data: { level } });
  const keepBack = (partition: number): void => {
    const { updateStrategy } = cluster.set.spec;
    cluster.change({ updateStrategy: { ...updateStrategy, rollingUpdate: { ...updateStrategy?.rollingUpdate, partition } } });
  };
  timeline.note('the ConfigMap does not exist');
  await cluster.ticks(12);
  timeline.note('the user creates it');
  set('info');
  await cluster.ticks(15);
  timeline.note('the user keeps one Pod back and changes the content');
  keepBack(1);
  set('debug');
  await cluster.ticks(25);
  timeline.note('the user lets the rest go');
  keepBack(0);
  await cluster.ticks(15);
  timeline.note('the user deletes the ConfigMap');
  await api.delete(configMaps, app);
  await cluster.ticks(15);
  timeline.note('the user creates it again');
  set('debug');
  await cluster.ticks(15);
  const text = `${timeline.text.trimEnd()}\n`;
  expect(cluster.conditions).toEqual([]);
  expect(await cluster.quietHour()).toEqual([]);
  expect(text).toBe(goldenOf(import.meta.url, 'config-rollout', text));
});
