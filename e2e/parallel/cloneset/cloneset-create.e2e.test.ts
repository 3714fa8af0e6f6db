import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSetLabels, labels } from '@kruise/api';
import { isPodReady } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { lifecycleState } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

describe('a CloneSet that is created', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('create');
  });
  afterAll(() => closeFixture(fixture));

  it('gets Pods with its names, labels and gates, which go from PreparingNormal to Normal', async () => {
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    const created = await fixture.apply({ name: 'web', replicas: 3, image: images.first });
    await fixture.until('web', ({ status }) => status?.replicas === 3);
    const { status } = await fixture.untilRolledOut('web');

    const pods = await fixture.pods('web');
    expect(pods).toHaveLength(3);
    const observed = await history.untilNow();
    for (const pod of pods) {
      const { name, generateName, ownerReferences, labels: own = {} } = pod.metadata;
      expect(name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(generateName).toBe('web-');
      expect(own).toMatchObject({
        app: 'web',
        [cloneSetLabels.instanceId]: name.slice('web-'.length),
        [labels.controllerRevisionHash]: status?.updateRevision,
        [labels.podTemplateHash]: status?.updateRevision?.replace('web-', ''),
        [labels.lifecycleState]: 'Normal',
      });
      expect(ownerReferences).toEqual([
        expect.objectContaining({
          apiVersion: 'apps.kruise.io/v1beta1',
          kind: 'CloneSet',
          name: 'web',
          uid: created.metadata.uid,
          controller: true,
        }),
      ]);
      expect(pod.spec.readinessGates?.map((gate) => gate.conditionType)).toContain('InPlaceUpdateReady');
      expect(isPodReady(pod)).toBe(true);
      expect(observed.sequence(name, lifecycleState)).toEqual(['PreparingNormal', 'Normal']);
    }
  });

  it('counts its Pods in the status', async () => {
    const { status, metadata } = await fixture.get('web');
    expect(status).toMatchObject({
      observedGeneration: metadata.generation,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      updatedReplicas: 3,
      updatedReadyReplicas: 3,
      updatedAvailableReplicas: 3,
      expectedUpdatedReplicas: 3,
      labelSelector: 'app=web',
    });
    expect(status?.currentRevision).toBe(status?.updateRevision);
  });

  it('reports each Pod in an event', async () => {
    const names = (await fixture.pods('web')).map((pod) => pod.metadata.name);
    const reported = async (): Promise<string[]> =>
      (await fixture.events('web')).filter((event) => event.reason === 'SuccessfulCreate').map((event) => event.message ?? '');
    await fixture.eventually(async () => (await reported()).length >= 3, 'three events');
    expect((await reported()).toSorted()).toEqual(names.map((name) => `succeed to create pod ${name}`).toSorted());
  });

  it('releases a Pod whose labels no longer fit and makes a new one', async () => {
    const [left] = await fixture.pods('web');
    const name = left?.metadata.name ?? '';
    await fixture.patchPod(name, { metadata: { labels: { app: 'other' } } });
    await fixture.eventually(async () => !(await fixture.pods('web')).some((pod) => pod.metadata.name === name), 'the Pod is released');
    await fixture.eventually(async () => (await fixture.pods('web')).length === 3, 'there is a new Pod');
    await fixture.untilRolledOut('web');
    expect(await fixture.pods('web')).toHaveLength(3);
    const released = await fixture.pod(name);
    expect(released.metadata.ownerReferences ?? []).toEqual([]);
    expect(released.metadata.deletionTimestamp).toBeUndefined();
    expect(released.metadata.uid).toBe(left?.metadata.uid);
  });
});
