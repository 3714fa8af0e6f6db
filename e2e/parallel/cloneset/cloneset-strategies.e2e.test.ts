import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSetsV1Alpha1, conditionTypes, type CloneSet, type CloneSetV1Alpha1 } from '@kruise/api';
import { type Pod, pods as podType } from '@kruise/objects';
import type { CloneSetWorld } from '../../../apps/manager/src/int-tests/fixtures/cloneset-world.testing.ts';
import { imageOf, restartsOf } from '../../support/pod-facts.ts';
import { closeWorld, images, openWorld } from '../../support/world.ts';

const conditionOf = ({ status }: CloneSet, type: string) => status?.conditions?.find((condition) => condition.type === type);
const names = (pods: readonly Pod[]): readonly string[] => pods.map((pod) => pod.metadata.name);
const updated = (pods: readonly Pod[]): readonly Pod[] => pods.filter((pod) => imageOf(pod) === images.second);

describe('strategies', () => {
  let world: CloneSetWorld;
  beforeAll(async () => {
    world = await openWorld('strategies');
  });
  afterAll(() => closeWorld(world));

  /** The rollout begins only once the controller has seen the labels that Pods got before. */
  const rollOut = async (name: string): Promise<void> => {
    await world.untilPodsAreSeen(images.first);
    await world.setImage(name, images.second);
  };

  it('OnDelete updates what the user deletes, keeps what is updated, and makes new Pods of the new revision', async () => {
    const updateStrategy = { type: 'OnDelete' };
    await world.apply({ name: 'ondelete', replicas: 4, image: images.first, spec: { updateStrategy } });
    await world.untilRolledOut('ondelete');
    const before = await world.pods('ondelete');
    await world.setImage('ondelete', images.second);
    await world.until('ondelete', (seen) => conditionOf(seen, conditionTypes.blocked)?.reason === 'OnDelete');
    expect(names(await world.pods('ondelete'))).toEqual(names(before));

    for (const { metadata } of before.slice(0, 2))
      await world.client.delete(podType, { namespace: world.namespace, name: metadata.name }, { gracePeriodSeconds: 1 });
    await world.until('ondelete', ({ status }) => status?.updatedAvailableReplicas === 2 && status.replicas === 4);
    const fresh = names(updated(await world.pods('ondelete')));
    await world.patch('ondelete', { spec: { replicas: 3 } });
    await world.until('ondelete', ({ status }) => status?.replicas === 3);
    expect(names(updated(await world.pods('ondelete')))).toEqual(fresh);
    await world.patch('ondelete', { spec: { replicas: 4 } });
    await world.until('ondelete', ({ status }) => status?.updatedAvailableReplicas === 3 && status.replicas === 4);
  });

  it('updates Pods of the highest weight first, and stops at the partition with a condition', async () => {
    const priorityStrategy = { weightPriority: [{ weight: 50, matchSelector: { matchLabels: { tier: 'first' } } }] };
    const spec = { progressDeadlineSeconds: 600 };
    const rollingUpdate = { partition: 3, maxUnavailable: 4, priorityStrategy };
    await world.apply({ name: 'weighed', replicas: 4, image: images.first, rollingUpdate, spec });
    await world.until('weighed', ({ status }) => status?.availableReplicas === 4);
    const chosen = names(await world.pods('weighed'))[2] ?? '';
    await world.patchPod(chosen, { metadata: { labels: { tier: 'first' } } });
    await rollOut('weighed');
    const reached = await world.until('weighed', ({ status }) => status?.updatedAvailableReplicas === 1);
    expect(names(updated(await world.pods('weighed')))).toEqual([chosen]);
    await world.until('weighed', (seen) => conditionOf(seen, conditionTypes.progressing)?.reason === 'ProgressPartitionAvailable');
    expect(reached.status?.expectedUpdatedReplicas).toBe(1);
    expect(conditionOf(await world.get('weighed'), conditionTypes.blocked)?.reason).toBe('PartitionReached');
  });

  it('scatters marked Pods over a rollout: they do not follow each other', async () => {
    const rollingUpdate = { maxUnavailable: 5, partition: 3, scatterStrategy: [{ key: 'marked', value: 'yes' }] };
    await world.apply({ name: 'scattered', replicas: 5, image: images.first, rollingUpdate });
    await world.until('scattered', ({ status }) => status?.availableReplicas === 5);
    const marked = names(await world.pods('scattered')).slice(0, 2);
    for (const name of marked) await world.patchPod(name, { metadata: { labels: { marked: 'yes' } } });
    await rollOut('scattered');
    await world.until('scattered', ({ status }) => status?.updatedAvailableReplicas === 2);
    expect(names(updated(await world.pods('scattered'))).filter((name) => marked.includes(name))).toHaveLength(1);
  });

  it('keeps no more old revisions than revisionHistoryLimit', async () => {
    await world.apply({ name: 'history', replicas: 1, image: images.first, spec: { revisionHistoryLimit: 2 } });
    await world.untilRolledOut('history');
    for (const note of ['1', '2', '3', '4', '5', '6']) {
      await world.patch('history', { spec: { template: { metadata: { annotations: { note } } } } });
      await world.until('history', ({ status, metadata }) => status?.observedGeneration === metadata.generation);
    }
    await world.untilRolledOut('history');
    await world.eventually(async () => (await world.revisions('history')).length <= 3, 'old revisions are gone');
    const [pod] = await world.pods('history');
    expect(pod && restartsOf(pod)).toBe(0);
    expect(pod?.metadata.annotations?.['note']).toBe('6');
  });

  it('rolls out what is written in v1alpha1', async () => {
    const app = { app: 'alpha' };
    const created = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'CloneSet',
      metadata: { namespace: world.namespace, name: 'alpha' },
      spec: {
        replicas: 2,
        selector: { matchLabels: app },
        template: { metadata: { labels: app }, spec: { containers: [{ name: 'main', image: images.first }] } },
        updateStrategy: { type: 'InPlaceOnly', maxUnavailable: 2 },
      },
    };
    await world.client.create(cloneSetsV1Alpha1, created as unknown as CloneSetV1Alpha1);
    await world.untilRolledOut('alpha');
    const before = await world.pods('alpha');
    const key = { namespace: world.namespace, name: 'alpha' };
    const change = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: images.second }];
    await world.client.patch(cloneSetsV1Alpha1, key, change, { type: 'json' });
    await world.untilRolledOut('alpha');
    const after = await world.pods('alpha');
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    expect(after.map(imageOf)).toEqual([images.second, images.second]);
    const { status, spec } = await world.client.get(cloneSetsV1Alpha1, key);
    expect(status).toMatchObject({ updatedReplicas: 2, updatedAvailableReplicas: 2 });
    expect(spec.updateStrategy?.type).toBe('InPlaceOnly');
  });
});
