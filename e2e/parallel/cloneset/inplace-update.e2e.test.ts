import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations } from '@kruise/api';
import { type Pod, podCondition, pods as podType } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { imageOf, inPlaceReady, lifecycleState, restartsOf, revisionOf } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

describe('an update in place', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('in-place-steps');
  });
  afterAll(() => closeFixture(fixture));

  const onlyPod = async (name: string): Promise<Pod> => {
    const [pod] = await fixture.pods(name);
    if (pod === undefined) throw new Error(`${name} has no Pod`);
    return pod;
  };

  it('takes the Pod out of service at once and changes it when the grace period is over', async () => {
    const rollingUpdate = { inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } };
    await fixture.apply({ name: 'grace', replicas: 1, image: images.first, rollingUpdate });
    await fixture.untilRolledOut('grace');
    const before = await onlyPod('grace');
    const { name } = before.metadata;
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.setImage('grace', images.second);
    await fixture.eventually(async () => imageOf(await fixture.pod(name)) === images.second, 'the image changes');
    const changedAt = Date.now();
    const { moments } = await history.untilNow();
    const waiting = moments.map((moment) => moment.get(name)).find((pod) => pod !== undefined && revisionOf(pod) !== revisionOf(before));
    if (waiting === undefined) throw new Error('the revision label has not changed');
    expect(imageOf(waiting)).toBe(images.first);
    expect(waiting.metadata.annotations?.[annotations.inPlaceUpdateGrace]).toBeDefined();
    const outOfService = podCondition(waiting, 'InPlaceUpdateReady');
    expect(outOfService?.reason).toBe('StartInPlaceUpdate');
    expect(changedAt - Date.parse(outOfService?.lastTransitionTime ?? '')).toBeGreaterThanOrEqual(5_000);
    await fixture.untilRolledOut('grace');
    const after = await fixture.pod(name);
    expect(after.metadata.annotations?.[annotations.inPlaceUpdateGrace]).toBeUndefined();
    expect(restartsOf(after)).toBe(1);
  });

  it('that is rolled back within the grace period never changes the image', async () => {
    const { name } = (await onlyPod('grace')).metadata;
    await fixture.patch('grace', { spec: { updateStrategy: { rollingUpdate: { inPlaceUpdateStrategy: { gracePeriodSeconds: 15 } } } } });
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.setImage('grace', images.first);
    await fixture.eventually(async () => inPlaceReady(await fixture.pod(name)) === 'False', 'the Pod is out of service');
    await fixture.setImage('grace', images.second);
    await fixture.untilRolledOut('grace');
    const observed = await history.untilNow();
    expect(observed.sequence(name, imageOf)).toEqual([images.second]);
    expect(restartsOf(await fixture.pod(name))).toBe(1);
  });

  it('of metadata alone restarts nothing', async () => {
    await fixture.apply({ name: 'meta', replicas: 1, image: images.first });
    await fixture.untilRolledOut('meta');
    const before = await onlyPod('meta');
    await fixture.patch('meta', { spec: { template: { metadata: { labels: { colour: 'blue' }, annotations: { note: 'new' } } } } });
    await fixture.untilRolledOut('meta');
    const after = await onlyPod('meta');
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.metadata.labels?.['colour']).toBe('blue');
    expect(after.metadata.annotations?.['note']).toBe('new');
    expect([restartsOf(after), lifecycleState(after)]).toEqual([0, 'Normal']);
  });

  it('InPlaceOnly says what cannot be done in place, and touches nothing', async () => {
    await fixture.apply({ name: 'only', replicas: 1, image: images.first, rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } });
    await fixture.untilRolledOut('only');
    const before = await onlyPod('only');
    const containers = [{ name: 'main', image: images.first, env: [{ name: 'ADDED', value: 'yes' }] }];
    await fixture.patch('only', { spec: { template: { spec: { containers } } } });
    const { status } = await fixture.until('only', (seen) => seen.status?.conditions?.some(({ type }) => type === 'FailedUpdate') === true);
    const blocked = status?.conditions?.find(({ type }) => type === 'Blocked');
    expect(blocked).toMatchObject({
      reason: 'UpdatingFails',
      message: expect.stringContaining('cannot be updated in place: spec.containers[0].env'),
    });
    expect((await onlyPod('only')).metadata.uid).toBe(before.metadata.uid);
    await fixture.patch('only', { spec: { template: { spec: { containers: [{ name: 'main', image: images.second }] } } } });
    const done = await fixture.untilRolledOut('only');
    expect(done.status?.conditions ?? []).toEqual([]);
  });

  it('a Pod without a controller of ours gets no readiness gate', async () => {
    const spec = { containers: [{ name: 'main', image: images.first }] };
    const pod = await fixture.client.create(podType, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: fixture.namespace, name: 'bare' },
      spec,
    });
    expect(pod.spec.readinessGates ?? []).toEqual([]);
  });
});
