/** The status of a SidecarSet is written before its Pods change, whatever delays them. @see spec/sidecarset.md 5.5 */
import { expect, it } from '@jest/globals';
import { sidecarSets } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { isWrite } from '@kruise/kube/testing';
import { controllerRevisions, pods } from '@kruise/objects';
import { aSidecar, aSidecarSet } from '@kruise/kinds/sidecarset/testing';
import { imagesOf, SidecarSetCluster } from '../cluster.testing.ts';

it.each<{ name: string; answer: ApiError }>([
  { name: 'of a Pod that the API server no longer has', answer: new ApiError('not found', { kind: 'NotFound' }, { code: 404 }) },
  { name: 'that the API server does not report', answer: new ApiError('no', { kind: 'Forbidden' }, { code: 403 }) },
])('a lost answer to a write $name delays the Pods, but neither the status nor the history', async ({ answer }) => {
  let [isLost, isOpen] = [false, true];
  const cluster = new SidecarSetCluster(aSidecarSet(), 3, {
    before: ({ verb, type, subresource }) => {
      if (type !== pods || subresource !== '') return;
      if (verb === 'get' && isLost && isOpen) throw answer;
      if (verb !== 'patch' || isLost) return;
      isLost = true;
      throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
    },
  });
  const history = () => cluster.api.peekAll(controllerRevisions, 'kruise-system');
  const images = () => cluster.pods.map((pod) => imagesOf(pod)[0]);
  await cluster.run(1);
  cluster.change({ containers: [aSidecar('side', 'side:2')] });
  await cluster.run(1);
  for (const { metadata, ...revision } of history()) {
    const { ownerReferences: _removed, ...rest } = metadata;
    cluster.api.seed(controllerRevisions, { ...revision, metadata: rest });
  }
  cluster.change({ updateStrategy: { type: 'RollingUpdate', maxUnavailable: '100%' } });
  await cluster.run(5);
  expect([isLost, images()]).toEqual([true, ['side:1', 'side:1', 'side:1']]);
  expect(cluster.sidecarSet.status).toMatchObject({ observedGeneration: 3, matchedPods: 3, updatedPods: 0 });
  expect(history().map(({ metadata }) => metadata.ownerReferences?.length)).toEqual([1, 1]);
  isOpen = false;
  await cluster.run(70);
  expect(images()).toEqual(['side:2', 'side:2', 'side:2']);
  await cluster.manager.stop();
});

it('a conflict of the status delays the Pods until the next pass, but not the history', async () => {
  const order: string[] = [];
  let isRival = false;
  const cluster = new SidecarSetCluster(aSidecarSet({ spec: { revisionHistoryLimit: 1 } }), 0, {
    before: (call) => {
      if (!isWrite(call)) return;
      const { verb, type, subresource } = call;
      order.push([verb, type?.kind, subresource].filter((part) => part !== '').join(' '));
      if (!isRival || type !== sidecarSets) return;
      isRival = false;
      throw new ApiError('changed', { kind: 'Conflict' }, { code: 409 });
    },
  });
  await cluster.run(1);
  cluster.change({ containers: [aSidecar('side', 'side:2')] });
  order.length = 0;
  isRival = true;
  await cluster.manager.settle();
  expect(order).toEqual(['create ControllerRevision', 'update SidecarSet status', 'delete ControllerRevision', 'update SidecarSet status']);
  expect(cluster.api.peekAll(controllerRevisions, 'kruise-system')).toHaveLength(1);
  await cluster.manager.stop();
});
