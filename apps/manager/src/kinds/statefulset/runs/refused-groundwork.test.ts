/** Adoptions and steps of Pods that the API server refuses hold back their Pod only. @see spec/statefulset.md 5.3 */
import { expect, it } from '@jest/globals';
import type { StatefulSet } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { persistentVolumeClaims, podCondition, pods, type Pod } from '@kruise/objects';
import { aClaimTemplate } from '@kruise/kinds/statefulset/testing';
import { StatefulSetCluster } from '../cluster.testing.ts';

/** What only the owners of a Pod are changed by. */
const setsOwners = ({ verb, type, body }: FakeCall): boolean =>
  verb === 'patch' && type === pods && 'ownerReferences' in ((body ?? {}) as { readonly metadata?: object }).metadata!;

const withoutOwner = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } });

it('an adoption that is refused leaves the other Pods to be updated and created', async () => {
  let isRefusing = false;
  const before = (call: FakeCall): void => {
    if (isRefusing && setsOwners(call)) throw new ApiError('no', { kind: 'Forbidden' }, { code: 403 });
  };
  await using cluster = new StatefulSetCluster({ parallel: true }, { before });
  await cluster.settle();
  isRefusing = true;
  cluster.changePod('web-1', withoutOwner);
  cluster.changeImage('app:2');
  cluster.change({ replicas: 4 });
  await cluster.ticks(30);
  expect(cluster.shown).toEqual(['web-0 app:2', 'web-1 app:1', 'web-2 app:2', 'web-3 app:2']);
  expect(cluster.conditions).toContain('Blocked ScalingFails: Pods cannot be created or deleted: no');
  isRefusing = false;
  await cluster.settle(300, 65);
  expect([cluster.shown, cluster.conditions]).toEqual([['web-0 app:2', 'web-1 app:2', 'web-2 app:2', 'web-3 app:2'], []]);
});

it('a Pod that is not put back into service, as that is refused, leaves the other Pods to be updated and created', async () => {
  let isRefusing = true;
  await using cluster = new StatefulSetCluster({ parallel: true, rollingUpdate: { maxUnavailable: 2 } }, { before });
  function before({ verb, type, subresource, key: { name } }: FakeCall): void {
    const isOut = isRefusing && verb === 'patch' && type === pods && subresource === 'status' && name === 'web-1';
    const pod = isOut ? cluster.pods.find(({ metadata }) => metadata.name === name) : undefined;
    if (pod !== undefined && podCondition(pod, 'InPlaceUpdateReady')?.status === 'False')
      throw new ApiError('no', { kind: 'Forbidden' }, { code: 403 });
  }
  await cluster.settle();
  cluster.changeImage('app:2');
  await cluster.ticks(30);
  cluster.change({ replicas: 4 });
  await cluster.ticks(30);
  expect(cluster.shown).toEqual(['web-0 app:2', 'web-1 app:2 Updating unready', 'web-2 app:2', 'web-3 app:2']);
  isRefusing = false;
  await cluster.settle(300, 65);
  expect([cluster.shown, cluster.conditions]).toEqual([['web-0 app:2', 'web-1 app:2', 'web-2 app:2', 'web-3 app:2'], []]);
});

it.each<{ name: string; isRefused: (call: FakeCall) => boolean; change: Partial<StatefulSet['spec']> }>([
  {
    name: 'the owners of a claim cannot be written',
    isRefused: ({ verb, type, key }) => verb === 'patch' && type === persistentVolumeClaims && key.name === 'data-web-1',
    change: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Delete' } },
  },
  {
    name: 'a Pod cannot be created',
    isRefused: ({ verb, type, body }) => verb === 'create' && type === pods && (body as Pod).metadata.name === 'web-3',
    change: { replicas: 4 },
  },
  {
    name: 'a Pod that has no slot cannot be deleted',
    isRefused: ({ verb, type }) => verb === 'delete' && type === pods,
    change: { replicas: 2 },
  },
])('Pods are updated, with Parallel, while $name', async ({ isRefused, change }) => {
  const before = (call: FakeCall): void => {
    if (call.from === 'manager' && isRefused(call)) throw new ApiError('no', { kind: 'Forbidden' }, { code: 403 });
  };
  await using cluster = new StatefulSetCluster(
    { parallel: true, rollingUpdate: { maxUnavailable: 2 }, claims: [aClaimTemplate('data')] },
    { before },
  );
  await cluster.settle(100, 5);
  cluster.change(change);
  await cluster.ticks(5);
  cluster.changeImage('app:2');
  await cluster.settle(100, 5);
  expect(cluster.shown.slice(0, 2)).toEqual(['web-0 app:2', 'web-1 app:2']);
});
