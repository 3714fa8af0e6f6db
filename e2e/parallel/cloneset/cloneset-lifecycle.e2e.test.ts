import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conditionTypes, labels } from '@kruise/api';
import { type Pod, podCondition } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { imageOf, inPlaceReady, lifecycleState } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const names = (pods: readonly Pod[]): readonly string[] => pods.map((pod) => pod.metadata.name);
const held = { 'example.com/hold': 'yes' };
const released = { metadata: { labels: { 'example.com/hold': null } } };
const template = (name: string, more: Readonly<Record<string, string>> = {}): object => ({
  metadata: { labels: { app: name, ...more } },
  spec: { containers: [{ name: 'main', image: images.first }] },
});
const kruisePodReady = (pod: Pod): string => podCondition(pod, 'KruisePodReady')?.status ?? '';
const keysOf = (pod: Pod): string => podCondition(pod, 'KruisePodReady')?.message ?? '';

describe('lifecycle hooks', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('lifecycle');
  });
  afterAll(() => closeFixture(fixture));

  const blockedReason = async (name: string): Promise<string | undefined> =>
    (await fixture.get(name)).status?.conditions?.find(({ type }) => type === conditionTypes.blocked)?.reason;
  const stateIs = (name: string, state: string, timeoutMs?: number): Promise<void> =>
    fixture.eventually(async () => lifecycleState(await fixture.pod(name)) === state, `${name} is ${state}`, timeoutMs);

  it('preNormal keeps a ready Pod from being available until it carries the finalizer', async () => {
    const lifecycle = { preNormal: { finalizersHandler: ['example.com/online'] } };
    await fixture.apply({ name: 'fresh', replicas: 1, image: images.first, spec: { lifecycle } });
    const { status } = await fixture.until('fresh', (seen) => seen.status?.readyReplicas === 1);
    expect(status?.availableReplicas).toBe(0);
    await fixture.eventually(async () => (await blockedReason('fresh')) === 'WaitingForHook', 'the hook is named');
    const [pod] = await fixture.pods('fresh');
    expect(pod && lifecycleState(pod)).toBe('PreparingNormal');
    await fixture.patchPod(pod?.metadata.name ?? '', { metadata: { finalizers: ['example.com/online'] } });
    await fixture.until('fresh', (seen) => seen.status?.availableReplicas === 1);
    expect(await blockedReason('fresh')).toBeUndefined();
    await fixture.patchPod(pod?.metadata.name ?? '', { metadata: { finalizers: null } });
  });

  it('preDelete keeps a Pod that will be deleted, which still counts as a replica, and its replacement is created when the hook ends', async () => {
    const lifecycle = { preDelete: { labelsHandler: held } };
    await fixture.apply({ name: 'going', replicas: 3, image: images.first, spec: { lifecycle, template: template('going', held) } });
    await fixture.untilRolledOut('going');
    const before = names(await fixture.pods('going'));
    const [chosen = ''] = before;
    await fixture.patchPod(chosen, { metadata: { labels: { [labels.specifiedDelete]: 'true' } } });
    await stateIs(chosen, 'PreparingDelete');
    await fixture.eventually(async () => (await blockedReason('going')) === 'WaitingForHook', 'the hook is named');
    expect((await fixture.get('going')).status?.replicas).toBe(3);
    expect(names(await fixture.pods('going'))).toEqual(before);
    await fixture.patchPod(chosen, released);
    await fixture.eventually(async () => !names(await fixture.pods('going')).includes(chosen), 'the Pod goes');
    await fixture.eventually(async () => (await fixture.pods('going')).length === 3, 'another one comes');
    await fixture.untilRolledOut('going');
    expect(names(await fixture.pods('going')).filter((name) => before.includes(name))).toEqual(before.slice(1));
  });

  it('a Pod that waits for preDelete is replaced at once when it does not count', async () => {
    await fixture.patch('going', { spec: { scaleStrategy: { excludePreparingDelete: true } } });
    const [chosen = ''] = names(await fixture.pods('going'));
    await fixture.patchPod(chosen, { metadata: { labels: { [labels.specifiedDelete]: 'true' } } });
    await fixture.eventually(async () => (await fixture.pods('going')).length === 4, 'a fourth Pod');
    expect(lifecycleState(await fixture.pod(chosen))).toBe('PreparingDelete');
    await fixture.patchPod(chosen, released);
    await fixture.eventually(async () => (await fixture.pods('going')).length === 3, 'the Pod goes');
    await fixture.untilRolledOut('going');
  });

  it('a Pod that waits for preDelete comes back when it is wanted again', async () => {
    await fixture.patch('going', { spec: { replicas: 2, scaleStrategy: { excludePreparingDelete: false } } });
    const preparing = async (): Promise<readonly Pod[]> =>
      (await fixture.pods('going')).filter((pod) => lifecycleState(pod) === 'PreparingDelete');
    await fixture.eventually(async () => (await preparing()).length === 1, 'one Pod is prepared');
    const before = names(await fixture.pods('going'));
    await fixture.patch('going', { spec: { replicas: 3 } });
    await fixture.eventually(async () => (await preparing()).length === 0, 'it comes back');
    await fixture.untilRolledOut('going');
    expect(names(await fixture.pods('going'))).toEqual(before);
  });

  it('inPlaceUpdate with markPodNotReady takes a Pod out of service before its containers change, and back when it is hooked again', async () => {
    const lifecycle = { inPlaceUpdate: { labelsHandler: held, markPodNotReady: true } };
    await fixture.apply({ name: 'hooked', replicas: 1, image: images.first, spec: { lifecycle, template: template('hooked', held) } });
    await fixture.untilRolledOut('hooked');
    const [pod] = await fixture.pods('hooked');
    const { name = '' } = pod?.metadata ?? {};
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.patch('hooked', {
      spec: { template: { metadata: { labels: held }, spec: { containers: [{ name: 'main', image: images.second }] } } },
    });
    await stateIs(name, 'PreparingUpdate');
    // The label is written first, and the condition after it.
    await fixture.eventually(async () => kruisePodReady(await fixture.pod(name)) === 'False', 'the Pod is out of service');
    const waiting = await fixture.pod(name);
    expect(keysOf(waiting)).toBe('[{"userAgent":"Lifecycle","key":"preUpdateHook"}]');
    expect(imageOf(waiting)).toBe(images.first);
    await fixture.eventually(async () => (await blockedReason('hooked')) === 'WaitingForHook', 'the hook is named');

    await fixture.patchPod(name, released);
    await stateIs(name, 'Updated');
    await fixture.patchPod(name, { metadata: { labels: held } });
    await stateIs(name, 'Normal');
    await fixture.untilRolledOut('hooked');
    const after = await fixture.pod(name);
    expect(after.metadata.uid).toBe(pod?.metadata.uid);
    expect(imageOf(after)).toBe(images.second);
    expect([kruisePodReady(after), keysOf(after)]).toEqual(['True', '[]']);
    const observed = await history.untilNow();
    expect(observed.sequence(name, lifecycleState)).toEqual(['Normal', 'PreparingUpdate', 'Updating', 'Updated', 'Normal']);
    expect(observed.sequence(name, inPlaceReady)).toEqual(['True', 'False', 'True']);
    expect(await blockedReason('hooked')).toBeUndefined();
  });
});
