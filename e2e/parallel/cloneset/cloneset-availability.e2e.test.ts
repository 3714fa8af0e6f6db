import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isTerminating, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { imageOf, isAvailable } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const isActive = (pod: Pod): boolean => !isTerminating(pod);

describe('the limits of a rollout, at every moment', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('availability');
  });
  afterAll(() => closeFixture(fixture));

  it('never has fewer available Pods than maxUnavailable leaves', async () => {
    await fixture.apply({ name: 'web', replicas: 5, image: images.first, rollingUpdate: { maxUnavailable: 2 } });
    await fixture.untilRolledOut('web');
    const history = await PodHistory.begin(fixture.client, fixture.namespace);
    await using _ended = history;
    await fixture.setImage('web', images.second);
    await fixture.untilRolledOut('web');
    const observed = await history.untilNow();
    const { lowest, highest } = observed.range(isAvailable);
    expect(lowest).toBe(3);
    expect(highest).toBe(5);
    await fixture.remove('web');
  });

  it('never has fewer than 10 available Pods with maxSurge 3 and maxUnavailable 0, and never more than 13', async () => {
    const rollingUpdate = { podUpdatePolicy: 'ReCreate', maxSurge: 3, maxUnavailable: 0 };
    await fixture.apply({ name: 'surge', replicas: 10, image: images.first, rollingUpdate });
    await fixture.untilRolledOut('surge');
    const history = await PodHistory.begin(fixture.client, fixture.namespace);
    await using _ended = history;
    await fixture.setImage('surge', images.second);
    await fixture.untilRolledOut('surge');
    const isOurs = (pod: Pod): boolean => pod.metadata.labels?.['app'] === 'surge';
    const observed = await history.untilNow();
    expect(observed.range((pod) => isOurs(pod) && isAvailable(pod)).lowest).toBeGreaterThanOrEqual(10);
    const { highest } = observed.range((pod) => isOurs(pod) && isActive(pod));
    expect(highest).toBeGreaterThan(10);
    expect(highest).toBeLessThanOrEqual(13);
    expect((await fixture.pods('surge')).map(imageOf)).toEqual(Array.from({ length: 10 }, () => images.second));
  });
});
