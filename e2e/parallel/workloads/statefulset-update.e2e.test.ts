/** Updates of an Advanced StatefulSet. @see docs/spec/statefulset.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { labels } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { pods as podType, type Pod } from '@kruise/objects';
import type { SetShape, StatefulSetFixture } from '../../../apps/manager/src/int-tests/fixtures/statefulset-fixture.testing.ts';
import { imageOf, isAvailable, restartsOf, uidsOf } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { servingGate, setServing } from '../../support/serving.ts';
import { closeFixture, images, openStatefulSets } from '../../support/fixture.ts';

const byName = (pods: readonly Pod[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(pods.map((pod) => [pod.metadata.name, imageOf(pod)]));
describe('updates of a StatefulSet', () => {
  let fixture: StatefulSetFixture;
  beforeAll(async () => {
    fixture = await openStatefulSets('sts-update');
  });
  afterAll(() => closeFixture(fixture));

  const key = (name: string) => ({ namespace: fixture.namespace, name });
  const start = async (shape: Omit<SetShape, 'image'>): Promise<readonly Pod[]> => {
    await fixture.apply({ image: images.first, ...shape });
    await fixture.untilRolledOut(shape.name);
    return fixture.pods(shape.name);
  };
  const deletePod = (name: string): Promise<unknown> => fixture.client.delete(podType, key(name));
  const imagesOf = async (name: string): Promise<readonly (string | undefined)[]> => (await fixture.pods(name)).map(imageOf);

  it('leave as many Pods at the old revision as the partition says, also when they are recreated (6)', async () => {
    await start({ name: 'parts', replicas: 5, parallel: true, rollingUpdate: { partition: 3, podUpdatePolicy: 'ReCreate' } });
    await fixture.setImage('parts', images.second);
    await fixture.untilUpdated('parts', 2);
    await fixture.untilAvailable('parts');
    const { first, second } = images;
    const half = { 'parts-0': first, 'parts-1': first, 'parts-2': first, 'parts-3': second, 'parts-4': second };
    expect(byName(await fixture.pods('parts'))).toEqual(half);
    const deleted = ['parts-1', 'parts-4'];
    const before = new Set(uidsOf(await fixture.pods('parts')));
    const renewed = async (): Promise<readonly string[]> =>
      (await fixture.pods('parts')).filter(({ metadata }) => !before.has(metadata.uid)).map(({ metadata }) => metadata.name);
    await Promise.all(deleted.map(deletePod));
    await fixture.eventually(async () => (await renewed()).join() === deleted.join(), 'both are recreated');
    await fixture.untilAvailable('parts');
    expect(byName(await fixture.pods('parts'))).toEqual(half);
    await fixture.patch('parts', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    const { status } = await fixture.untilRolledOut('parts');
    expect(status?.currentRevision).toBe(status?.updateRevision);
    expect(new Set(await imagesOf('parts'))).toEqual(new Set([second]));
  });

  it('that go back use the former revision again (7)', async () => {
    await start({ name: 'back', replicas: 2, parallel: true });
    const first = (await fixture.get('back')).status?.updateRevision;
    await fixture.setImage('back', images.second);
    const second = (await fixture.untilRolledOut('back')).status?.updateRevision;
    await fixture.setImage('back', images.first);
    const { status } = await fixture.untilRolledOut('back');
    expect(status?.updateRevision).toBe(first);
    expect((await fixture.revisions('back')).map(({ name }) => name)).toEqual([second, first]);
  });

  it('take no more Pods down than may be unavailable, those that are so already included (8)', async () => {
    const shape = { name: 'budget', replicas: 6, parallel: true, rollingUpdate: { maxUnavailable: 2, podUpdatePolicy: 'ReCreate' } };
    await fixture.apply({ ...shape, image: images.first, podSpec: { ...servingGate, terminationGracePeriodSeconds: 0 } });
    await fixture.eventually(async () => (await fixture.pods('budget')).length === 6, 'six Pods');
    const serve = (ordinal: number, isServing: boolean): Promise<void> => setServing(fixture.client, key(`budget-${ordinal}`), isServing);
    for (const ordinal of [0, 1, 2, 3, 4, 5]) await serve(ordinal, true);
    await fixture.untilRolledOut('budget');
    await serve(2, false);
    await fixture.until('budget', ({ status }) => status?.readyReplicas === 5);
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.setImage('budget', images.second);
    for (const ordinal of [5, 4, 3, 2, 1, 0]) {
      const name = `budget-${ordinal}`;
      await fixture.eventually(
        async () => (await fixture.pods('budget')).some((pod) => pod.metadata.name === name && imageOf(pod) === images.second),
        `${name} is new`,
      );
      await serve(ordinal, true);
    }
    await fixture.untilRolledOut('budget');
    const own = (pod: Pod): boolean => pod.metadata.name.startsWith('budget-');
    const observed = await history.untilNow();
    expect(observed.range((pod) => own(pod) && isAvailable(pod)).lowest).toBeGreaterThanOrEqual(4);
  });

  it('in place need the readiness gate, and keep the Pods (9)', async () => {
    const refused = fixture.apply({ name: 'gateless', replicas: 1, image: images.first, podSpec: { readinessGates: [] } });
    await expect(refused).rejects.toThrow('spec.template.spec.readinessGates');
    expect(await refused.catch((error: unknown) => isFailure(error, 'Invalid'))).toBe(true);
    const before = await start({ name: 'in-place', replicas: 3 });
    await fixture.setImage('in-place', images.second);
    await fixture.untilRolledOut('in-place');
    const after = await fixture.pods('in-place');
    expect(uidsOf(after)).toEqual(uidsOf(before));
    expect(after.map(restartsOf)).toEqual([1, 1, 1]);
    expect(after.map(imageOf)).toEqual([images.second, images.second, images.second]);
  });

  it('of anything but images are refused with InPlaceOnly (10)', async () => {
    await start({ name: 'only', replicas: 1, rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } });
    const container = { name: 'main', image: images.first, env: [{ name: 'A', value: 'b' }] };
    await expect(fixture.patch('only', { spec: { template: { spec: { containers: [container] } } } })).rejects.toThrow(/InPlaceOnly/);
    await fixture.setImage('only', images.second);
    await fixture.untilRolledOut('only');
    expect(await imagesOf('only')).toEqual([images.second]);
  });

  it('wait with OnDelete for a user to delete Pods (11)', async () => {
    await fixture.apply({
      name: 'on-delete',
      replicas: 2,
      image: images.first,
      parallel: true,
      spec: { updateStrategy: { type: 'OnDelete' } },
    });
    await fixture.untilAvailable('on-delete');
    const { currentRevision } = (await fixture.get('on-delete')).status ?? {};
    await fixture.setImage('on-delete', images.second);
    await fixture.until('on-delete', ({ metadata, status }) => status?.observedGeneration === metadata.generation);
    expect(await imagesOf('on-delete')).toEqual([images.first, images.first]);
    await deletePod('on-delete-1');
    await fixture.untilUpdated('on-delete', 1);
    await fixture.untilAvailable('on-delete');
    expect(await imagesOf('on-delete')).toEqual([images.first, images.second]);
    expect((await fixture.get('on-delete')).status?.currentRevision).toBe(currentRevision);
  });

  it('replace a Pod that is marked, at the revision of its place, once all others are available (12)', async () => {
    const shape = { name: 'marked', replicas: 4, parallel: true, rollingUpdate: { partition: 2, podUpdatePolicy: 'ReCreate' } };
    await fixture.apply({ ...shape, image: images.first, podSpec: { ...servingGate, terminationGracePeriodSeconds: 0 } });
    await fixture.eventually(async () => (await fixture.pods('marked')).length === 4, 'four Pods');
    const serve = (ordinal: number, isServing: boolean): Promise<void> => setServing(fixture.client, key(`marked-${ordinal}`), isServing);
    for (const ordinal of [0, 1, 2, 3]) await serve(ordinal, true);
    await fixture.untilRolledOut('marked');
    await fixture.setImage('marked', images.second);
    for (const ordinal of [3, 2]) {
      const name = `marked-${ordinal}`;
      await fixture.eventually(
        async () => (await fixture.pods('marked')).some((pod) => pod.metadata.name === name && imageOf(pod) === images.second),
        `${name} is new`,
      );
      await serve(ordinal, true);
    }
    await fixture.untilAvailable('marked');
    await serve(3, false);
    await fixture.until('marked', ({ status }) => status?.readyReplicas === 3);
    const { uid } = (await fixture.pod('marked-1')).metadata;
    await fixture.patchPod('marked-1', { metadata: { labels: { [labels.specifiedDelete]: 'true' } } });
    // The controller answers the mark and the change of the object in one order: the Pod was looked at once this is observed.
    await fixture.patch('marked', { spec: { revisionHistoryLimit: 9 } });
    await fixture.until('marked', ({ metadata, status }) => status?.observedGeneration === metadata.generation);
    expect((await fixture.pod('marked-1')).metadata.uid).toBe(uid);
    await serve(3, true);
    await fixture.eventually(
      async () => (await fixture.pods('marked')).some((pod) => pod.metadata.name === 'marked-1' && pod.metadata.uid !== uid),
      'another Pod of the name',
    );
    await serve(1, true);
    await fixture.untilAvailable('marked');
    expect(await imagesOf('marked')).toEqual([images.first, images.first, images.second, images.second]);
  });

  it('that are paused update nothing, while Pods are created (21)', async () => {
    await start({ name: 'paused', replicas: 3, parallel: true, rollingUpdate: { paused: true } });
    await fixture.setImage('paused', images.second);
    await fixture.until('paused', ({ metadata, status }) => status?.observedGeneration === metadata.generation);
    await fixture.patch('paused', { spec: { replicas: 4 } });
    await fixture.untilAvailable('paused');
    const { first, second } = images;
    expect(await imagesOf('paused')).toEqual([first, first, first, second]);
  });
});
