/** What feature gates that are off by default change for CloneSets. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { persistentVolumeClaims } from '@kruise/objects';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/fixtures/cloneset-world.testing.ts';
import { imageOf, uidsOf } from '../support/pod-facts.ts';
import { closeWorld, images, openWorld } from '../support/world.ts';

describe('with gates on, of a CloneSet', () => {
  let world: CloneSetWorld;

  beforeAll(async () => {
    world = await openWorld('gates-cloneset');
  });
  afterAll(() => closeWorld(world));

  it('a partition that is raised brings Pods back to the current revision, in place', async () => {
    await world.apply({ name: 'back', replicas: 4, image: images.first, rollingUpdate: { partition: 2, maxUnavailable: 4 } });
    await world.until('back', ({ status }) => status?.availableReplicas === 4);
    const before = uidsOf(await world.pods('back'));
    await world.setImage('back', images.second);
    await world.until('back', ({ status }) => status?.updatedAvailableReplicas === 2);
    await world.patch('back', { spec: { updateStrategy: { rollingUpdate: { partition: 4 } } } });
    await world.until('back', ({ status }) => status?.updatedReplicas === 0 && status.availableReplicas === 4);
    const after = await world.pods('back');
    expect(uidsOf(after)).toEqual(before);
    expect(after.map(imageOf)).toEqual(Array.from({ length: 4 }, () => images.first));
  });

  it('a template that changes with its claims gives new Pods with new claims', async () => {
    const claims = (storage: string): object[] => [
      { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } } },
    ];
    const template = (image: string): object => ({
      metadata: { labels: { app: 'claims' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
    });
    const sizes = async (): Promise<readonly (string | undefined)[]> => {
      const { items } = await world.client.list(persistentVolumeClaims, { namespace: world.namespace, labelSelector: 'app=claims' });
      return items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ spec }) => spec?.resources?.requests?.['storage']);
    };
    await world.apply({
      name: 'claims',
      replicas: 2,
      image: '',
      spec: { template: template(images.first), volumeClaimTemplates: claims('1Mi') },
    });
    await world.untilRolledOut('claims');
    const before = uidsOf(await world.pods('claims'));
    await world.patch('claims', { spec: { volumeClaimTemplates: claims('2Mi') } });
    await world.until('claims', ({ status, metadata }) => status?.observedGeneration === metadata.generation);
    expect(uidsOf(await world.pods('claims'))).toEqual(before);
    await world.patch('claims', { spec: { template: template(images.second), updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } } });
    await world.untilRolledOut('claims');
    expect(uidsOf(await world.pods('claims')).filter((uid) => before.includes(uid))).toEqual([]);
    await world.eventually(async () => (await sizes()).join() === '2Mi,2Mi', 'claims of the new size only');
  });
});
