/** What feature gates that are off by default change for StatefulSets and what is remembered of their Pods. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { persistentPodStates, statefulSets } from '@kruise/api';
import { unlessDeleted } from '@kruise/kube';
import { isPodReady, pods, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { uidsOf } from '../support/pod-facts.ts';
import { closeFixture, images, openFixture } from '../support/fixture.ts';

const builtInStatefulSets: ResourceType<KubeObject> = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
};

describe('with gates on, of a StatefulSet', () => {
  let fixture: CloneSetFixture;

  beforeAll(async () => {
    fixture = await openFixture('gates-statefulset');
  });
  afterAll(() => closeFixture(fixture));

  it('a Pod whose recorded node does not exist is forgotten, and can run elsewhere', async () => {
    const key = { namespace: fixture.namespace, name: 'lost' };
    const app = { app: 'lost' };
    const { client } = fixture;
    const template = {
      metadata: { labels: app },
      spec: {
        terminationGracePeriodSeconds: 1,
        nodeSelector: { 'example.com/gates': 'nowhere' },
        containers: [{ name: 'main', image: images.first }],
      },
    };
    const spec = { replicas: 1, serviceName: 'lost', selector: { matchLabels: app }, template };
    await client.create(builtInStatefulSets, { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: key, spec } as KubeObject);
    await client.create(persistentPodStates, {
      metadata: key,
      spec: {
        targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'lost' },
        requiredPersistentTopology: { keys: ['kubernetes.io/hostname'] },
      },
    });
    await fixture.eventually(async () => (await unlessDeleted(fixture.pod('lost-0'))) !== undefined, 'the Pod is there');
    const isSeen = async (): Promise<boolean> => (await client.get(persistentPodStates, key)).status?.observedGeneration !== undefined;
    await fixture.eventually(isSeen, 'the PersistentPodState has a status');
    const deleted = { nodeName: 'gone', nodeTopologyLabels: { 'kubernetes.io/hostname': 'gone' } };
    const change = { status: { podStates: { 'lost-0': deleted } } };
    await client.patch(persistentPodStates, key, change, { type: 'merge', subresource: 'status' });
    const isForgotten = async (): Promise<boolean> =>
      (await client.get(persistentPodStates, key)).status?.podStates?.['lost-0']?.nodeName !== 'gone';
    await fixture.eventually(isForgotten, 'the entry of the node that does not exist is gone');
    const anywhere = { spec: { template: { spec: { nodeSelector: null } } } };
    await client.patch(builtInStatefulSets, key, anywhere, { type: 'merge' });
    // Kubernetes itself may replace a Pod of the former template that does not get ready.
    await unlessDeleted(client.delete(pods, { ...key, name: 'lost-0' }));
    await fixture.eventually(async () => {
      const next = await unlessDeleted(fixture.pod('lost-0'));
      return next !== undefined && isPodReady(next);
    }, 'its successor runs');
  });

  it('Pods of a StatefulSet that lack a claim are recreated, one after the other', async () => {
    const key = { namespace: fixture.namespace, name: 'mounts' };
    const app = { app: 'mounts' };
    const { client } = fixture;
    const spec = {
      replicas: 2,
      serviceName: 'mounts',
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: images.first }] },
      },
    };
    await client.create(statefulSets, { metadata: key, spec });
    const isReady = async (): Promise<boolean> => {
      const { status, metadata } = await client.get(statefulSets, key);
      return status?.observedGeneration === metadata.generation && status?.readyReplicas === 2;
    };
    await fixture.eventually(isReady, 'both Pods are ready');
    const members = async (): Promise<readonly Pod[]> =>
      (await client.list(pods, { namespace: fixture.namespace, labelSelector: 'app=mounts' })).items;
    const before = uidsOf(await members());
    const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } } };
    await client.patch(statefulSets, key, { spec: { volumeClaimTemplates: [claim] } }, { type: 'merge' });
    const mounted = async (): Promise<readonly (string | undefined)[]> =>
      (await members()).flatMap(({ spec: { volumes = [] } }) => volumes.flatMap((one) => one.persistentVolumeClaim?.claimName ?? []));
    await fixture.eventually(async () => (await mounted()).toSorted().join() === 'data-mounts-0,data-mounts-1', 'both mount their claims');
    await fixture.eventually(isReady, 'both Pods are ready again');
    expect(uidsOf(await members()).filter((uid) => before.includes(uid))).toEqual([]);
  });
});
