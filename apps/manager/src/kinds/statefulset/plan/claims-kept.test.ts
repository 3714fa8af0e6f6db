/** No claim of a wanted ordinal is deleted with its Pod, on an API server in memory with a garbage collector. @see spec/statefulset.md 5.7 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { persistentVolumeClaims, type Pod } from '@kruise/objects';
import { lifecycleStateOf } from '@kruise/pods';
import type { ClusterOptions } from '../../../module/controller-cluster.testing.ts';
import { aClaimTemplate, aStatefulSet, type SetShape } from '@kruise/kinds/statefulset/testing';
import { StatefulSetCluster } from '../cluster.testing.ts';

let opened: AsyncDisposableStack | undefined;
afterEach(() => opened?.disposeAsync());

const begin = (shape: SetShape, options: ClusterOptions = {}): StatefulSetCluster => {
  opened = new AsyncDisposableStack();
  return opened.use(new StatefulSetCluster(shape, options));
};

const retention = { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' } } as const;
const hold = 'example.com/hold';
const { template } = aStatefulSet().spec;
const held = (markPodNotReady: boolean): NonNullable<SetShape['spec']> => ({
  ...retention,
  lifecycle: { preDelete: { labelsHandler: { [hold]: 'yes' }, markPodNotReady } },
  template: { ...template, metadata: { labels: { ...template.metadata?.labels, [hold]: 'yes' } } },
});
const claims = [aClaimTemplate('data')];

const uidOf = (cluster: StatefulSetCluster, name: string): string | undefined =>
  cluster.claims.find(({ metadata }) => metadata.name === name)?.metadata.uid;

const letGo = (pod: Pod): Pod => {
  const { [hold]: _held, ...labels } = pod.metadata.labels ?? {};
  return { ...pod, metadata: { ...pod.metadata, labels } };
};

const letAllGo = (cluster: StatefulSetCluster): void => {
  for (const pod of cluster.pods) if (lifecycleStateOf(pod) === 'PreparingDelete') cluster.changePod(pod.metadata.name, letGo);
};

/** Scales in to one Pod, and out again before the second is deleted. */
async function scaleInAndOut(cluster: StatefulSetCluster, meanwhile = 1): Promise<string | undefined> {
  const claim = uidOf(cluster, 'data-web-1');
  cluster.change({ replicas: 1 });
  await cluster.ticks(meanwhile);
  cluster.change({ replicas: 2 });
  return claim;
}

describe('a Pod that is wanted again while its preDelete hook holds it', () => {
  it.each([
    { name: 'and takes it out of service', markPodNotReady: true, policy: 'InPlaceIfPossible' },
    { name: 'with another image', markPodNotReady: false, policy: 'ReCreate' },
  ] as const)('is recreated with the same claim $name', async ({ markPodNotReady, policy }) => {
    const cluster = begin({ replicas: 2, claims, rollingUpdate: { podUpdatePolicy: policy }, spec: held(markPodNotReady) });
    await cluster.settle();
    const claim = await scaleInAndOut(cluster);
    if (!markPodNotReady) cluster.changeImage('app:2');
    const before = cluster.pods[1]?.metadata.uid;
    cluster.onTick = () => letAllGo(cluster);
    await cluster.settle();
    expect(cluster.pods[1]?.metadata.uid).not.toBe(before);
    expect(uidOf(cluster, 'data-web-1')).toBe(claim);
  });
});

describe('a Pod that is wanted again while it terminates', () => {
  it.each([true, false])('leaves its claim to the next one (Parallel: %s)', async (parallel) => {
    const cluster = begin({ replicas: 2, parallel, claims, spec: retention });
    await cluster.settle();
    cluster.stuck.add('web-1');
    const claim = await scaleInAndOut(cluster, 3);
    await cluster.ticks(2);
    expect(cluster.shown[1]).toContain('going');
    cluster.stuck.clear();
    await cluster.settle();
    expect(uidOf(cluster, 'data-web-1')).toBe(claim);
    expect(cluster.shown).toEqual(['web-0 app:1', 'web-1 app:1']);
  });
});

describe('a Pod whose claim cannot be freed', () => {
  it('is not replaced until it can', async () => {
    let isRefused = false;
    const before = ({ verb, type }: FakeCall): void => {
      if (isRefused && verb === 'patch' && type === persistentVolumeClaims)
        throw new ApiError('admission webhook said no', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
    };
    const shape = { replicas: 2, claims, rollingUpdate: { podUpdatePolicy: 'ReCreate' as const }, spec: held(false) };
    const cluster = begin(shape, { before });
    await cluster.settle();
    const claim = await scaleInAndOut(cluster);
    isRefused = true;
    cluster.changeImage('app:2');
    cluster.onTick = () => letAllGo(cluster);
    await cluster.ticks(20);
    expect(cluster.shown[1]).toBe('web-1 app:1 PreparingDelete');
    expect(cluster.conditions).toContainEqual(expect.stringContaining('admission webhook said no'));
    isRefused = false;
    await cluster.settle(300, 20);
    expect(cluster.shown).toEqual(['web-0 app:2', 'web-1 app:2']);
    expect(uidOf(cluster, 'data-web-1')).toBe(claim);
    expect(cluster.conditions).toEqual([]);
  });
});
