import { describe, expect, it } from '@jest/globals';
import type { StoreEvent } from '@kruise/kube';
import { keyOf, type Pod } from '@kruise/objects';
import { legacyPlainHash, metadataEnvHash, plainHash, runtimeMetaOf, type RuntimeContainerMeta } from '@kruise/pods';
import { newestOfEach, runtimeNameOf } from '../containers/observe-containers.ts';
import { aContainer, aNodePod, app, fromAnnotation, type ContainerShape, type PodShape } from '../testing.ts';
import { planMeta, planReport, withEnvHashes, withoutEnvHash } from './plan-meta.ts';
import { planRestarts } from './plan-restart.ts';
import { isReportable, requestsOfPod } from './plan-triggers.ts';

const containerd = { name: 'containerd' };
const appMeta: RuntimeContainerMeta = {
  name: 'app',
  containerID: 'containerd://app-1',
  restartCount: 0,
  plainHash: plainHash(app),
  metadataEnvHash: metadataEnvHash(app, aNodePod().metadata),
};
const side = { name: 'a-side', image: 'side:1' };
const sideMeta: RuntimeContainerMeta = {
  ...appMeta,
  name: 'a-side',
  containerID: 'containerd://side-1',
  plainHash: plainHash(side),
  metadataEnvHash: 86995377,
};
const running = (...shapes: readonly ContainerShape[]) => newestOfEach(containerd, shapes.map(aContainer));

const updated = (shape: PodShape, before: PodShape = shape): StoreEvent<Pod> => ({
  kind: 'Updated',
  object: aNodePod(shape),
  previous: aNodePod(before),
});
const withoutStatus = ({ status: _none, ...pod }: Pod): Pod => pod;
/** The container has a status, and no id yet. */
const notStarted = (pod: Pod, name: string): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    containerStatuses: (pod.status?.containerStatuses ?? []).map(({ containerID, ...status }) =>
      status.name === name || containerID === undefined ? status : { ...status, containerID },
    ),
  },
});
const updatedAs = (change: (pod: Pod) => Pod): StoreEvent<Pod> => ({
  kind: 'Updated',
  object: change(aNodePod()),
  previous: aNodePod(),
});
const added = (shape: PodShape): StoreEvent<Pod> => ({ kind: 'Added', object: aNodePod(shape), initial: true });

describe('a Pod is examined', () => {
  it.each<{ name: string; event: StoreEvent<Pod>; withEnv?: boolean; enqueued: boolean }>([
    { name: 'not when it appears without meta: no burst of writes at start', event: added({}), enqueued: false },
    { name: 'when it is updated and has no meta', event: updated({}), enqueued: true },
    {
      name: 'when it appears without meta in the middle of an update',
      event: added({ inPlaceUpdateReady: 'False' }),
      enqueued: true,
    },
    { name: 'not when it appears without meta after one', event: added({ inPlaceUpdateReady: 'True' }), enqueued: false },
    { name: 'not when its meta is complete', event: added({ metas: [appMeta] }), enqueued: false },
    {
      name: 'when it appears and its container is another',
      event: added({ metas: [{ ...appMeta, containerID: 'containerd://app-0' }] }),
      enqueued: true,
    },
    { name: 'when its environment hash was never read', event: added({ metas: [{ ...appMeta, metadataEnvHash: 0 }] }), enqueued: true },
    {
      name: 'not for its environment when the gate is off',
      event: updated({ metas: [{ ...appMeta, metadataEnvHash: 0 }] }),
      withEnv: false,
      enqueued: false,
    },
    {
      name: 'when an annotation that its environment reads changes',
      event: updated({ metas: [appMeta], annotations: { cfg: 'two' } }, { metas: [appMeta] }),
      enqueued: true,
    },
    {
      name: 'when an annotation that its environment reads changes back to what runs',
      event: updated({ metas: [appMeta] }, { metas: [appMeta], annotations: { cfg: 'two' } }),
      enqueued: true,
    },
    {
      name: 'not when another annotation changes',
      event: updated({ metas: [appMeta], annotations: { other: 'x' } }, { metas: [appMeta] }),
      enqueued: false,
    },
    {
      name: 'when a container was added to its spec',
      event: updated({ metas: [appMeta], containers: [app, side] }, { metas: [appMeta] }),
      enqueued: true,
    },
    {
      name: 'when one of its containers is another',
      event: added({
        containers: [app, side],
        ids: { app: 'containerd://app-1', 'a-side': 'containerd://side-2' },
        metas: [appMeta, sideMeta],
      }),
      enqueued: true,
    },
    { name: 'when there are more entries than containers', event: updated({ metas: [appMeta, sideMeta] }), enqueued: true },
    {
      name: 'not when statuses and spec are in different orders: entries are paired by name',
      event: added({
        containers: [app, side],
        ids: { app: 'containerd://app-1', 'a-side': 'containerd://side-1' },
        metas: [appMeta, sideMeta],
      }),
      enqueued: false,
    },
    { name: 'not while it is being deleted', event: updated({ deleting: true }), enqueued: false },
    { name: 'not before it has statuses', event: updated({ ids: {} }), enqueued: false },
    { name: 'not when it is of no kind of ours', event: updated({ owned: false }), enqueued: false },
    {
      name: 'when it has an injected sidecar',
      event: updated({ owned: false, annotations: { 'kruise.io/sidecarset-hash': '{}' } }),
      enqueued: true,
    },
    { name: 'not when it was deleted', event: { kind: 'Deleted', object: aNodePod({ inPlaceUpdateReady: 'False' }) }, enqueued: false },
    {
      name: 'when its only entry is of another container',
      event: added({ metas: [sideMeta] }),
      enqueued: true,
    },
    {
      name: 'not for a container that is no longer in its spec: its environment is unspecified',
      event: added({ containers: [side], metas: [{ ...appMeta, metadataEnvHash: 0 }] }),
      enqueued: false,
    },
    {
      name: 'not for a container that has no id yet',
      event: {
        kind: 'Added',
        initial: true,
        object: notStarted(
          aNodePod({ containers: [app, side], ids: { app: 'containerd://app-1', 'a-side': '' }, metas: [appMeta, sideMeta] }),
          'a-side',
        ),
      },
      enqueued: false,
    },
    {
      name: 'not for a container whose id is empty yet',
      event: added({ containers: [app, side], ids: { app: 'containerd://app-1', 'a-side': '' }, metas: [appMeta, sideMeta] }),
      enqueued: false,
    },
    {
      name: 'not when a kind of Kubernetes controls it',
      event: updatedAs((pod) => ({
        ...pod,
        metadata: {
          ...pod.metadata,
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'owner', controller: true }],
        },
      })),
      enqueued: false,
    },
    {
      name: 'not when it has neither owner nor annotations',
      event: updatedAs(({ metadata: { annotations: _none, ownerReferences: _nobody, ...metadata }, ...pod }) => ({ ...pod, metadata })),
      enqueued: false,
    },
    { name: 'not before it has a status', event: updatedAs(withoutStatus), enqueued: false },
  ])('$name', ({ event, withEnv = true, enqueued }) => {
    expect(requestsOfPod(event, withEnv)).toEqual(enqueued ? [{ key: keyOf(event.object), after: 1000 }] : []);
  });

  it('only when there is something to report about it', () => {
    expect(isReportable(aNodePod())).toBe(true);
    expect(isReportable(aNodePod({ deleting: true }))).toBe(false);
  });
});

describe('the report', () => {
  it('has the newest instance of each container, in the order of the statuses', () => {
    const pod = aNodePod({ containers: [app, side], ids: { app: 'containerd://app-1', 'a-side': '' } });
    const containers = running(
      { id: 'app-1', createdAt: '99' },
      { id: 'app-2', createdAt: '100', restartCount: 1 },
      { id: 'side-1', spec: side },
    );
    expect(planMeta(pod, containers)).toEqual([
      { name: 'a-side', containerID: 'containerd://side-1', restartCount: 0, plainHash: plainHash(side), metadataEnvHash: 0 },
      { name: 'app', containerID: 'containerd://app-2', restartCount: 1, plainHash: plainHash(app), metadataEnvHash: 0 },
    ]);
  });

  it('keeps what was reported about an instance', () => {
    const said = { ...appMeta, restartCount: 7, plainHash: 5 };
    expect(planMeta(aNodePod({ metas: [said] }), running({}))).toEqual([said]);
  });

  it('omits what is not in the spec, has no status or is unknown to the runtime', () => {
    expect(planMeta(aNodePod({ containers: [side], ids: { app: 'containerd://app-1' } }), running({}))).toEqual([]);
    expect(planMeta(aNodePod({ containers: [app, side] }), running({}, { id: 's', spec: side }))).toMatchObject([{ name: 'app' }]);
    expect(planMeta(aNodePod(), running())).toEqual([]);
    expect(planMeta(withoutStatus(aNodePod()), running({}))).toEqual([]);
  });

  it('requests environments of running containers that were not read', () => {
    const metas = planMeta(aNodePod(), running({}));
    expect(withoutEnvHash(metas, running({}))).toHaveLength(1);
    expect(withoutEnvHash(metas, running({ state: 'CONTAINER_EXITED' }))).toHaveLength(0);
    expect(withoutEnvHash([appMeta], running({}))).toHaveLength(0);
    expect(withoutEnvHash(metas, running())).toHaveLength(0);
    expect(withEnvHashes(metas, new Map([['app', 7]]))).toMatchObject([{ metadataEnvHash: 7 }]);
    expect(withEnvHashes([appMeta], new Map())).toEqual([appMeta]);
  });

  it('is written only when it contains something new, to exactly that Pod', () => {
    expect(planReport(aNodePod({ metas: [appMeta] }), [appMeta])).toBeUndefined();
    expect(planReport(aNodePod(), [])).toBeUndefined();
    expect(planReport(aNodePod({ metas: [{ ...appMeta, restartCount: 1 }] }), [appMeta])).toEqual(planReport(aNodePod(), [appMeta]));
    expect(planReport(aNodePod({ metas: [appMeta] }), [])).toBeDefined();
    expect(planReport(aNodePod(), [appMeta])?.patch).toEqual({
      metadata: {
        uid: 'uid-web',
        annotations: {
          'apps.kruise.io/runtime-containers-meta': `{"containers":[{"name":"app","containerID":"containerd://app-1","restartCount":0,"hashes":{"plainHash":${appMeta.plainHash},"extractedEnvFromMetadataHash":${appMeta.metadataEnvHash}}}]}`,
        },
      },
    });
  });

  it('can be read again', () => {
    const pod = aNodePod({ metas: [appMeta, sideMeta] });
    expect(runtimeMetaOf(pod)).toEqual([appMeta, sideMeta]);
  });
});

describe('a container is restarted', () => {
  const wanted = { inPlaceUpdateReady: 'False', annotations: { cfg: 'two' } } as const;
  it.each<{ name: string; pod?: PodShape; meta?: Partial<RuntimeContainerMeta>; container?: ContainerShape; restarts: boolean }>([
    { name: 'when an in-place update changed what its environment reads', restarts: true },
    { name: 'not when the same was changed by hand', pod: { ...wanted, inPlaceUpdateReady: 'True' }, restarts: false },
    { name: 'not in a Pod that was never updated in place', pod: { annotations: { cfg: 'two' } }, restarts: false },
    { name: 'not when it runs with the present values', pod: { ...wanted, annotations: { cfg: 'one' } }, restarts: false },
    { name: 'not when its environment is unknown', meta: { metadataEnvHash: 0 }, restarts: false },
    {
      name: 'not by us when its image changed too: the kubelet will',
      pod: { ...wanted, containers: [{ ...app, image: 'app:2' }] },
      restarts: false,
    },
    { name: 'not when the entry is of an older instance', container: { id: 'app-2' }, restarts: false },
    { name: 'not when it has ended', container: { state: 'CONTAINER_EXITED' }, restarts: false },
    { name: 'not when the Pod is being deleted', pod: { ...wanted, deleting: true }, restarts: false },
    { name: 'not when the runtime does not know it', container: { spec: side }, restarts: false },
    { name: 'also when its hash is of an older kubelet', meta: { plainHash: legacyPlainHash(app) }, restarts: true },
  ])('$name', ({ pod = wanted, meta = {}, container = {}, restarts }) => {
    const planned = planRestarts(aNodePod(pod), [{ ...appMeta, ...meta }], running(container));
    expect(planned.map(({ name, containerID }) => [name, containerID])).toEqual(restarts ? [['app', 'containerd://app-1']] : []);
  });

  it('alone, not with its neighbours', () => {
    const second = { name: 'b', image: 'b:1', env: [fromAnnotation('B', 'b')] };
    const pod = aNodePod({ inPlaceUpdateReady: 'False', containers: [app, second, side], annotations: { cfg: 'two', b: 'x' } });
    const metas = [
      sideMeta,
      appMeta,
      {
        ...appMeta,
        name: 'b',
        containerID: 'containerd://b-1',
        plainHash: plainHash(second),
        metadataEnvHash: metadataEnvHash(second, pod.metadata),
      },
    ];
    const containers = running({}, { id: 'b-1', spec: second }, { id: 'side-1', spec: side });
    expect(planRestarts(pod, metas, containers).map(({ name }) => name)).toEqual(['app']);
  });

  it('not without an entry of its own', () => {
    expect(planRestarts(aNodePod(wanted), [sideMeta], running({}))).toEqual([]);
  });

  it('with a reason in words', () => {
    expect(planRestarts(aNodePod(wanted), [appMeta], running({}))[0]?.because).toMatch(
      /^its environment has hash \d+, the Pod's metadata gives \d+$/,
    );
  });
});

describe('the runtime of a Pod', () => {
  it('is that of its first container with an id', () => {
    expect(runtimeNameOf(aNodePod({ ids: { a: '', b: 'cri-o://x' } }))).toBe('cri-o');
    expect(runtimeNameOf(aNodePod({ ids: { a: '' } }))).toBeUndefined();
    expect(runtimeNameOf(aNodePod({ ids: { a: 'nonsense' } }))).toBeUndefined();
  });
});
