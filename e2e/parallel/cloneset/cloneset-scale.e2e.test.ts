import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSets } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { kubectl } from '../../support/programs.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const names = (pods: readonly Pod[]): readonly string[] => pods.map((pod) => pod.metadata.name);

describe('scaling', () => {
  let fixture: CloneSetFixture;
  const scaleTo = async (replicas: number): Promise<readonly Pod[]> => {
    await fixture.patch('web', { spec: { replicas } });
    await fixture.untilRolledOut('web');
    return fixture.pods('web');
  };

  beforeAll(async () => {
    fixture = await openFixture('scale');
    await fixture.apply({ name: 'web', replicas: 2, image: images.first });
    await fixture.untilRolledOut('web');
  });
  afterAll(() => closeFixture(fixture));

  it('adds Pods and leaves those that are there alone', async () => {
    const before = names(await fixture.pods('web'));
    const after = names(await scaleTo(4));
    expect(after).toHaveLength(4);
    expect(after).toEqual(expect.arrayContaining([...before]));
  });

  it('takes away a Pod that shares its node with another one', async () => {
    const before = await fixture.pods('web');
    const after = names(await scaleTo(3));
    const deleted = before.filter((pod) => !after.includes(pod.metadata.name));
    const crowded = before.filter((pod) => pod.spec.nodeName === deleted[0]?.spec.nodeName);
    expect(deleted).toHaveLength(1);
    expect(crowded.length).toBeGreaterThan(1);
  });

  it('takes away the Pod with the lowest deletion cost first, wherever it runs', async () => {
    const cheap = names(await fixture.pods('web'))[1] ?? '';
    await fixture.patchPod(cheap, { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } } });
    await fixture.untilPodsAreSeen(images.first);
    expect(names(await scaleTo(2))).not.toContain(cheap);
  });

  it('deletes exactly the named Pods when the number is reduced by as many', async () => {
    const [chosen = '', stays] = names(await fixture.pods('web'));
    await fixture.patch('web', { spec: { replicas: 1, scaleStrategy: { podsToDelete: [chosen] } } });
    await fixture.untilRolledOut('web');
    expect(names(await fixture.pods('web'))).toEqual([stays]);
    await fixture.until('web', ({ spec }) => (spec.scaleStrategy?.podsToDelete ?? []).length === 0);
  });

  it('is done through the scale subresource, too', async () => {
    const key = { namespace: fixture.namespace, name: 'web' };
    const scale = await fixture.client.getScale(cloneSets, key);
    expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1, selector: 'app=web' } });
    await kubectl('-n', fixture.namespace, 'scale', 'cloneset/web', '--replicas=3');
    await fixture.until('web', ({ status }) => status?.availableReplicas === 3);
    expect(await fixture.pods('web')).toHaveLength(3);
  });

  it('reports each deletion in an event', async () => {
    const reasons = async (): Promise<readonly string[]> => (await fixture.events('web')).map((event) => event.reason ?? '');
    await fixture.eventually(async () => (await reasons()).includes('SuccessfulDelete'), 'an event of the deletion');
    expect(await reasons()).not.toContain('FailedDelete');
  });
});
