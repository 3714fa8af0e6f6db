import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, cloneSets, cloneSetsV1Alpha1, type CloneSet, type CloneSetV1Alpha1 } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { kubectl } from '../../support/programs.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const template = (name: string): object => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name: 'main', image: images.first }] },
});

describe('admission and conversion', () => {
  let fixture: CloneSetFixture;
  /** No Pods are needed here. */
  const create = (name: string, spec: object): Promise<CloneSet> =>
    fixture.client.create(cloneSets, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: { namespace: fixture.namespace, name },
      spec: { replicas: 0, selector: { matchLabels: { app: name } }, template: template(name), ...spec },
    });
  const refusal = async (work: Promise<unknown>): Promise<string> => {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ApiError);
    return (error as ApiError).message;
  };

  beforeAll(async () => {
    fixture = await openFixture('admission');
  });
  afterAll(() => closeFixture(fixture));

  it('fills in the defaults of v1beta1', async () => {
    const { spec } = await create('defaults', { replicas: undefined });
    expect(spec).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: { podUpdatePolicy: 'ReCreate', partition: 0, maxUnavailable: '20%', maxSurge: 0 },
      },
      template: { spec: { dnsPolicy: 'ClusterFirst', restartPolicy: 'Always', containers: [{ imagePullPolicy: 'Always' }] } },
    });
    expect(spec.scaleStrategy?.enablePVCReuse ?? false).toBe(false);
  });

  it('reads a v1alpha1 object as v1beta1, and back unchanged', async () => {
    const key = { namespace: fixture.namespace, name: 'alpha' };
    const created = await fixture.client.create(cloneSetsV1Alpha1, {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'CloneSet',
      metadata: { ...key, annotations: { [annotations.preDownloadParallelism]: '2' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'alpha' } },
        template: template('alpha'),
        scaleStrategy: {},
        updateStrategy: { type: 'InPlaceIfPossible' },
      },
    } as unknown as CloneSetV1Alpha1);
    const hub = await fixture.client.get(cloneSets, key);
    expect(hub.spec).toMatchObject({
      scaleStrategy: { enablePVCReuse: true },
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', inPlaceUpdateStrategy: { imagePreDownloadParallelism: 2 } },
      },
    });
    const back = await fixture.client.get(cloneSetsV1Alpha1, key);
    expect(back.spec).toEqual(created.spec);
    expect(back.metadata.annotations).toEqual(created.metadata.annotations);
  });

  it('keeps what only v1beta1 can say when the object is changed through v1alpha1', async () => {
    const key = { namespace: fixture.namespace, name: 'kept' };
    await create('kept', { scaleStrategy: { excludePreparingDelete: true, enablePVCReuse: true } });
    await fixture.client.patch(cloneSetsV1Alpha1, key, { spec: { minReadySeconds: 7 } }, { type: 'merge' });
    const { spec } = await fixture.client.get(cloneSets, key);
    expect(spec).toMatchObject({ minReadySeconds: 7, scaleStrategy: { excludePreparingDelete: true, enablePVCReuse: true } });
  });

  it('names every fault of an object in one answer', async () => {
    const said = await refusal(
      create('faulty', {
        selector: { matchLabels: { app: 'other' } },
        scaleStrategy: { podsToDelete: ['twice', 'twice'] },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', maxSurge: 1, partition: -2 } },
      }),
    );
    for (const path of [
      'spec.template.metadata.labels',
      'spec.scaleStrategy.podsToDelete',
      'spec.updateStrategy.rollingUpdate.maxSurge',
      'spec.updateStrategy.rollingUpdate.partition',
    ])
      expect(said).toContain(path);
  });

  it('refuses to change the selector', async () => {
    await create('fixed', {});
    const change = {
      spec: { selector: { matchLabels: { app: 'fixed', more: 'yes' } }, template: { metadata: { labels: { more: 'yes' } } } },
    };
    const key = { namespace: fixture.namespace, name: 'fixed' };
    expect(await refusal(fixture.client.patch(cloneSets, key, change, { type: 'merge' }))).toMatch(/spec: Forbidden/);
  });

  it('refuses what v1alpha1 does not know', async () => {
    const key = { namespace: fixture.namespace, name: 'fixed' };
    const change = { spec: { updateStrategy: { type: 'OnDelete' } } };
    expect(await refusal(fixture.client.patch(cloneSetsV1Alpha1, key, change, { type: 'merge' }))).toContain('spec.updateStrategy.type');
  });

  it('explains its fields and prints its columns', async () => {
    const explained = await kubectl('explain', 'cloneset.spec.updateStrategy.rollingUpdate.partition');
    expect(explained).toMatch(/DESCRIPTION:\n\s+\S+/);
    const table = await kubectl('-n', fixture.namespace, 'get', 'clone', 'defaults');
    expect(table.split('\n')[0]?.split(/\s+/)).toEqual([
      'NAME',
      'DESIRED',
      'UPDATED',
      'UPDATED_READY',
      'UPDATED_AVAILABLE',
      'READY',
      'TOTAL',
      'AGE',
    ]);
  });
});
