import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSets } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import type { CloneSetWorld } from '../../../apps/manager/src/int-tests/fixtures/cloneset-world.testing.ts';
import { kubectl } from '../../support/programs.ts';
import { closeWorld, images, openWorld } from '../../support/world.ts';

const names = (pods: readonly Pod[]): readonly string[] => pods.map((pod) => pod.metadata.name);

describe('scaling', () => {
  let world: CloneSetWorld;
  const scaleTo = async (replicas: number): Promise<readonly Pod[]> => {
    await world.patch('web', { spec: { replicas } });
    await world.untilRolledOut('web');
    return world.pods('web');
  };

  beforeAll(async () => {
    world = await openWorld('scale');
    await world.apply({ name: 'web', replicas: 2, image: images.first });
    await world.untilRolledOut('web');
  });
  afterAll(() => closeWorld(world));

  it('adds Pods and leaves those that are there alone', async () => {
    const before = names(await world.pods('web'));
    const after = names(await scaleTo(4));
    expect(after).toHaveLength(4);
    expect(after).toEqual(expect.arrayContaining([...before]));
  });

  it('takes away a Pod that shares its node with another one', async () => {
    const before = await world.pods('web');
    const after = names(await scaleTo(3));
    const gone = before.filter((pod) => !after.includes(pod.metadata.name));
    const crowded = before.filter((pod) => pod.spec.nodeName === gone[0]?.spec.nodeName);
    expect(gone).toHaveLength(1);
    expect(crowded.length).toBeGreaterThan(1);
  });

  it('takes away the Pod with the lowest deletion cost first, wherever it runs', async () => {
    const cheap = names(await world.pods('web'))[1] ?? '';
    await world.patchPod(cheap, { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } } });
    await world.untilPodsAreSeen(images.first);
    expect(names(await scaleTo(2))).not.toContain(cheap);
  });

  it('deletes exactly the named Pods when the number goes down by as many', async () => {
    const [chosen = '', stays] = names(await world.pods('web'));
    await world.patch('web', { spec: { replicas: 1, scaleStrategy: { podsToDelete: [chosen] } } });
    await world.untilRolledOut('web');
    expect(names(await world.pods('web'))).toEqual([stays]);
    await world.until('web', ({ spec }) => (spec.scaleStrategy?.podsToDelete ?? []).length === 0);
  });

  it('is done through the scale subresource, too', async () => {
    const key = { namespace: world.namespace, name: 'web' };
    const scale = await world.client.getScale(cloneSets, key);
    expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1, selector: 'app=web' } });
    await kubectl('-n', world.namespace, 'scale', 'cloneset/web', '--replicas=3');
    await world.until('web', ({ status }) => status?.availableReplicas === 3);
    expect(await world.pods('web')).toHaveLength(3);
  });

  it('reports each deletion in an event', async () => {
    const reasons = async (): Promise<readonly string[]> => (await world.events('web')).map((event) => event.reason ?? '');
    await world.eventually(async () => (await reasons()).includes('SuccessfulDelete'), 'an event of the deletion');
    expect(await reasons()).not.toContain('FailedDelete');
  });
});
