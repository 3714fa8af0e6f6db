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
    const world = new SidecarSetCluster(aSidecarSet(), 3);
    await world.run(2);
    expect(counts(world)).toEqual([3, 3, 3, 3]);
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.run(20);
    expect(world.pods.map(imagesOf)).toEqual(Array.from({ length: 3 }, () => ['side:2', 'app:1']));
    expect(counts(world)).toEqual([3, 3, 3, 3]);
    expect(revisionsIn(world).map(({ revision }) => revision)).toEqual([1, 2]);
    for (const pod of world.pods) {
      expect(conditionOf(pod)).toMatchObject({ status: 'True', reason: 'AllSidecarsetUpgradable', message: '{"set":true}' });
      expect(pod.status?.containerStatuses?.map(({ restartCount }) => restartCount).toSorted()).toEqual([0, 1]);
    }
    await world.manager.stop();
  });

  it('lets the twins of a hot sidecar take turns', async () => {
    const world = new SidecarSetCluster(aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1')] }), 2);
    await world.run(2);
    world.change({ containers: [aHotSidecar('mesh', 'mesh:2')] });
    await world.run(20);
    for (const pod of world.pods) {
      expect(imagesOf(pod)).toEqual([emptyImage, 'mesh:2', 'app:1']);
      expect(pod.metadata.annotations?.[sidecarSetAnnotations.workingHotUpgradeContainer]).toBe('{"mesh":"mesh-2"}');
    }
    expect(counts(world)).toEqual([2, 2, 2, 2]);
    expect(world.manager.events.map(({ reason }) => reason)).toEqual(['ResetContainerSucceed', 'ResetContainerSucceed']);
    await world.manager.stop();
  });

  it('returns to the healthy twin when a failing hot upgrade is rolled back, and empties the failing one', async () => {
    const world = new SidecarSetCluster(aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1')] }), 2);
    world.kubelet.broken = new Set(['mesh:bad']);
    await world.run(2);
    world.change({ containers: [aHotSidecar('mesh', 'mesh:bad')] });
    await world.run(6);
    expect(counts(world)).toEqual([2, 1, 1, 0]);
    world.change({ containers: [aHotSidecar('mesh', 'mesh:1')] });
    await world.run(12);
    expect(world.pods.map(imagesOf)).toEqual(Array.from({ length: 2 }, () => ['mesh:1', emptyImage, 'app:1']));
    expect(counts(world)).toEqual([2, 2, 2, 2]);
    const [failed] = world.pods.filter(({ status }) => status?.containerStatuses?.some(({ restartCount }) => restartCount > 0));
    expect(failed?.status?.containerStatuses?.find(({ name }) => name === 'mesh-1')?.restartCount).toBe(0);
    await world.manager.stop();
  });

  it('takes one Pod down for an image that cannot be pulled, and continues with one that can', async () => {
    const world = new SidecarSetCluster(aSidecarSet(), 2);
    world.kubelet.broken = new Set(['side:bad']);
    world.change({ containers: [aSidecar('side', 'side:bad')] });
    await world.run(8);
    expect(counts(world)).toEqual([2, 1, 1, 0]);
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.run(12);
    expect(counts(world)).toEqual([2, 2, 2, 2]);
    expect(world.pods.map((pod) => conditionOf(pod)?.status)).toEqual(['True', 'True']);
    await world.manager.stop();
  });

  it('says so in Pods and an event when more than images changed, and takes it back', async () => {
    const first = aSidecarSet();
    const world = new SidecarSetCluster(first, 2);
    await world.run(1);
    world.change({ containers: [aSidecar('side', 'side:1', { env: [{ name: 'A', value: 'b' }] })] });
    await world.run(4);
    expect(counts(world)).toEqual([2, 0, 2, 0]);
    expect(world.pods.map(conditionOf)).toEqual(
      Array.from(
        { length: 2 },
        () => expect.objectContaining({ status: 'False', reason: 'UpdateImmutableField', message: '{"set":false}' }) as unknown,
      ),
    );
    expect(world.manager.events).toEqual([
      {
        about: 'set',
        type: 'Normal',
        reason: 'NotUpgradablePods',
        message: 'SidecarSet in-place update detected 2 not upgradable pod(s) in this round, will skip them.',
      },
    ]);
    world.change({ containers: first.spec.containers ?? [] });
    await world.run(3);
    expect(world.pods.map((pod) => conditionOf(pod)?.message)).toEqual(['{"set":true}', '{"set":true}']);
    await world.manager.stop();
  });

  it('shares the condition with the other SidecarSets of the Pod', async () => {
    const [first, second] = [
      aSidecarSet({ name: 'first', containers: [aSidecar('a', 'a:1')] }),
      aSidecarSet({ containers: [aSidecar('b', 'b:1')] }),
    ];
    const world = new SidecarSetCluster(second, 0);
    const { metadata } = world.api.seed(sidecarSets, asNew(first));
    world.api.seed(pods, asNew(anInjectedPod([{ ...first, metadata }, world.sidecarSet], { name: 'pod-1' })));
    const held = () => world.api.peek(sidecarSets, { namespace: '', name: 'first' }) as typeof first;
    await world.run(1);
    const { spec } = first;
    const odd = { ...held(), spec: { ...spec, containers: [aSidecar('a', 'a:1', { args: ['x'] })] } };
    const { changed } = await import('@kruise/kinds/sidecarset/testing');
    world.api.seed(sidecarSets, changed(odd, {}));
    world.change({ containers: [aSidecar('b', 'b:2')] });
    await world.run(6);
    expect(conditionOf(world.pod('pod-1'))).toMatchObject({ status: 'False', message: '{"first":false,"set":true}' });
    world.api.seed(sidecarSets, changed({ ...held(), spec }, {}));
    await world.run(4);
    expect(conditionOf(world.pod('pod-1'))).toMatchObject({ status: 'True', message: '{"first":true,"set":true}' });
    await world.manager.stop();
  });

  it('continues with other Pods if one is refused, and retries that one', async () => {
    let refusing = true;
    const refusal = new ApiError('the budget of the Pods is used up', { kind: 'Forbidden' }, { code: 403 });
    const world = new SidecarSetCluster(aSidecarSet({ strategy: { maxUnavailable: '100%' } }), 3, {
      before: ({ verb, key, subresource }) => {
        if (refusing && verb === 'patch' && key.name === 'pod-1' && subresource === '') throw refusal;
      },
    });
    await world.run(1);
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.run(4);
    expect(world.pods.map((pod) => imagesOf(pod)[0])).toEqual(['side:1', 'side:2', 'side:2']);
    refusing = false;
    await world.run(60);
    expect(counts(world)).toEqual([3, 3, 3, 3]);
    await world.manager.stop();
  });

  it('reports once for each change that a guard keeps its Pods, and continues when the guard releases them', async () => {
    let left = 0;
    const mayUpdate = (): Promise<UpdateAnswer> =>
      Promise.resolve(left-- > 0 ? { kind: 'Allowed' } : { kind: 'Refused', why: 'nothing is left' });
    const world = new SidecarSetCluster(aSidecarSet({ strategy: { maxUnavailable: '100%' } }), 3, {
      gates: { PodUnavailableBudgetUpdateGate: true },
      guards: [{ updateGuard: () => ({ mayUpdate }) }],
    });
    await world.run(1);
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.run(4);
    expect(world.pods.map((pod) => imagesOf(pod)[0])).toEqual(['side:1', 'side:1', 'side:1']);
    left = 1;
    await world.run(4);
    const events = world.manager.events.filter(({ reason }) => reason === 'BudgetRefuses');
    expect(events).toEqual([
      { about: 'set', type: 'Warning', reason: 'BudgetRefuses', message: 'Pod pod-1 may not be updated now: nothing is left' },
    ]);
    left = 99;
    await world.run(10);
    expect(counts(world)).toEqual([3, 3, 3, 3]);
    left = 0;
    world.change({ containers: [aSidecar('side', 'side:3')] });
    await world.run(4);
    expect(world.manager.events.filter(({ reason }) => reason === 'BudgetRefuses')).toHaveLength(2);
    await world.manager.stop();
  });

  it('updates one burst of Pods in a pass, and the others in the next one', async () => {
    const order: string[] = [];
    const world = new SidecarSetCluster(aSidecarSet({ strategy: { maxUnavailable: '100%' } }), 520, {
      before: ({ verb, type, subresource }) => {
        if (verb === 'patch' && type === pods && subresource === '') order.push('update');
        if (type === sidecarSets && subresource === 'status') order.push('status');
      },
    });
    await world.run(1);
    order.length = 0;
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.manager.settle();
    const passes = order
      .join(' ')
      .split('status')
      .map((pass) => pass.split('update').length - 1);
    expect(passes.filter((updates) => updates > 0)).toEqual([500, 20]);
    await world.manager.stop();
  });

  it('continues immediately when a chosen Pod is deleted', async () => {
    const world = new SidecarSetCluster(aSidecarSet(), 3, {
      before: ({ verb, key, subresource }) => {
        if (verb === 'patch' && key.name === 'pod-1' && subresource === '') void world.api.delete(pods, key, { gracePeriodSeconds: 0 });
      },
    });
    await world.run(1);
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.run(12);
    expect(world.pods.map(({ metadata }) => metadata.name)).toEqual(['pod-2', 'pod-3']);
    expect(counts(world)).toEqual([2, 2, 2, 2]);
    await world.manager.stop();
  });

  it('updates nothing more while it does not know whether a write took effect', async () => {
    let lost = 0;
    const world = new SidecarSetCluster(aSidecarSet(), 2);
    await world.run(1);
    const { after } = world.api.faults;
    expect(after).toBeUndefined();
    await world.manager.stop();
    world.begin({
      before: ({ verb, key, subresource }) => {
        if (verb !== 'patch' || subresource !== '' || !key.name.startsWith('pod-') || lost > 0) return;
        lost++;
        throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
      },
    });
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.run(20);
    expect(lost).toBe(1);
    expect(counts(world)).toEqual([2, 2, 2, 2]);
    await world.manager.stop();
  });

  it('updates nothing more while its cache does not show a write whose answer was lost', async () => {
    let lost = 0;
    const world = new SidecarSetCluster(aSidecarSet(), 2);
    await world.run(1);
    await world.manager.stop();
    world.begin({
      before: ({ verb, key, subresource, body }) => {
        if (verb !== 'patch' || subresource !== '' || !key.name.startsWith('pod-') || lost > 0) return;
        lost++;
        world.api.holdWatches();
        void world.api.patch(pods, key, body, { type: 'strategic' });
        throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
      },
    });
    await world.manager.settle();
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.run(10);
    expect(lost).toBe(1);
    expect(world.pods.map((pod) => imagesOf(pod)[0]).toSorted()).toEqual(['side:1', 'side:2']);
    world.api.releaseWatches();
    await world.run(20);
    expect(counts(world)).toEqual([2, 2, 2, 2]);
    await world.manager.stop();
  });

  it('writes to a Pod twice for its first version, and once for each later one', async () => {
    const world = new SidecarSetCluster(aSidecarSet(), 3);
    await world.run(2);
    const written: number[] = [];
    for (const image of ['side:2', 'side:3']) {
      const before = world.api.calls.length;
      world.change({ containers: [aSidecar('side', image)] });
      await world.run(12);
      written.push(world.api.calls.slice(before).filter((call) => isWrite(call) && call.type?.kind === 'Pod').length);
    }
    expect(counts(world)).toEqual([3, 3, 3, 3]);
    expect(written).toEqual([6, 3]);
    await world.manager.stop();
  });

  it('brings a Pod up to date that a replica of the webhook injected from an older state', async () => {
    const world = new SidecarSetCluster(aSidecarSet(), 1);
    await world.run(1);
    const old = world.sidecarSet;
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.run(4);
    world.api.seed(pods, asNew(anInjectedPod(old, { name: 'pod-2' })));
    await world.run(6);
    expect(world.pods.map(imagesOf)).toEqual(Array.from({ length: 2 }, () => ['side:2', 'app:1']));
    expect(counts(world)).toEqual([2, 2, 2, 2]);
    await world.manager.stop();
  });

  it('leaves the Pods as they are when it is deleted in the middle of an update', async () => {
    const world = new SidecarSetCluster(aSidecarSet(), 3);
    await world.run(1);
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.manager.settle();
    await world.api.delete(sidecarSets, { namespace: '', name: 'set' });
    const before = world.api.calls.length;
    await world.run(10);
    expect(world.pods.map((pod) => imagesOf(pod)[0]).toSorted()).toEqual(['side:1', 'side:1', 'side:2']);
    expect(world.api.calls.slice(before).filter(isWrite)).toEqual([]);
    await world.manager.stop();
  });

  it('does not fight with another SidecarSet that has a container of the same name', async () => {
    const world = new SidecarSetCluster(aSidecarSet({ name: 'set', containers: [aSidecar('side', 'side:1')] }), 0);
    const rival = aSidecarSet({ name: 'rival', containers: [aSidecar('side', 'rival:1')] });
    const { metadata } = world.api.seed(sidecarSets, asNew(rival));
    const pod = anInjectedPod([world.sidecarSet, { ...rival, metadata }], { name: 'pod-1' });
    const [side, , main] = pod.spec.containers;
    const statuses = (pod.status?.containerStatuses ?? []).filter((_, i) => i !== 1);
    world.api.seed(
      pods,
      asNew({ ...pod, spec: { ...pod.spec, containers: [side!, main!] }, status: { ...pod.status, containerStatuses: statuses } }),
    );
    await world.run(2);
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.run(10);
    expect(imagesOf(world.pod('pod-1'))).toEqual(['side:2', 'app:1']);
    expect(world.pod('pod-1').status?.containerStatuses?.[0]?.restartCount).toBe(1);
    await world.manager.stop();
  });

  it('only counts when it is of type NotUpdate, and follows the Pods lazily', async () => {
    const world = new SidecarSetCluster(aSidecarSet({ strategy: { type: 'NotUpdate' } }), 0);
    const pod = anInjectedPod(world.sidecarSet, { name: 'pod-1', ready: false, phase: 'Pending' });
    world.api.seed(pods, asNew(pod));
    await world.run(10);
    expect(counts(world)).toEqual([1, 1, 0, 0]);
    await world.run(60);
    expect(counts(world)).toEqual([1, 1, 1, 1]);
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.run(10);
    expect(counts(world)).toEqual([1, 0, 1, 0]);
    expect(imagesOf(world.pod('pod-1'))).toEqual(['side:1', 'app:1']);
    await world.manager.stop();
  });

  it('stops and continues with paused', async () => {
    const world = new SidecarSetCluster(aSidecarSet(), 2);
    await world.run(1);
    world.change({ containers: [aSidecar('side', 'side:2')] });
    await world.manager.settle();
    world.change({ updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, paused: true } });
    await world.run(8);
    expect(counts(world)).toEqual([2, 1, 2, 1]);
    world.change({ updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, paused: false } });
    await world.run(8);
    expect(counts(world)).toEqual([2, 2, 2, 2]);
    await world.manager.stop();
  });

  it('takes over the revision that a SidecarSet of the same name left behind', async () => {
    const world = new SidecarSetCluster(aSidecarSet(), 1);
    await world.run(1);
    const [left] = revisionsIn(world);
    const { metadata, ...rest } = world.sidecarSet;
    await world.api.delete(sidecarSets, { namespace: '', name: 'set' });
    await world.run(1);
    const again = world.api.seed(sidecarSets, asNew({ ...rest, metadata }));
    await world.run(2);
    expect(again.metadata.uid).not.toBe(metadata.uid);
    const [held, ...more] = revisionsIn(world);
    expect(more).toEqual([]);
    expect(held?.metadata.name).toBe(left?.metadata.name);
    expect(held?.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([again.metadata.uid]);
    await world.manager.stop();
  });

  it('becomes the owner of revisions that have none, unless it is being deleted', async () => {
    const world = new SidecarSetCluster(aSidecarSet(), 1);
    await world.run(1);
    const [held] = revisionsIn(world) as [ControllerRevision];
    const { ownerReferences, ...metadata } = held.metadata;
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other' };
    world.api.seed(controllerRevisions, { ...held, metadata: { ...metadata, ownerReferences: [other] } });
    await world.run(1);
    const owners = (): unknown => revisionsIn(world)[0]?.metadata.ownerReferences;
    expect(owners()).toEqual([other]);
    world.change({ revisionHistoryLimit: 9 });
    await world.run(1);
    expect(owners()).toEqual([other, ...(ownerReferences ?? [])]);
    await world.manager.stop();
  });

  it('leaves revisions alone that became orphans because it is being deleted, which its cache does not know yet', async () => {
    const sidecarSet = aSidecarSet();
    const world = new SidecarSetCluster({ ...sidecarSet, metadata: { ...sidecarSet.metadata, finalizers: ['orphan'] } }, 1);
    await world.run(1);
    const [held] = revisionsIn(world) as [ControllerRevision];
    await world.manager.stop();
    const { ownerReferences: _removed, ...metadata } = held.metadata;
    world.api.seed(controllerRevisions, { ...held, metadata });
    let asked = 0;
    const before = ({ verb, type }: FakeCall): void => {
      if (verb !== 'get' || type?.kind !== 'SidecarSet') return;
      asked++;
      void world.api.delete(sidecarSets, { namespace: '', name: 'set' });
    };
    world.begin({ before });
    await world.manager.settle();
    expect(asked).toBe(1);
    expect(world.sidecarSet.metadata.deletionTimestamp).toBeDefined();
    expect(revisionsIn(world)[0]?.metadata.ownerReferences).toBeUndefined();
    await world.manager.stop();
  });

  it('lets go of Pods whose namespace does not match any more at the next look', async () => {
    const world = new SidecarSetCluster(aSidecarSet({ spec: { namespaceSelector: { matchLabels: { inject: 'yes' } } } }), 1);
    await world.run(1);
    expect(counts(world)).toEqual([0, 0, 0, 0]);
    const namespace = world.api.peek(namespaces, { namespace: '', name: 'default' });
    world.api.seed(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { ...namespace?.metadata, name: 'default', labels: { inject: 'yes' } },
    });
    await world.run(1);
    world.change({ revisionHistoryLimit: 9 });
    await world.run(1);
    expect(counts(world)).toEqual([1, 1, 1, 1]);
    await world.manager.stop();
  });
});
