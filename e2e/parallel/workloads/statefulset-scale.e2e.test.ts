/** Creating, deleting and owning the Pods of an Advanced StatefulSet. @see docs/spec/statefulset.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { statefulSetsV1Alpha1 } from '@kruise/api';
import { conflictPresets, isFailure, retryOnConflict, SystemClock } from '@kruise/kube';
import { isPodReady, persistentVolumeClaims, pods as podType, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import type { StatefulSetFixture } from '../../../apps/manager/src/int-tests/fixtures/statefulset-fixture.testing.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { servingGate, setServing } from '../../support/serving.ts';
import { closeFixture, images, openStatefulSets } from '../../support/fixture.ts';

const claimTemplate = (name: string): object => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
});
const mounting = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe('Pods of a StatefulSet', () => {
  let fixture: StatefulSetFixture;
  beforeAll(async () => {
    fixture = await openStatefulSets('sts-scale');
  });
  afterAll(() => closeFixture(fixture));

  const key = (name: string) => ({ namespace: fixture.namespace, name });
  const serve = (pod: string, isServing: boolean): Promise<void> => setServing(fixture.client, key(pod), isServing);
  const scale = (name: string, replicas: number): Promise<void> => fixture.patch(name, { spec: { replicas } });
  const untilOrdinals = (name: string, wanted: readonly number[]): Promise<void> =>
    fixture.eventually(async () => (await fixture.ordinals(name)).join() === wanted.join(), `${name} has the ordinals ${wanted.join()}`);
  const untilReady = (name: string, wanted: number): Promise<unknown> =>
    fixture.until(name, ({ status }) => status?.readyReplicas === wanted);
  const claimsOf = async (name: string): Promise<readonly PersistentVolumeClaim[]> => {
    const { items } = await fixture.client.list(persistentVolumeClaims, { namespace: fixture.namespace, labelSelector: `app=${name}` });
    return items.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  };
  const namesOfClaims = async (name: string): Promise<readonly string[]> => (await claimsOf(name)).map(({ metadata }) => metadata.name);

  it('are created one by one, each when the one before is ready (1)', async () => {
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.apply({ name: 'ordered', replicas: 3, image: images.first, podSpec: servingGate });
    for (const ordinal of range(0, 3)) {
      const pod = `ordered-${ordinal}`;
      await fixture.until('ordered', ({ status }) => status?.replicas === ordinal + 1);
      await fixture.eventually(async () => (await fixture.pod(pod)).status?.phase === 'Running', `${pod} runs`);
      expect(await fixture.ordinals('ordered')).toEqual(range(0, ordinal + 1));
      await serve(pod, true);
    }
    await fixture.untilRolledOut('ordered');
    const isEarly = (moment: ReadonlyMap<string, Pod>): boolean =>
      range(1, 3).some((ordinal) => {
        const before = moment.get(`ordered-${ordinal - 1}`);
        return moment.has(`ordered-${ordinal}`) && (before === undefined || !isPodReady(before));
      });
    const observed = await history.untilNow();
    expect(observed.moments.filter(isEarly)).toEqual([]);
  });

  it('are not deleted while those that stay are not ready; one that is alone in not being ready is deleted immediately (2)', async () => {
    await fixture.patch('ordered', { spec: { replicas: 4 } });
    await fixture.eventually(async () => (await fixture.ordinals('ordered')).length === 4, 'a fourth Pod');
    await serve('ordered-3', true);
    await fixture.untilRolledOut('ordered');
    for (const ordinal of range(0, 4)) await serve(`ordered-${ordinal}`, false);
    await untilReady('ordered', 0);
    await scale('ordered', 1);
    await fixture.until('ordered', ({ metadata, status }) => status?.observedGeneration === metadata.generation);
    expect(await fixture.ordinals('ordered')).toEqual([0, 1, 2, 3]);
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    for (const ordinal of range(0, 4)) await serve(`ordered-${ordinal}`, true);
    await untilOrdinals('ordered', [0]);
    await fixture.untilRolledOut('ordered');
    const going = (moment: ReadonlyMap<string, Pod>): readonly string[] =>
      [...moment.values()].filter(({ metadata }) => metadata.deletionTimestamp !== undefined).map(({ metadata }) => metadata.name);
    const observed = await history.untilNow();
    const order = observed.moments.flatMap(going);
    expect(order.filter((name, i) => name !== order[i - 1])).toEqual(['ordered-3', 'ordered-2', 'ordered-1']);

    await scale('ordered', 3);
    for (const ordinal of range(1, 3)) {
      await fixture.eventually(async () => (await fixture.ordinals('ordered')).includes(ordinal), `ordered-${ordinal} is there`);
      await serve(`ordered-${ordinal}`, true);
    }
    await fixture.untilRolledOut('ordered');
    await serve('ordered-2', false);
    await untilReady('ordered', 2);
    await scale('ordered', 2);
    await untilOrdinals('ordered', [0, 1]);
  });

  it('come and go all at once with Parallel, ready or not (3)', async () => {
    await fixture.apply({ name: 'parallel', replicas: 2, image: images.first, parallel: true, podSpec: servingGate });
    await untilOrdinals('parallel', [0, 1]);
    await scale('parallel', 6);
    await untilOrdinals('parallel', range(0, 6));
    await scale('parallel', 1);
    await untilOrdinals('parallel', [0]);
    expect((await fixture.get('parallel')).status?.readyReplicas).toBe(0);
  });

  it('skip reserved ordinals, and delete their claims where the policy says so (4)', async () => {
    const spec = {
      reserveOrdinals: [1, '3-4'],
      volumeClaimTemplates: [claimTemplate('data')],
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
    };
    await fixture.apply({ name: 'reserved', replicas: 4, image: images.first, container: mounting, spec });
    await fixture.untilRolledOut('reserved');
    expect(await fixture.ordinals('reserved')).toEqual([0, 2, 5, 6]);
    await scale('reserved', 2);
    await untilOrdinals('reserved', [0, 2]);
    await fixture.eventually(
      async () => (await namesOfClaims('reserved')).join() === 'data-reserved-0,data-reserved-2',
      'two claims are left',
    );
  });

  it('move with the start ordinal (5)', async () => {
    await fixture.apply({ name: 'moving', replicas: 3, image: images.first });
    await fixture.untilRolledOut('moving');
    await fixture.patch('moving', { spec: { ordinals: { start: 5 } } });
    await untilOrdinals('moving', [5, 6, 7]);
    await fixture.untilRolledOut('moving');
  });

  it('take their claims with them when the StatefulSet is deleted, or leave them without an owner (14)', async () => {
    const start = async (name: string, whenDeleted: string): Promise<void> => {
      const spec = {
        volumeClaimTemplates: [claimTemplate('data')],
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted },
      };
      await fixture.apply({ name, replicas: 2, image: images.first, parallel: true, container: mounting, spec });
    };
    await Promise.all([start('owned', 'Delete'), start('kept', 'Retain')]);
    await Promise.all([fixture.untilRolledOut('owned'), fixture.untilRolledOut('kept')]);
    const owners = async (name: string): Promise<readonly string[]> =>
      (await claimsOf(name)).flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map(({ kind }) => kind));
    await fixture.eventually(async () => (await owners('owned')).join() === 'StatefulSet,StatefulSet', 'the claims are owned');
    await Promise.all([fixture.remove('owned'), fixture.remove('kept')]);
    await fixture.eventually(async () => (await claimsOf('owned')).length === 0, 'the claims go');
    expect(await namesOfClaims('kept')).toEqual(['data-kept-0', 'data-kept-1']);
    expect(await owners('kept')).toEqual([]);
  });

  it('get a new claim for one that was deleted before they could start (15)', async () => {
    const elsewhere = { nodeSelector: { 'example.com/nowhere': 'yes' } };
    const spec = { volumeClaimTemplates: [claimTemplate('data')] };
    await fixture.apply({ name: 'pending', replicas: 1, image: images.first, container: mounting, podSpec: elsewhere, spec });
    await fixture.eventually(async () => (await claimsOf('pending')).length === 1, 'the claim is there');
    const [claim] = await claimsOf('pending');
    await fixture.client.delete(persistentVolumeClaims, key('data-pending-0'));
    // What protects a claim in use lets go of it with the Pod: the Pod is not on a node, so nothing uses it.
    await fixture.eventually(async () => {
      const [now] = await claimsOf('pending');
      return now !== undefined && now.metadata.uid !== claim?.metadata.uid && now.metadata.deletionTimestamp === undefined;
    }, 'another claim of the name');
    await fixture.remove('pending');
  });

  it('are created only as fast as they get available with a scale limit (18)', async () => {
    const spec = { scaleStrategy: { maxUnavailable: 3 } };
    await fixture.apply({ name: 'limited', replicas: 2, image: images.first, parallel: true, podSpec: servingGate, spec });
    await untilOrdinals('limited', [0, 1]);
    for (const ordinal of range(0, 2)) await serve(`limited-${ordinal}`, true);
    await fixture.untilRolledOut('limited');
    await scale('limited', 9);
    await untilOrdinals('limited', range(0, 5));
    await fixture.until('limited', ({ metadata, status }) => status?.observedGeneration === metadata.generation && status?.replicas === 5);
    expect(await fixture.ordinals('limited')).toEqual(range(0, 5));
    await serve('limited-3', true);
    await untilOrdinals('limited', range(0, 6));
  });

  it('are adopted again without owner references, released without their labels, and adopted when these return (19)', async () => {
    await fixture.apply({ name: 'adopted', replicas: 1, image: images.first });
    await fixture.untilRolledOut('adopted');
    const { uid } = (await fixture.pod('adopted-0')).metadata;
    const isOwned = async (): Promise<boolean> => ((await fixture.pod('adopted-0')).metadata.ownerReferences ?? []).length === 1;
    await fixture.patchPod('adopted-0', { metadata: { ownerReferences: null } });
    await fixture.eventually(isOwned, 'it is adopted');
    await fixture.patchPod('adopted-0', { metadata: { labels: { app: 'other' } } });
    await fixture.eventually(async () => !(await isOwned()), 'it is released');
    await fixture.patchPod('adopted-0', { metadata: { labels: { app: 'adopted' } } });
    await fixture.eventually(isOwned, 'it is adopted again');
    expect((await fixture.pod('adopted-0')).metadata.uid).toBe(uid);
    await fixture.untilRolledOut('adopted');
  });

  it('are replaced when they have failed (20)', async () => {
    await fixture.apply({ name: 'failing', replicas: 2, image: images.first, podSpec: { terminationGracePeriodSeconds: 0 } });
    await fixture.untilRolledOut('failing');
    const { uid } = (await fixture.pod('failing-0')).metadata;
    // As an eviction by the kubelet leaves it; again, as the kubelet, which has not done it, may say that the Pod runs.
    const evicted = { metadata: { uid }, status: { phase: 'Failed', reason: 'Evicted' } };
    const isReplaced = async (): Promise<boolean> => {
      try {
        if ((await fixture.pod('failing-0')).metadata.uid !== uid) return true;
        await fixture.client.patch(podType, key('failing-0'), evicted, { type: 'merge', subresource: 'status' });
      } catch (error) {
        if (!isFailure(error, 'NotFound') && !isFailure(error, 'Conflict')) throw error;
      }
      return false;
    };
    await fixture.eventually(isReplaced, 'another Pod of the name');
    await fixture.untilRolledOut('failing');
  });

  it('keep reserved ordinals through a client of v1alpha1 that knows none (23)', async () => {
    await fixture.patch('moving', { spec: { reserveOrdinals: [6] } });
    await untilOrdinals('moving', [5, 7, 8]);
    // The status may be written in between.
    await retryOnConflict(conflictPresets.defaultBackoff, { clock: new SystemClock() }, async () => {
      const old = await fixture.client.get(statefulSetsV1Alpha1, key('moving'));
      await fixture.client.update(statefulSetsV1Alpha1, { ...old, spec: { ...old.spec, replicas: 4 } });
    });
    await untilOrdinals('moving', [5, 7, 8, 9]);
    expect((await fixture.get('moving')).spec.reserveOrdinals).toEqual([6]);
  });
});
