import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSetLabels, labels } from '@kruise/api';
import { isPodReady } from '@kruise/objects';
import type { CloneSetWorld } from '../../../apps/manager/src/int-tests/fixtures/cloneset-world.testing.ts';
import { lifecycleState } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeWorld, images, openWorld } from '../../support/world.ts';

describe('a CloneSet that is created', () => {
  let world: CloneSetWorld;
  beforeAll(async () => {
    world = await openWorld('create');
  });
  afterAll(() => closeWorld(world));

  it('gets Pods with its names, labels and gates, which go from PreparingNormal to Normal', async () => {
    await using history = await PodHistory.begin(world.client, world.namespace);
    const created = await world.apply({ name: 'web', replicas: 3, image: images.first });
    await world.until('web', ({ status }) => status?.replicas === 3);
    const { status } = await world.untilRolledOut('web');

    const pods = await world.pods('web');
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
    const { status, metadata } = await world.get('web');
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
    const names = (await world.pods('web')).map((pod) => pod.metadata.name);
    const told = async (): Promise<string[]> =>
      (await world.events('web')).filter((event) => event.reason === 'SuccessfulCreate').map((event) => event.message ?? '');
    await world.eventually(async () => (await told()).length >= 3, 'three events');
    expect((await told()).toSorted()).toEqual(names.map((name) => `succeed to create pod ${name}`).toSorted());
  });

  it('releases a Pod whose labels no longer fit and makes a new one', async () => {
    const [left] = await world.pods('web');
    const name = left?.metadata.name ?? '';
    await world.patchPod(name, { metadata: { labels: { app: 'other' } } });
    await world.eventually(async () => !(await world.pods('web')).some((pod) => pod.metadata.name === name), 'the Pod is released');
    await world.eventually(async () => (await world.pods('web')).length === 3, 'there is a new Pod');
    await world.untilRolledOut('web');
    expect(await world.pods('web')).toHaveLength(3);
    const released = await world.pod(name);
    expect(released.metadata.ownerReferences ?? []).toEqual([]);
    expect(released.metadata.deletionTimestamp).toBeUndefined();
    expect(released.metadata.uid).toBe(left?.metadata.uid);
  });
});
