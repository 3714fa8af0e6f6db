import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { imageOf, inPlaceReady, inPlaceState, lifecycleState, restartsOf, revisionOf, uidsOf } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

describe('an update in place', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('in-place');
    await fixture.apply({ name: 'web', replicas: 3, image: images.first });
    await fixture.untilRolledOut('web');
  });
  afterAll(() => closeFixture(fixture));

  it('changes the image in the running Pods: same Pod, address and node, one restart', async () => {
    const before = await fixture.pods('web');
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.setImage('web', images.second);
    const { status } = await fixture.untilRolledOut('web');
    const after = await fixture.pods('web');

    expect(uidsOf(after)).toEqual(uidsOf(before));
    expect(after.map((pod) => pod.status?.podIP)).toEqual(before.map((pod) => pod.status?.podIP));
    expect(after.map((pod) => pod.spec.nodeName)).toEqual(before.map((pod) => pod.spec.nodeName));
    expect(after.map(imageOf)).toEqual([images.second, images.second, images.second]);
    expect(after.map(restartsOf)).toEqual([1, 1, 1]);
    expect(after.map(revisionOf)).toEqual(Array.from({ length: 3 }, () => status?.updateRevision));
    expect(before.map(revisionOf)).not.toContain(status?.updateRevision);
    const observed = await history.untilNow();
    for (const pod of after) {
      const { name } = pod.metadata;
      expect(observed.sequence(name, inPlaceReady)).toEqual(['True', 'False', 'True']);
      expect(observed.sequence(name, lifecycleState)).toEqual(['Normal', 'Updating', 'Normal']);
      const state = inPlaceState(pod);
      expect(state.revision).toBe(status?.updateRevision);
      expect(state.containerBatchesRecord?.map((batch) => batch.containers)).toEqual([['main']]);
      expect(state.lastContainerStatuses?.['main']?.imageID).toBeTruthy();
    }
  });

  it('reports each Pod in an event', async () => {
    const { status } = await fixture.get('web');
    const expected = (await fixture.pods('web')).map(
      (pod) => `successfully update pod ${pod.metadata.name} in-place(revision ${status?.updateRevision})`,
    );
    const reported = async (): Promise<readonly string[]> =>
      (await fixture.events('web')).filter((event) => event.reason === 'SuccessfulUpdatePodInPlace').map((event) => event.message ?? '');
    await fixture.eventually(async () => (await reported()).length >= 3, 'three events');
    expect((await reported()).toSorted()).toEqual(expected.toSorted());
  });

  it('keeps the old revision, and a rollback uses it again under a higher number', async () => {
    const [old, present] = await fixture.revisions('web');
    expect([old?.revision, present?.revision]).toEqual([1, 2]);
    const before = await fixture.pods('web');
    await fixture.setImage('web', images.first);
    const { status } = await fixture.untilRolledOut('web');
    expect(status?.updateRevision).toBe(old?.name);
    expect(await fixture.revisions('web')).toEqual([present, { name: old?.name, revision: 3 }]);
    const after = await fixture.pods('web');
    expect(uidsOf(after)).toEqual(uidsOf(before));
    expect(after.map(restartsOf)).toEqual([2, 2, 2]);
  });
});

describe('other updates', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('update');
  });
  afterAll(() => closeFixture(fixture));

  it('replaces every Pod with the policy ReCreate', async () => {
    await fixture.apply({ name: 'fresh', replicas: 3, image: images.first, rollingUpdate: { podUpdatePolicy: 'ReCreate' } });
    await fixture.untilRolledOut('fresh');
    const before = uidsOf(await fixture.pods('fresh'));
    await fixture.setImage('fresh', images.second);
    await fixture.untilRolledOut('fresh');
    const after = await fixture.pods('fresh');
    expect(after.map(imageOf)).toEqual([images.second, images.second, images.second]);
    expect(after.map(restartsOf)).toEqual([0, 0, 0]);
    expect(uidsOf(after).filter((uid) => before.includes(uid))).toEqual([]);
  });

  it('replaces the Pods when a change cannot be done in place', async () => {
    await fixture.apply({ name: 'mixed', replicas: 1, image: images.first });
    await fixture.untilRolledOut('mixed');
    const before = uidsOf(await fixture.pods('mixed'));
    await fixture.patch('mixed', {
      spec: { template: { spec: { containers: [{ name: 'main', image: images.first, env: [{ name: 'ADDED', value: 'yes' }] }] } } },
    });
    await fixture.untilRolledOut('mixed');
    expect(uidsOf(await fixture.pods('mixed'))).not.toEqual(before);
  });

  it('updates one of four Pods with a partition of 99%', async () => {
    await fixture.apply({ name: 'part', replicas: 4, image: images.first, rollingUpdate: { partition: '99%' } });
    await fixture.until('part', ({ status }) => status?.availableReplicas === 4);
    await fixture.setImage('part', images.second);
    const { status } = await fixture.until('part', (seen) => seen.status?.updatedAvailableReplicas === 1);
    expect(status).toMatchObject({ replicas: 4, updatedReplicas: 1, expectedUpdatedReplicas: 1 });
    expect(status?.currentRevision).toMatch(/^part-/);
    expect(status?.currentRevision).not.toBe(status?.updateRevision);
    expect((await fixture.pods('part')).map(imageOf).toSorted()).toEqual([images.first, images.first, images.first, images.second]);

    await fixture.patch('part', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await fixture.untilRolledOut('part');
    expect((await fixture.pods('part')).map(imageOf)).toEqual(Array.from({ length: 4 }, () => images.second));
  });
});
