/** Updates of an Advanced StatefulSet. @see docs/spec/statefulset.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { labels } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { pods as podType, type Pod } from '@kruise/objects';
import type { SetShape, StatefulSetWorld } from '../../../apps/manager/src/int-tests/fixtures/statefulset-world.testing.ts';
import { imageOf, isAvailable, restartsOf, uidsOf } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { servingGate, setServing } from '../../support/serving.ts';
import { closeWorld, images, openStatefulSets } from '../../support/world.ts';

const byName = (pods: readonly Pod[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(pods.map((pod) => [pod.metadata.name, imageOf(pod)]));
describe('updates of a StatefulSet', () => {
  let world: StatefulSetWorld;
  beforeAll(async () => {
    world = await openStatefulSets('sts-update');
  });
  afterAll(() => closeWorld(world));

  const key = (name: string) => ({ namespace: world.namespace, name });
  const start = async (shape: Omit<SetShape, 'image'>): Promise<readonly Pod[]> => {
    await world.apply({ image: images.first, ...shape });
    await world.untilRolledOut(shape.name);
    return world.pods(shape.name);
  };
  const deletePod = (name: string): Promise<unknown> => world.client.delete(podType, key(name));
  const imagesOf = async (name: string): Promise<readonly (string | undefined)[]> => (await world.pods(name)).map(imageOf);

  it('leave as many Pods at the old revision as the partition says, also when they are recreated (6)', async () => {
    await start({ name: 'parts', replicas: 5, parallel: true, rollingUpdate: { partition: 3, podUpdatePolicy: 'ReCreate' } });
    await world.setImage('parts', images.second);
    await world.untilUpdated('parts', 2);
    await world.untilAvailable('parts');
    const { first, second } = images;
    const half = { 'parts-0': first, 'parts-1': first, 'parts-2': first, 'parts-3': second, 'parts-4': second };
    expect(byName(await world.pods('parts'))).toEqual(half);
    const deleted = ['parts-1', 'parts-4'];
    const before = new Set(uidsOf(await world.pods('parts')));
    const renewed = async (): Promise<readonly string[]> =>
      (await world.pods('parts')).filter(({ metadata }) => !before.has(metadata.uid)).map(({ metadata }) => metadata.name);
    await Promise.all(deleted.map(deletePod));
    await world.eventually(async () => (await renewed()).join() === deleted.join(), 'both are made anew');
    await world.untilAvailable('parts');
    expect(byName(await world.pods('parts'))).toEqual(half);
    await world.patch('parts', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    const { status } = await world.untilRolledOut('parts');
    expect(status?.currentRevision).toBe(status?.updateRevision);
    expect(new Set(await imagesOf('parts'))).toEqual(new Set([second]));
  });

  it('that go back use the former revision again (7)', async () => {
    await start({ name: 'back', replicas: 2, parallel: true });
    const first = (await world.get('back')).status?.updateRevision;
    await world.setImage('back', images.second);
    const second = (await world.untilRolledOut('back')).status?.updateRevision;
    await world.setImage('back', images.first);
    const { status } = await world.untilRolledOut('back');
    expect(status?.updateRevision).toBe(first);
    expect((await world.revisions('back')).map(({ name }) => name)).toEqual([second, first]);
  });

  it('take no more Pods down than may be unavailable, those that are so already included (8)', async () => {
    const shape = { name: 'budget', replicas: 6, parallel: true, rollingUpdate: { maxUnavailable: 2, podUpdatePolicy: 'ReCreate' } };
    await world.apply({ ...shape, image: images.first, podSpec: { ...servingGate, terminationGracePeriodSeconds: 0 } });
    await world.eventually(async () => (await world.pods('budget')).length === 6, 'six Pods');
    const serve = (ordinal: number, isServing: boolean): Promise<void> => setServing(world.client, key(`budget-${ordinal}`), isServing);
    for (const ordinal of [0, 1, 2, 3, 4, 5]) await serve(ordinal, true);
    await world.untilRolledOut('budget');
    await serve(2, false);
    await world.until('budget', ({ status }) => status?.readyReplicas === 5);
    await using history = await PodHistory.begin(world.client, world.namespace);
    await world.setImage('budget', images.second);
    for (const ordinal of [5, 4, 3, 2, 1, 0]) {
      const name = `budget-${ordinal}`;
      await world.eventually(
        async () => (await world.pods('budget')).some((pod) => pod.metadata.name === name && imageOf(pod) === images.second),
        `${name} is new`,
      );
      await serve(ordinal, true);
    }
    await world.untilRolledOut('budget');
    const own = (pod: Pod): boolean => pod.metadata.name.startsWith('budget-');
    const observed = await history.untilNow();
    expect(observed.range((pod) => own(pod) && isAvailable(pod)).lowest).toBeGreaterThanOrEqual(4);
  });

  it('in place need the readiness gate, and keep the Pods (9)', async () => {
    const refused = world.apply({ name: 'gateless', replicas: 1, image: images.first, podSpec: { readinessGates: [] } });
    await expect(refused).rejects.toThrow('spec.template.spec.readinessGates');
    expect(await refused.catch((error: unknown) => isFailure(error, 'Invalid'))).toBe(true);
    const before = await start({ name: 'in-place', replicas: 3 });
    await world.setImage('in-place', images.second);
    await world.untilRolledOut('in-place');
    const after = await world.pods('in-place');
    expect(uidsOf(after)).toEqual(uidsOf(before));
    expect(after.map(restartsOf)).toEqual([1, 1, 1]);
    expect(after.map(imageOf)).toEqual([images.second, images.second, images.second]);
  });

  it('of anything but images are refused with InPlaceOnly (10)', async () => {
    await start({ name: 'only', replicas: 1, rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } });
    const container = { name: 'main', image: images.first, env: [{ name: 'A', value: 'b' }] };
    await expect(world.patch('only', { spec: { template: { spec: { containers: [container] } } } })).rejects.toThrow(/InPlaceOnly/);
    await world.setImage('only', images.second);
    await world.untilRolledOut('only');
    expect(await imagesOf('only')).toEqual([images.second]);
  });

  it('wait with OnDelete for a user to delete Pods (11)', async () => {
    await world.apply({
      name: 'on-delete',
      replicas: 2,
      image: images.first,
      parallel: true,
      spec: { updateStrategy: { type: 'OnDelete' } },
    });
    await world.untilAvailable('on-delete');
    const { currentRevision } = (await world.get('on-delete')).status ?? {};
    await world.setImage('on-delete', images.second);
    await world.until('on-delete', ({ metadata, status }) => status?.observedGeneration === metadata.generation);
    expect(await imagesOf('on-delete')).toEqual([images.first, images.first]);
    await deletePod('on-delete-1');
    await world.untilUpdated('on-delete', 1);
    await world.untilAvailable('on-delete');
    expect(await imagesOf('on-delete')).toEqual([images.first, images.second]);
    expect((await world.get('on-delete')).status?.currentRevision).toBe(currentRevision);
  });

  it('replace a Pod that is marked, at the revision of its place, once all others are available (12)', async () => {
    const shape = { name: 'marked', replicas: 4, parallel: true, rollingUpdate: { partition: 2, podUpdatePolicy: 'ReCreate' } };
    await world.apply({ ...shape, image: images.first, podSpec: { ...servingGate, terminationGracePeriodSeconds: 0 } });
    await world.eventually(async () => (await world.pods('marked')).length === 4, 'four Pods');
    const serve = (ordinal: number, isServing: boolean): Promise<void> => setServing(world.client, key(`marked-${ordinal}`), isServing);
    for (const ordinal of [0, 1, 2, 3]) await serve(ordinal, true);
    await world.untilRolledOut('marked');
    await world.setImage('marked', images.second);
    for (const ordinal of [3, 2]) {
      const name = `marked-${ordinal}`;
      await world.eventually(
        async () => (await world.pods('marked')).some((pod) => pod.metadata.name === name && imageOf(pod) === images.second),
        `${name} is new`,
      );
      await serve(ordinal, true);
    }
    await world.untilAvailable('marked');
    await serve(3, false);
    await world.until('marked', ({ status }) => status?.readyReplicas === 3);
    const { uid } = (await world.pod('marked-1')).metadata;
    await world.patchPod('marked-1', { metadata: { labels: { [labels.specifiedDelete]: 'true' } } });
    // The controller answers the mark and the change of the object in one order: the Pod was looked at once this is observed.
    await world.patch('marked', { spec: { revisionHistoryLimit: 9 } });
    await world.until('marked', ({ metadata, status }) => status?.observedGeneration === metadata.generation);
    expect((await world.pod('marked-1')).metadata.uid).toBe(uid);
    await serve(3, true);
    await world.eventually(
      async () => (await world.pods('marked')).some((pod) => pod.metadata.name === 'marked-1' && pod.metadata.uid !== uid),
      'another Pod of the name',
    );
    await serve(1, true);
    await world.untilAvailable('marked');
    expect(await imagesOf('marked')).toEqual([images.first, images.first, images.second, images.second]);
  });

  it('that are paused update nothing, while Pods are created (21)', async () => {
    await start({ name: 'paused', replicas: 3, parallel: true, rollingUpdate: { paused: true } });
    await world.setImage('paused', images.second);
    await world.until('paused', ({ metadata, status }) => status?.observedGeneration === metadata.generation);
    await world.patch('paused', { spec: { replicas: 4 } });
    await world.untilAvailable('paused');
    const { first, second } = images;
    expect(await imagesOf('paused')).toEqual([first, first, first, second]);
  });
});
