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

const uidOf = (world: StatefulSetCluster, name: string): string | undefined =>
  world.claims.find(({ metadata }) => metadata.name === name)?.metadata.uid;

const letGo = (pod: Pod): Pod => {
  const { [hold]: _held, ...labels } = pod.metadata.labels ?? {};
  return { ...pod, metadata: { ...pod.metadata, labels } };
};

const letAllGo = (world: StatefulSetCluster): void => {
  for (const pod of world.pods) if (lifecycleStateOf(pod) === 'PreparingDelete') world.changePod(pod.metadata.name, letGo);
};

/** Scales in to one Pod, and out again before the second is deleted. */
async function scaleInAndOut(world: StatefulSetCluster, meanwhile = 1): Promise<string | undefined> {
  const claim = uidOf(world, 'data-web-1');
  world.change({ replicas: 1 });
  await world.ticks(meanwhile);
  world.change({ replicas: 2 });
  return claim;
}

describe('a Pod that is wanted again while its preDelete hook holds it', () => {
  it.each([
    { name: 'and takes it out of service', markPodNotReady: true, policy: 'InPlaceIfPossible' },
    { name: 'with another image', markPodNotReady: false, policy: 'ReCreate' },
  ] as const)('is recreated with the same claim $name', async ({ markPodNotReady, policy }) => {
    const world = begin({ replicas: 2, claims, rollingUpdate: { podUpdatePolicy: policy }, spec: held(markPodNotReady) });
    await world.settle();
    const claim = await scaleInAndOut(world);
    if (!markPodNotReady) world.changeImage('app:2');
    const before = world.pods[1]?.metadata.uid;
    world.onTick = () => letAllGo(world);
    await world.settle();
    expect(world.pods[1]?.metadata.uid).not.toBe(before);
    expect(uidOf(world, 'data-web-1')).toBe(claim);
  });
});

describe('a Pod that is wanted again while it terminates', () => {
  it.each([true, false])('leaves its claim to the next one (Parallel: %s)', async (parallel) => {
    const world = begin({ replicas: 2, parallel, claims, spec: retention });
    await world.settle();
    world.stuck.add('web-1');
    const claim = await scaleInAndOut(world, 3);
    await world.ticks(2);
    expect(world.shown[1]).toContain('going');
    world.stuck.clear();
    await world.settle();
    expect(uidOf(world, 'data-web-1')).toBe(claim);
    expect(world.shown).toEqual(['web-0 app:1', 'web-1 app:1']);
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
    const world = begin(shape, { before });
    await world.settle();
    const claim = await scaleInAndOut(world);
    isRefused = true;
    world.changeImage('app:2');
    world.onTick = () => letAllGo(world);
    await world.ticks(20);
    expect(world.shown[1]).toBe('web-1 app:1 PreparingDelete');
    expect(world.conditions).toContainEqual(expect.stringContaining('admission webhook said no'));
    isRefused = false;
    await world.settle(300, 20);
    expect(world.shown).toEqual(['web-0 app:2', 'web-1 app:2']);
    expect(uidOf(world, 'data-web-1')).toBe(claim);
    expect(world.conditions).toEqual([]);
  });
});
