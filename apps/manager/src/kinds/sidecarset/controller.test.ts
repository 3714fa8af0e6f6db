/** The controller on an API server in memory: updates to their end, and what is said on the way. */
import { describe, expect, it } from '@jest/globals';
import { sidecarSetAnnotations, sidecarSetLabels, sidecarSets } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { isWrite, type FakeCall } from '@kruise/kube/testing';
import { controllerRevisions, namespaces, pods, type ControllerRevision, type Pod, type PodCondition } from '@kruise/objects';
import { asNew } from '../../module/controller-process.testing.ts';
import type { UpdateAnswer } from '@kruise/workloads';
import { aHotSidecar, anInjectedPod, aSidecar, aSidecarSet, emptyImage } from '@kruise/kinds/sidecarset/testing';
import { imagesOf, SidecarSetCluster } from './cluster.testing.ts';

const conditionOf = (pod: Pod): PodCondition | undefined => pod.status?.conditions?.find(({ type }) => type === 'SidecarSetUpgradable');
const revisionsIn = ({ api }: SidecarSetCluster) =>
  api
    .peekAll(controllerRevisions, 'kruise-system')
    .filter(({ metadata }) => metadata.labels?.[sidecarSetLabels.name] === 'set')
    .toSorted((a, b) => a.revision - b.revision);
const counts = ({ sidecarSet: { status } }: SidecarSetCluster): readonly (number | undefined)[] => [
  status?.matchedPods,
  status?.updatedPods,
  status?.readyPods,
  status?.updatedReadyPods,
];

describe('a SidecarSet', () => {
  it('counts its Pods, keeps a revision, and brings a new image to all of them', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet(), 3);
    await cluster.run(2);
    expect(counts(cluster)).toEqual([3, 3, 3, 3]);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(20);
    expect(cluster.pods.map(imagesOf)).toEqual(Array.from({ length: 3 }, () => ['side:2', 'app:1']));
    expect(counts(cluster)).toEqual([3, 3, 3, 3]);
    expect(revisionsIn(cluster).map(({ revision }) => revision)).toEqual([1, 2]);
    for (const pod of cluster.pods) {
      expect(conditionOf(pod)).toMatchObject({ status: 'True', reason: 'AllSidecarsetUpgradable', message: '{"set":true}' });
      expect(pod.status?.containerStatuses?.map(({ restartCount }) => restartCount).toSorted()).toEqual([0, 1]);
    }
    await cluster.manager.stop();
  });

  it('lets the twins of a hot sidecar take turns', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1')] }), 2);
    await cluster.run(2);
    cluster.change({ containers: [aHotSidecar('mesh', 'mesh:2')] });
    await cluster.run(20);
    for (const pod of cluster.pods) {
      expect(imagesOf(pod)).toEqual([emptyImage, 'mesh:2', 'app:1']);
      expect(pod.metadata.annotations?.[sidecarSetAnnotations.workingHotUpgradeContainer]).toBe('{"mesh":"mesh-2"}');
    }
    expect(counts(cluster)).toEqual([2, 2, 2, 2]);
    expect(cluster.manager.events.map(({ reason }) => reason)).toEqual(['ResetContainerSucceed', 'ResetContainerSucceed']);
    await cluster.manager.stop();
  });

  it('returns to the healthy twin when a failing hot upgrade is rolled back, and empties the failing one', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1')] }), 2);
    cluster.kubelet.broken = new Set(['mesh:bad']);
    await cluster.run(2);
    cluster.change({ containers: [aHotSidecar('mesh', 'mesh:bad')] });
    await cluster.run(6);
    expect(counts(cluster)).toEqual([2, 1, 1, 0]);
    cluster.change({ containers: [aHotSidecar('mesh', 'mesh:1')] });
    await cluster.run(12);
    expect(cluster.pods.map(imagesOf)).toEqual(Array.from({ length: 2 }, () => ['mesh:1', emptyImage, 'app:1']));
    expect(counts(cluster)).toEqual([2, 2, 2, 2]);
    const [failed] = cluster.pods.filter(({ status }) => status?.containerStatuses?.some(({ restartCount }) => restartCount > 0));
    expect(failed?.status?.containerStatuses?.find(({ name }) => name === 'mesh-1')?.restartCount).toBe(0);
    await cluster.manager.stop();
  });

  it('takes one Pod down for an image that cannot be pulled, and continues with one that can', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet(), 2);
    cluster.kubelet.broken = new Set(['side:bad']);
    cluster.change({ containers: [aSidecar('side', 'side:bad')] });
    await cluster.run(8);
    expect(counts(cluster)).toEqual([2, 1, 1, 0]);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(12);
    expect(counts(cluster)).toEqual([2, 2, 2, 2]);
    expect(cluster.pods.map((pod) => conditionOf(pod)?.status)).toEqual(['True', 'True']);
    await cluster.manager.stop();
  });

  it('says so in Pods and an event when more than images changed, and takes it back', async () => {
    const first = aSidecarSet();
    const cluster = new SidecarSetCluster(first, 2);
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:1', { env: [{ name: 'A', value: 'b' }] })] });
    await cluster.run(4);
    expect(counts(cluster)).toEqual([2, 0, 2, 0]);
    expect(cluster.pods.map(conditionOf)).toEqual(
      Array.from(
        { length: 2 },
        () => expect.objectContaining({ status: 'False', reason: 'UpdateImmutableField', message: '{"set":false}' }) as unknown,
      ),
    );
    expect(cluster.manager.events).toEqual([
      {
        about: 'set',
        type: 'Normal',
        reason: 'NotUpgradablePods',
        message: 'SidecarSet in-place update detected 2 not upgradable pod(s) in this round, will skip them.',
      },
    ]);
    cluster.change({ containers: first.spec.containers ?? [] });
    await cluster.run(3);
    expect(cluster.pods.map((pod) => conditionOf(pod)?.message)).toEqual(['{"set":true}', '{"set":true}']);
    await cluster.manager.stop();
  });

  it('shares the condition with the other SidecarSets of the Pod', async () => {
    const [first, second] = [
      aSidecarSet({ name: 'first', containers: [aSidecar('a', 'a:1')] }),
      aSidecarSet({ containers: [aSidecar('b', 'b:1')] }),
    ];
    const cluster = new SidecarSetCluster(second, 0);
    const { metadata } = cluster.api.seed(sidecarSets, asNew(first));
    cluster.api.seed(pods, asNew(anInjectedPod([{ ...first, metadata }, cluster.sidecarSet], { name: 'pod-1' })));
    const held = () => cluster.api.peek(sidecarSets, { namespace: '', name: 'first' }) as typeof first;
    await cluster.run(1);
    const { spec } = first;
    const odd = { ...held(), spec: { ...spec, containers: [aSidecar('a', 'a:1', { args: ['x'] })] } };
    const { changed } = await import('@kruise/kinds/sidecarset/testing');
    cluster.api.seed(sidecarSets, changed(odd, {}));
    cluster.change({ containers: [aSidecar('b', 'b:2')] });
    await cluster.run(6);
    expect(conditionOf(cluster.pod('pod-1'))).toMatchObject({ status: 'False', message: '{"first":false,"set":true}' });
    cluster.api.seed(sidecarSets, changed({ ...held(), spec }, {}));
    await cluster.run(4);
    expect(conditionOf(cluster.pod('pod-1'))).toMatchObject({ status: 'True', message: '{"first":true,"set":true}' });
    await cluster.manager.stop();
  });

  it('continues with other Pods if one is refused, and retries that one', async () => {
    let refusing = true;
    const refusal = new ApiError('the budget of the Pods is used up', { kind: 'Forbidden' }, { code: 403 });
    const cluster = new SidecarSetCluster(aSidecarSet({ strategy: { maxUnavailable: '100%' } }), 3, {
      before: ({ verb, key, subresource }) => {
        if (refusing && verb === 'patch' && key.name === 'pod-1' && subresource === '') throw refusal;
      },
    });
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(4);
    expect(cluster.pods.map((pod) => imagesOf(pod)[0])).toEqual(['side:1', 'side:2', 'side:2']);
    refusing = false;
    await cluster.run(60);
    expect(counts(cluster)).toEqual([3, 3, 3, 3]);
    await cluster.manager.stop();
  });

  it('reports once for each change that a guard keeps its Pods, and continues when the guard releases them', async () => {
    let left = 0;
    const mayUpdate = (): Promise<UpdateAnswer> =>
      Promise.resolve(left-- > 0 ? { kind: 'Allowed' } : { kind: 'Refused', why: 'nothing is left' });
    const cluster = new SidecarSetCluster(aSidecarSet({ strategy: { maxUnavailable: '100%' } }), 3, {
      gates: { PodUnavailableBudgetUpdateGate: true },
      guards: [{ updateGuard: () => ({ mayUpdate }) }],
    });
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(4);
    expect(cluster.pods.map((pod) => imagesOf(pod)[0])).toEqual(['side:1', 'side:1', 'side:1']);
    left = 1;
    await cluster.run(4);
    const events = cluster.manager.events.filter(({ reason }) => reason === 'BudgetRefuses');
    expect(events).toEqual([
      { about: 'set', type: 'Warning', reason: 'BudgetRefuses', message: 'Pod pod-1 may not be updated now: nothing is left' },
    ]);
    left = 99;
    await cluster.run(10);
    expect(counts(cluster)).toEqual([3, 3, 3, 3]);
    left = 0;
    cluster.change({ containers: [aSidecar('side', 'side:3')] });
    await cluster.run(4);
    expect(cluster.manager.events.filter(({ reason }) => reason === 'BudgetRefuses')).toHaveLength(2);
    await cluster.manager.stop();
  });

  it('updates one burst of Pods in a pass, and the others in the next one', async () => {
    const order: string[] = [];
    const cluster = new SidecarSetCluster(aSidecarSet({ strategy: { maxUnavailable: '100%' } }), 520, {
      before: ({ verb, type, subresource }) => {
        if (verb === 'patch' && type === pods && subresource === '') order.push('update');
        if (type === sidecarSets && subresource === 'status') order.push('status');
      },
    });
    await cluster.run(1);
    order.length = 0;
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.manager.settle();
    const passes = order
      .join(' ')
      .split('status')
      .map((pass) => pass.split('update').length - 1);
    expect(passes.filter((updates) => updates > 0)).toEqual([500, 20]);
    await cluster.manager.stop();
  });

  it('continues immediately when a chosen Pod is deleted', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet(), 3, {
      before: ({ verb, key, subresource }) => {
        if (verb === 'patch' && key.name === 'pod-1' && subresource === '') void cluster.api.delete(pods, key, { gracePeriodSeconds: 0 });
      },
    });
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(12);
    expect(cluster.pods.map(({ metadata }) => metadata.name)).toEqual(['pod-2', 'pod-3']);
    expect(counts(cluster)).toEqual([2, 2, 2, 2]);
    await cluster.manager.stop();
  });

  it('updates nothing more while it does not know whether a write took effect', async () => {
    let lost = 0;
    const cluster = new SidecarSetCluster(aSidecarSet(), 2);
    await cluster.run(1);
    const { after } = cluster.api.faults;
    expect(after).toBeUndefined();
    await cluster.manager.stop();
    cluster.begin({
      before: ({ verb, key, subresource }) => {
        if (verb !== 'patch' || subresource !== '' || !key.name.startsWith('pod-') || lost > 0) return;
        lost++;
        throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
      },
    });
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(20);
    expect(lost).toBe(1);
    expect(counts(cluster)).toEqual([2, 2, 2, 2]);
    await cluster.manager.stop();
  });

  it('updates nothing more while its cache does not show a write whose answer was lost', async () => {
    let lost = 0;
    const cluster = new SidecarSetCluster(aSidecarSet(), 2);
    await cluster.run(1);
    await cluster.manager.stop();
    cluster.begin({
      before: ({ verb, key, subresource, body }) => {
        if (verb !== 'patch' || subresource !== '' || !key.name.startsWith('pod-') || lost > 0) return;
        lost++;
        cluster.api.holdWatches();
        void cluster.api.patch(pods, key, body, { type: 'strategic' });
        throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
      },
    });
    await cluster.manager.settle();
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(10);
    expect(lost).toBe(1);
    expect(cluster.pods.map((pod) => imagesOf(pod)[0]).toSorted()).toEqual(['side:1', 'side:2']);
    cluster.api.releaseWatches();
    await cluster.run(20);
    expect(counts(cluster)).toEqual([2, 2, 2, 2]);
    await cluster.manager.stop();
  });

  it('writes to a Pod twice for its first version, and once for each later one', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet(), 3);
    await cluster.run(2);
    const written: number[] = [];
    for (const image of ['side:2', 'side:3']) {
      const before = cluster.api.calls.length;
      cluster.change({ containers: [aSidecar('side', image)] });
      await cluster.run(12);
      written.push(cluster.api.calls.slice(before).filter((call) => isWrite(call) && call.type?.kind === 'Pod').length);
    }
    expect(counts(cluster)).toEqual([3, 3, 3, 3]);
    expect(written).toEqual([6, 3]);
    await cluster.manager.stop();
  });

  it('brings a Pod up to date that a replica of the webhook injected from an older state', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet(), 1);
    await cluster.run(1);
    const old = cluster.sidecarSet;
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(4);
    cluster.api.seed(pods, asNew(anInjectedPod(old, { name: 'pod-2' })));
    await cluster.run(6);
    expect(cluster.pods.map(imagesOf)).toEqual(Array.from({ length: 2 }, () => ['side:2', 'app:1']));
    expect(counts(cluster)).toEqual([2, 2, 2, 2]);
    await cluster.manager.stop();
  });

  it('leaves the Pods as they are when it is deleted in the middle of an update', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet(), 3);
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.manager.settle();
    await cluster.api.delete(sidecarSets, { namespace: '', name: 'set' });
    const before = cluster.api.calls.length;
    await cluster.run(10);
    expect(cluster.pods.map((pod) => imagesOf(pod)[0]).toSorted()).toEqual(['side:1', 'side:1', 'side:2']);
    expect(cluster.api.calls.slice(before).filter(isWrite)).toEqual([]);
    await cluster.manager.stop();
  });

  it('does not fight with another SidecarSet that has a container of the same name', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet({ name: 'set', containers: [aSidecar('side', 'side:1')] }), 0);
    const rival = aSidecarSet({ name: 'rival', containers: [aSidecar('side', 'rival:1')] });
    const { metadata } = cluster.api.seed(sidecarSets, asNew(rival));
    const pod = anInjectedPod([cluster.sidecarSet, { ...rival, metadata }], { name: 'pod-1' });
    const [side, , main] = pod.spec.containers;
    const statuses = (pod.status?.containerStatuses ?? []).filter((_, i) => i !== 1);
    cluster.api.seed(
      pods,
      asNew({ ...pod, spec: { ...pod.spec, containers: [side!, main!] }, status: { ...pod.status, containerStatuses: statuses } }),
    );
    await cluster.run(2);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(10);
    expect(imagesOf(cluster.pod('pod-1'))).toEqual(['side:2', 'app:1']);
    expect(cluster.pod('pod-1').status?.containerStatuses?.[0]?.restartCount).toBe(1);
    await cluster.manager.stop();
  });

  it('only counts when it is of type NotUpdate, and follows the Pods lazily', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet({ strategy: { type: 'NotUpdate' } }), 0);
    const pod = anInjectedPod(cluster.sidecarSet, { name: 'pod-1', ready: false, phase: 'Pending' });
    cluster.api.seed(pods, asNew(pod));
    await cluster.run(10);
    expect(counts(cluster)).toEqual([1, 1, 0, 0]);
    await cluster.run(60);
    expect(counts(cluster)).toEqual([1, 1, 1, 1]);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.run(10);
    expect(counts(cluster)).toEqual([1, 0, 1, 0]);
    expect(imagesOf(cluster.pod('pod-1'))).toEqual(['side:1', 'app:1']);
    await cluster.manager.stop();
  });

  it('stops and continues with paused', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet(), 2);
    await cluster.run(1);
    cluster.change({ containers: [aSidecar('side', 'side:2')] });
    await cluster.manager.settle();
    cluster.change({ updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, paused: true } });
    await cluster.run(8);
    expect(counts(cluster)).toEqual([2, 1, 2, 1]);
    cluster.change({ updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, paused: false } });
    await cluster.run(8);
    expect(counts(cluster)).toEqual([2, 2, 2, 2]);
    await cluster.manager.stop();
  });

  it('takes over the revision that a SidecarSet of the same name left behind', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet(), 1);
    await cluster.run(1);
    const [left] = revisionsIn(cluster);
    const { metadata, ...rest } = cluster.sidecarSet;
    await cluster.api.delete(sidecarSets, { namespace: '', name: 'set' });
    await cluster.run(1);
    const again = cluster.api.seed(sidecarSets, asNew({ ...rest, metadata }));
    await cluster.run(2);
    expect(again.metadata.uid).not.toBe(metadata.uid);
    const [held, ...more] = revisionsIn(cluster);
    expect(more).toEqual([]);
    expect(held?.metadata.name).toBe(left?.metadata.name);
    expect(held?.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([again.metadata.uid]);
    await cluster.manager.stop();
  });

  it('becomes the owner of revisions that have none, unless it is being deleted', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet(), 1);
    await cluster.run(1);
    const [held] = revisionsIn(cluster) as [ControllerRevision];
    const { ownerReferences, ...metadata } = held.metadata;
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other' };
    cluster.api.seed(controllerRevisions, { ...held, metadata: { ...metadata, ownerReferences: [other] } });
    await cluster.run(1);
    const owners = (): unknown => revisionsIn(cluster)[0]?.metadata.ownerReferences;
    expect(owners()).toEqual([other]);
    cluster.change({ revisionHistoryLimit: 9 });
    await cluster.run(1);
    expect(owners()).toEqual([other, ...(ownerReferences ?? [])]);
    await cluster.manager.stop();
  });

  it('leaves revisions alone that became orphans because it is being deleted, which its cache does not know yet', async () => {
    const sidecarSet = aSidecarSet();
    const cluster = new SidecarSetCluster({ ...sidecarSet, metadata: { ...sidecarSet.metadata, finalizers: ['orphan'] } }, 1);
    await cluster.run(1);
    const [held] = revisionsIn(cluster) as [ControllerRevision];
    await cluster.manager.stop();
    const { ownerReferences: _removed, ...metadata } = held.metadata;
    cluster.api.seed(controllerRevisions, { ...held, metadata });
    let asked = 0;
    const before = ({ verb, type }: FakeCall): void => {
      if (verb !== 'get' || type?.kind !== 'SidecarSet') return;
      asked++;
      void cluster.api.delete(sidecarSets, { namespace: '', name: 'set' });
    };
    cluster.begin({ before });
    await cluster.manager.settle();
    expect(asked).toBe(1);
    expect(cluster.sidecarSet.metadata.deletionTimestamp).toBeDefined();
    expect(revisionsIn(cluster)[0]?.metadata.ownerReferences).toBeUndefined();
    await cluster.manager.stop();
  });

  it('lets go of Pods whose namespace does not match any more at the next look', async () => {
    const cluster = new SidecarSetCluster(aSidecarSet({ spec: { namespaceSelector: { matchLabels: { inject: 'yes' } } } }), 1);
    await cluster.run(1);
    expect(counts(cluster)).toEqual([0, 0, 0, 0]);
    const namespace = cluster.api.peek(namespaces, { namespace: '', name: 'default' });
    cluster.api.seed(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { ...namespace?.metadata, name: 'default', labels: { inject: 'yes' } },
    });
    await cluster.run(1);
    cluster.change({ revisionHistoryLimit: 9 });
    await cluster.run(1);
    expect(counts(cluster)).toEqual([1, 1, 1, 1]);
    await cluster.manager.stop();
  });
});
