import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSetsV1Alpha1, conditionTypes, type CloneSet, type CloneSetV1Alpha1 } from '@kruise/api';
import { type Pod, pods as podType } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { imageOf, restartsOf } from '../../support/pod-facts.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const conditionOf = ({ status }: CloneSet, type: string) => status?.conditions?.find((condition) => condition.type === type);
const names = (pods: readonly Pod[]): readonly string[] => pods.map((pod) => pod.metadata.name);
const updated = (pods: readonly Pod[]): readonly Pod[] => pods.filter((pod) => imageOf(pod) === images.second);

describe('strategies', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('strategies');
  });
  afterAll(() => closeFixture(fixture));

  /** The rollout begins only once the controller has seen the labels that Pods got before. */
  const rollOut = async (name: string): Promise<void> => {
    await fixture.untilPodsAreSeen(images.first);
    await fixture.setImage(name, images.second);
  };

  it('OnDelete updates what the user deletes, keeps what is updated, and makes new Pods of the new revision', async () => {
    const updateStrategy = { type: 'OnDelete' };
    await fixture.apply({ name: 'ondelete', replicas: 4, image: images.first, spec: { updateStrategy } });
    await fixture.untilRolledOut('ondelete');
    const before = await fixture.pods('ondelete');
    await fixture.setImage('ondelete', images.second);
    await fixture.until('ondelete', (seen) => conditionOf(seen, conditionTypes.blocked)?.reason === 'OnDelete');
    expect(names(await fixture.pods('ondelete'))).toEqual(names(before));

    for (const { metadata } of before.slice(0, 2))
      await fixture.client.delete(podType, { namespace: fixture.namespace, name: metadata.name }, { gracePeriodSeconds: 1 });
    await fixture.until('ondelete', ({ status }) => status?.updatedAvailableReplicas === 2 && status.replicas === 4);
    const fresh = names(updated(await fixture.pods('ondelete')));
    await fixture.patch('ondelete', { spec: { replicas: 3 } });
    await fixture.until('ondelete', ({ status }) => status?.replicas === 3);
    expect(names(updated(await fixture.pods('ondelete')))).toEqual(fresh);
    await fixture.patch('ondelete', { spec: { replicas: 4 } });
    await fixture.until('ondelete', ({ status }) => status?.updatedAvailableReplicas === 3 && status.replicas === 4);
  });

  it('updates Pods of the highest weight first, and stops at the partition with a condition', async () => {
    const priorityStrategy = { weightPriority: [{ weight: 50, matchSelector: { matchLabels: { tier: 'first' } } }] };
    const spec = { progressDeadlineSeconds: 600 };
    const rollingUpdate = { partition: 3, maxUnavailable: 4, priorityStrategy };
    await fixture.apply({ name: 'weighed', replicas: 4, image: images.first, rollingUpdate, spec });
    await fixture.until('weighed', ({ status }) => status?.availableReplicas === 4);
    const chosen = names(await fixture.pods('weighed'))[2] ?? '';
    await fixture.patchPod(chosen, { metadata: { labels: { tier: 'first' } } });
    await rollOut('weighed');
    const reached = await fixture.until('weighed', ({ status }) => status?.updatedAvailableReplicas === 1);
    expect(names(updated(await fixture.pods('weighed')))).toEqual([chosen]);
    await fixture.until('weighed', (seen) => conditionOf(seen, conditionTypes.progressing)?.reason === 'ProgressPartitionAvailable');
    expect(reached.status?.expectedUpdatedReplicas).toBe(1);
    expect(conditionOf(await fixture.get('weighed'), conditionTypes.blocked)?.reason).toBe('PartitionReached');
  });

  it('scatters marked Pods over a rollout: they do not follow each other', async () => {
    const rollingUpdate = { maxUnavailable: 5, partition: 3, scatterStrategy: [{ key: 'marked', value: 'yes' }] };
    await fixture.apply({ name: 'scattered', replicas: 5, image: images.first, rollingUpdate });
    await fixture.until('scattered', ({ status }) => status?.availableReplicas === 5);
    const marked = names(await fixture.pods('scattered')).slice(0, 2);
    for (const name of marked) await fixture.patchPod(name, { metadata: { labels: { marked: 'yes' } } });
    await rollOut('scattered');
    await fixture.until('scattered', ({ status }) => status?.updatedAvailableReplicas === 2);
    expect(names(updated(await fixture.pods('scattered'))).filter((name) => marked.includes(name))).toHaveLength(1);
  });

  it('keeps no more old revisions than revisionHistoryLimit', async () => {
    await fixture.apply({ name: 'history', replicas: 1, image: images.first, spec: { revisionHistoryLimit: 2 } });
    await fixture.untilRolledOut('history');
    for (const note of ['1', '2', '3', '4', '5', '6']) {
      await fixture.patch('history', { spec: { template: { metadata: { annotations: { note } } } } });
      await fixture.until('history', ({ status, metadata }) => status?.observedGeneration === metadata.generation);
    }
    await fixture.untilRolledOut('history');
    await fixture.eventually(async () => (await fixture.revisions('history')).length <= 3, 'old revisions are gone');
    const [pod] = await fixture.pods('history');
    expect(pod && restartsOf(pod)).toBe(0);
    expect(pod?.metadata.annotations?.['note']).toBe('6');
  });

  it('rolls out what is written in v1alpha1', async () => {
    const app = { app: 'alpha' };
    const created = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'CloneSet',
      metadata: { namespace: fixture.namespace, name: 'alpha' },
      spec: {
        replicas: 2,
        selector: { matchLabels: app },
        template: { metadata: { labels: app }, spec: { containers: [{ name: 'main', image: images.first }] } },
        updateStrategy: { type: 'InPlaceOnly', maxUnavailable: 2 },
      },
    };
    await fixture.client.create(cloneSetsV1Alpha1, created as unknown as CloneSetV1Alpha1);
    await fixture.untilRolledOut('alpha');
    const before = await fixture.pods('alpha');
    const key = { namespace: fixture.namespace, name: 'alpha' };
    const change = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: images.second }];
    await fixture.client.patch(cloneSetsV1Alpha1, key, change, { type: 'json' });
    await fixture.untilRolledOut('alpha');
    const after = await fixture.pods('alpha');
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    expect(after.map(imageOf)).toEqual([images.second, images.second]);
    const { status, spec } = await fixture.client.get(cloneSetsV1Alpha1, key);
    expect(status).toMatchObject({ updatedReplicas: 2, updatedAvailableReplicas: 2 });
    expect(spec.updateStrategy?.type).toBe('InPlaceOnly');
  });
});
