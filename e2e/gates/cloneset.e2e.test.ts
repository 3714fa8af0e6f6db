/** What feature gates that are off by default change for CloneSets. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { persistentVolumeClaims } from '@kruise/objects';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { imageOf, uidsOf } from '../support/pod-facts.ts';
import { closeFixture, images, openFixture } from '../support/fixture.ts';

describe('with gates on, of a CloneSet', () => {
  let fixture: CloneSetFixture;

  beforeAll(async () => {
    fixture = await openFixture('gates-cloneset');
  });
  afterAll(() => closeFixture(fixture));

  it('a partition that is raised brings Pods back to the current revision, in place', async () => {
    await fixture.apply({ name: 'back', replicas: 4, image: images.first, rollingUpdate: { partition: 2, maxUnavailable: 4 } });
    await fixture.until('back', ({ status }) => status?.availableReplicas === 4);
    const before = uidsOf(await fixture.pods('back'));
    await fixture.setImage('back', images.second);
    await fixture.until('back', ({ status }) => status?.updatedAvailableReplicas === 2);
    await fixture.patch('back', { spec: { updateStrategy: { rollingUpdate: { partition: 4 } } } });
    await fixture.until('back', ({ status }) => status?.updatedReplicas === 0 && status.availableReplicas === 4);
    const after = await fixture.pods('back');
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
      const { items } = await fixture.client.list(persistentVolumeClaims, { namespace: fixture.namespace, labelSelector: 'app=claims' });
      return items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ spec }) => spec?.resources?.requests?.['storage']);
    };
    await fixture.apply({
      name: 'claims',
      replicas: 2,
      image: '',
      spec: { template: template(images.first), volumeClaimTemplates: claims('1Mi') },
    });
    await fixture.untilRolledOut('claims');
    const before = uidsOf(await fixture.pods('claims'));
    await fixture.patch('claims', { spec: { volumeClaimTemplates: claims('2Mi') } });
    await fixture.until('claims', ({ status, metadata }) => status?.observedGeneration === metadata.generation);
    expect(uidsOf(await fixture.pods('claims'))).toEqual(before);
    await fixture.patch('claims', {
      spec: { template: template(images.second), updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } },
    });
    await fixture.untilRolledOut('claims');
    expect(uidsOf(await fixture.pods('claims')).filter((uid) => before.includes(uid))).toEqual([]);
    await fixture.eventually(async () => (await sizes()).join() === '2Mi,2Mi', 'claims of the new size only');
  });
});
