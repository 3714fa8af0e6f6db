/** Hooks of Pods and growing claims of an Advanced StatefulSet. @see docs/spec/statefulset.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { labels } from '@kruise/api';
import { persistentVolumeClaims, storageClasses, type PersistentVolumeClaim } from '@kruise/objects';
import type { StatefulSetFixture } from '../../../apps/manager/src/int-tests/fixtures/statefulset-fixture.testing.ts';
import { imageOf, lifecycleState } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openStatefulSets } from '../../support/fixture.ts';

const held = { 'example.com/hold': 'yes' };
const released = { metadata: { labels: { 'example.com/hold': null } } };
const lifecycle = { preDelete: { labelsHandler: held } };

describe('hooks before the deletion of Pods of a StatefulSet', () => {
  let fixture: StatefulSetFixture;
  beforeAll(async () => {
    fixture = await openStatefulSets('sts-hooks');
  });
  afterAll(() => closeFixture(fixture));

  const stateIs = (pod: string, state: string): Promise<void> =>
    fixture.eventually(async () => lifecycleState(await fixture.pod(pod)) === state, `${pod} is ${state}`);

  it.each([
    { policy: 'OrderedReady', name: 'ordered', parallel: false },
    { policy: 'Parallel', name: 'parallel', parallel: true },
  ])('a marked Pod is prepared, and replaced when the hook lets go, with $policy (13)', async ({ name, parallel }) => {
    await fixture.apply({ name, replicas: 2, image: images.first, parallel, labels: held, spec: { lifecycle } });
    await fixture.untilRolledOut(name);
    const pod = `${name}-0`;
    const { uid } = (await fixture.pod(pod)).metadata;
    await fixture.patchPod(pod, { metadata: { labels: { [labels.specifiedDelete]: 'true' } } });
    await stateIs(pod, 'PreparingDelete');
    expect((await fixture.pod(pod)).metadata.deletionTimestamp).toBeUndefined();
    await fixture.patchPod(pod, released);
    const isReplaced = async (): Promise<boolean> =>
      (await fixture.pods(name)).some(({ metadata }) => metadata.name === pod && metadata.uid !== uid);
    await fixture.eventually(isReplaced, 'another Pod of the name');
    await fixture.untilRolledOut(name);
  });

  it('Pods that are too many are prepared one after the other, each deleted only after its own hook has let go (22)', async () => {
    await fixture.apply({ name: 'down', replicas: 4, image: images.first, labels: held, spec: { lifecycle } });
    await fixture.untilRolledOut('down');
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.patch('down', { spec: { replicas: 1 } });
    for (const ordinal of [3, 2, 1]) {
      const pod = `down-${ordinal}`;
      await stateIs(pod, 'PreparingDelete');
      const others = (await fixture.pods('down')).filter(({ metadata }) => metadata.name !== pod);
      expect(others.map(lifecycleState)).toEqual(others.map(() => 'Normal'));
      await fixture.patchPod(pod, released);
      await fixture.eventually(async () => !(await fixture.ordinals('down')).includes(ordinal), `${pod} goes`);
    }
    await fixture.untilRolledOut('down');
    expect(await fixture.ordinals('down')).toEqual([0]);
    const prepared = (moment: ReadonlyMap<string, Parameters<typeof lifecycleState>[0]>): number =>
      [...moment.values()].filter((pod) => lifecycleState(pod) === 'PreparingDelete' && pod.metadata.name.startsWith('down-')).length;
    const observed = await history.untilNow();
    expect(Math.max(...observed.moments.map(prepared))).toBe(1);
  });
});

/** Classes of this test. No driver of this cluster resizes anything, so the test writes what one would. */
const classOf = (name: string, allowVolumeExpansion: boolean) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'kubernetes.io/host-path',
  allowVolumeExpansion,
});

describe('claims of a StatefulSet that grow', () => {
  let fixture: StatefulSetFixture;
  beforeAll(async () => {
    fixture = await openStatefulSets('sts-claims');
    for (const name of ['sts-growing', 'sts-fixed'])
      await fixture.client.delete(storageClasses, { namespace: '', name }).catch(() => undefined);
    await fixture.client.create(storageClasses, classOf('sts-growing', true));
    await fixture.client.create(storageClasses, classOf('sts-fixed', false));
  });
  afterAll(async () => {
    for (const name of ['sts-growing', 'sts-fixed']) await fixture.client.delete(storageClasses, { namespace: '', name });
    await closeFixture(fixture);
  });

  const templates = (storageClassName: string, storage: string): Readonly<Record<string, unknown>> => ({
    volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' },
    volumeClaimTemplates: [
      { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage } } } },
    ],
  });
  const start = async (name: string, storageClassName: string, rollingUpdate: object = {}): Promise<void> => {
    const container = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    const spec = templates(storageClassName, '5Gi');
    await fixture.apply({ name, replicas: 4, image: images.first, parallel: true, container, spec, rollingUpdate: { ...rollingUpdate } });
    await fixture.untilRolledOut(name);
    // The status of a claim is written when it is bound, which may be later than the Pod is ready.
    await fixture.until(name, ({ status }) => status?.volumeClaims?.[0]?.compatibleReadyReplicas === 4);
  };
  const grow = async (name: string, storageClassName: string, storage: string): Promise<void> => {
    const { spec } = await fixture.get(name);
    const containers = (spec.template.spec?.containers ?? []).map((container) => ({ ...container, image: images.second }));
    await fixture.patch(name, { spec: { ...templates(storageClassName, storage), template: { spec: { containers } } } });
  };
  const claimsOf = async (name: string): Promise<readonly PersistentVolumeClaim[]> =>
    (await fixture.client.list(persistentVolumeClaims, { namespace: fixture.namespace, labelSelector: `app=${name}` })).items;
  const asksFor = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.['storage'] ?? '';
  const hasSize = async (claim: PersistentVolumeClaim): Promise<void> => {
    const key = { namespace: fixture.namespace, name: claim.metadata.name };
    const status = { capacity: { storage: asksFor(claim) } };
    await fixture.client.patch(persistentVolumeClaims, key, { status }, { type: 'merge', subresource: 'status' });
  };

  it('each Pod is updated only after its claims have the new size (16)', async () => {
    await start('growing', 'sts-growing');
    await grow('growing', 'sts-growing', '8Gi');
    for (const ordinal of [3, 2, 1, 0]) {
      const pod = `growing-${ordinal}`;
      const claimName = `data-${pod}`;
      const claim = async (): Promise<PersistentVolumeClaim | undefined> =>
        (await claimsOf('growing')).find(({ metadata }) => metadata.name === claimName);
      await fixture.eventually(async () => asksFor((await claim()) ?? { metadata: { name: '' } }) === '8Gi', `${claimName} asks for more`);
      expect(imageOf(await fixture.pod(pod))).toBe(images.first);
      const resized = await claim();
      if (resized !== undefined) await hasSize(resized);
      await fixture.eventually(async () => imageOf(await fixture.pod(pod)) === images.second, `${pod} is updated`);
    }
    const { status } = await fixture.untilRolledOut('growing');
    expect(status?.volumeClaims).toEqual([{ volumeClaimName: 'data', compatibleReplicas: 4, compatibleReadyReplicas: 4 }]);
  });

  it('a class that allows no expansion is refused (16)', async () => {
    await start('fixed', 'sts-fixed');
    await expect(grow('fixed', 'sts-fixed', '8Gi')).rejects.toThrow(/sts-fixed/);
    expect((await claimsOf('fixed')).map(asksFor)).toEqual(['5Gi', '5Gi', '5Gi', '5Gi']);
    await fixture.remove('fixed');
  });

  it('only claims of Pods beyond the partition are resized (17)', async () => {
    await start('parted', 'sts-growing', { partition: 3 });
    await grow('parted', 'sts-growing', '8Gi');
    const sizes = async (): Promise<readonly string[]> =>
      (await claimsOf('parted')).toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name)).map(asksFor);
    await fixture.eventually(async () => (await sizes()).includes('8Gi'), 'a claim asks for more');
    for (const claim of await claimsOf('parted')) if (asksFor(claim) === '8Gi') await hasSize(claim);
    await fixture.untilUpdated('parted', 1);
    await fixture.untilAvailable('parted');
    expect(await sizes()).toEqual(['5Gi', '5Gi', '5Gi', '8Gi']);
  });
});
