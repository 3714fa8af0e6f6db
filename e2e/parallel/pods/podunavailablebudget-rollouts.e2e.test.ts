/** Roll-outs under a budget. @see docs/spec/podunavailablebudget.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { availability } from '@kruise/kinds/podunavailablebudget';
import { BudgetFixture } from '../../support/budget-fixture.ts';
import { imageOf } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { sidecar, sidecarImages, SidecarFixture } from '../../support/sidecar-fixture.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const isAvailable = availability({ InPlaceWorkloadVerticalScaling: true });

describe('a roll-out under a budget', () => {
  let opened: CloneSetFixture;
  let fixture: BudgetFixture;
  let sidecars: SidecarFixture;
  beforeAll(async () => {
    opened = await openFixture('pub-rollouts');
    fixture = new BudgetFixture(opened);
    sidecars = new SidecarFixture(opened);
  });
  afterAll(async () => {
    await sidecars.close();
    await closeFixture(opened);
  });

  it('10: of a CloneSet and its SidecarSet at once never leaves fewer than eight of ten Pods, and both finish', async () => {
    await sidecars.create('both', [sidecar('side', sidecarImages.first)], {
      updateStrategy: { type: 'RollingUpdate', maxUnavailable: '100%' },
    });
    await opened.apply({ name: 'both', replicas: 10, image: images.first, rollingUpdate: { maxUnavailable: '100%' } });
    await opened.untilRolledOut('both');
    await fixture.budget('both', { maxUnavailable: '20%' });
    await fixture.untilNamed('both');
    await fixture.untilNumbers('both', 10, 8, 10, 2);
    const history = await PodHistory.begin(opened.client, opened.namespace);
    await using _ended = history;
    await Promise.all([
      opened.setImage('both', images.second),
      sidecars.change('both', { containers: [sidecar('side', sidecarImages.second)] }),
    ]);
    await opened.untilRolledOut('both');
    await fixture.until('all sidecars are of the second image', async () =>
      (await sidecars.podsOf('both')).every(({ spec }) => spec.containers.some(({ image }) => image === sidecarImages.second)),
    );
    await fixture.untilNumbers('both', 10, 8, 10, 2);
    const isOurs = (pod: Pod): boolean => pod.metadata.labels?.['app'] === 'both';
    const observed = await history.untilNow();
    expect(observed.range((pod) => isOurs(pod) && isAvailable(pod)).lowest).toBeGreaterThanOrEqual(8);
  });

  it('11: to an image that cannot be pulled changes one Pod, and the other keeps its image', async () => {
    await opened.apply({ name: 'missing', replicas: 2, image: images.first, rollingUpdate: { maxUnavailable: '100%' } });
    await opened.untilRolledOut('missing');
    await fixture.budget('missing', { maxUnavailable: 1 });
    await fixture.untilNamed('missing');
    await fixture.untilNumbers('missing', 2, 1, 2, 1);
    await opened.setImage('missing', 'nginx:no-such-tag');
    await fixture.until('the CloneSet says who keeps it', async () => {
      const { status } = await opened.get('missing');
      return (status?.conditions ?? []).some(({ message = '' }) => message.includes('pub unavailable allowed is negative'));
    });
    const all = (await opened.pods('missing')).map(imageOf).toSorted();
    expect(all).toEqual([images.first, 'nginx:no-such-tag']);
    await fixture.untilNumbers('missing', 2, 1, 1, 0);
  });
});
