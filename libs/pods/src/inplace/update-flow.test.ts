import { describe, expect, it } from '@jest/globals';
import type { Instant, Pod } from '@kruise/objects';
import { cloneSetRevisions } from '../revision/revision-adapter.ts';
import { aPod, at, condition, noon, readyConditions } from '../testdata/build.ts';
import { type ApplyContext, type ResourceWriting, applyUpdate, resourceWritingFor } from './apply-update.ts';
import { containersCompletion, updateCompletion } from './state/completion.ts';
import { launchPriority } from './container-batch.ts';
import { isSameImageRef } from './state/image-ref.ts';
import { planRefresh } from './plan-refresh.ts';
import { afterResize, supportsResize } from './resize.ts';
import { formatRuntimeMeta, metadataEnvHash, plainHash } from './state/runtime-meta.ts';
import { mustLeaveService, startUpdate, takeOutOfService } from './start-update.ts';
import { type UpdateSpec, formatUpdateSpec } from './spec/update-spec.ts';
import { type InPlaceUpdateState, updateStateOf } from './state/update-state.ts';

const adapter = cloneSetRevisions(true);
const later = (seconds: number): Instant => (noon + seconds * 1000) as Instant;
const context = (now = noon, resources: ResourceWriting = 'Ignored') => ({ now, resources, adapter });
const barrier = (priority: number) => ({
  name: 'KRUISE_CONTAINER_BARRIER',
  valueFrom: { configMapKeyRef: { name: 'x-barrier', key: `p_${String(priority)}` } },
});
const fresh: InPlaceUpdateState = { revision: 'r-2', updateTimestamp: '2026-01-02T12:00:00Z', lastContainerStatuses: null };
const stateOf = (pod: Pod): InPlaceUpdateState => {
  const state = updateStateOf(pod);
  if (state.kind !== 'Parsed') throw new Error(state.kind);
  return state.value;
};
const status = (name: string, more: object = {}) => ({
  name,
  ready: true,
  image: `${name}:1`,
  imageID: `${name}@old`,
  containerID: `containerd://${name}`,
  restartCount: 0,
  ...more,
});
const images = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `${name}:2`]));
const apply = (pod: Pod, spec: Partial<UpdateSpec>, by: Partial<ApplyContext> = {}) =>
  applyUpdate(pod, spec, fresh, { now: noon, resources: 'Ignored', ...by });

describe('launchPriority', () => {
  it.each([
    ['p_10', 10],
    ['p_-5', -5],
    ['p_', undefined],
    ['10', undefined],
  ])('of barrier key %s is %p', (key, expected) => {
    expect(launchPriority({ name: 'a', env: [{ name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { key } } }] })).toBe(
      expected,
    );
  });
});

describe('applyUpdate', () => {
  const redis = { name: 'redis', image: 'redis:1', env: [barrier(10)] };
  const nginx = { name: 'nginx', image: 'nginx:1', env: [barrier(0)] };

  it('changes everything in one batch without priorities and keeps the image ids', () => {
    const pod = aPod({
      containers: [
        { name: 'a', image: 'a:1' },
        { name: 'b', image: 'b:1' },
      ],
      statuses: [status('b'), status('a')],
    });
    const { pod: changed, state } = apply(pod, { containerImages: images('b', 'a', 'gone') });
    expect(changed.spec.containers).toMatchObject([{ image: 'a:2' }, { image: 'b:2' }]);
    expect(state).toEqual({
      ...fresh,
      lastContainerStatuses: { a: { imageID: 'a@old' }, b: { imageID: 'b@old' } },
      containerBatchesRecord: [{ timestamp: '2026-01-02T12:00:00Z', containers: ['a', 'b'] }],
    });
    expect(stateOf(changed)).toEqual(state);
    expect(pod.spec.containers).toMatchObject([{ image: 'a:1' }, { image: 'b:1' }]);
  });

  it('changes the highest priority first and leaves the rest for later', () => {
    const { pod, state } = apply(aPod({ containers: [nginx, redis] }), { containerImages: images('nginx', 'redis') });
    expect(pod.spec.containers).toMatchObject([{ image: 'nginx:1' }, { image: 'redis:2' }]);
    expect(state).toMatchObject({
      nextContainerImages: { nginx: 'nginx:2' },
      preCheckBeforeNext: { containersRequiredReady: ['redis'] },
      containerBatchesRecord: [{ containers: ['redis'] }],
    });
  });

  it('changes containers without a priority together with the highest', () => {
    const { state } = apply(aPod({ containers: [nginx, redis, { name: 'x', image: 'x:1' }] }), {
      containerImages: images('nginx', 'redis', 'x'),
    });
    expect(state.containerBatchesRecord).toMatchObject([{ containers: ['redis', 'x'] }]);
  });

  it('changes containers that share a label together, through others too', () => {
    const containers = [10, 5, 3, 1].map((priority, i) => ({ name: `c${String(i)}`, env: [barrier(priority)] }));
    const { pod, state } = apply(aPod({ containers }), {
      containerRefMetadata: {
        c0: { labels: { k: '1' } },
        c2: { labels: { k: '1' }, annotations: { m: '1' } },
        c1: { annotations: { m: '1' } },
        c3: { annotations: { k: '1' } },
      },
    });
    expect(state.containerBatchesRecord).toMatchObject([{ containers: ['c0', 'c1', 'c2'] }]);
    expect(state.nextContainerRefMetadata).toEqual({ c3: { annotations: { k: '1' } } });
    expect(pod.metadata).toMatchObject({ labels: { k: '1' }, annotations: { m: '1' } });
    expect(pod.metadata.annotations).not.toHaveProperty('k');
  });

  it('applies a metadata patch and records an empty batch', () => {
    const pod = aPod({ labels: { old: '1', kept: '1' }, finalizers: ['f'] });
    const { pod: changed, state } = apply(pod, { metaDataPatch: { metadata: { labels: { old: null, fresh: '2' }, finalizers: ['g'] } } });
    expect(changed.metadata).toMatchObject({ labels: { kept: '1', fresh: '2' }, finalizers: ['f', 'g'] });
    expect(changed.metadata.labels).not.toHaveProperty('old');
    expect(state.containerBatchesRecord).toMatchObject([{ containers: [] }]);
  });

  it('keeps the image id from before the first change of this update', () => {
    const before = { ...fresh, lastContainerStatuses: { a: { imageID: 'first' } } };
    const { state } = applyUpdate(aPod({ statuses: [status('a')] }), { containerImages: images('a') }, before, context());
    expect(state.lastContainerStatuses).toEqual({ a: { imageID: 'first' } });
  });

  it('keeps the image id of every changed container, and of no other', () => {
    const containers = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    const before = { ...fresh, lastContainerStatuses: { a: { imageID: 'first' } } };
    const pod = aPod({ containers, statuses: [status('a'), status('b'), status('c')] });
    const { state } = applyUpdate(pod, { containerImages: images('a', 'b') }, before, context());
    expect(state.lastContainerStatuses).toEqual({ a: { imageID: 'first' }, b: { imageID: 'b@old' } });
  });

  it('keeps nothing of a container without a status', () => {
    expect(apply(aPod(), { containerImages: images('a') }).state.lastContainerStatuses).toBeNull();
  });

  it('keeps the previous batches in the record, and nothing of what they left', () => {
    const left: InPlaceUpdateState = {
      ...fresh,
      updateImages: true,
      nextContainerImages: { a: 'x' },
      nextContainerRefMetadata: { a: { labels: { x: '1' } } },
      nextContainerResources: { a: { limits: { cpu: '1' } } },
      preCheckBeforeNext: { containersRequiredReady: ['b'] },
      containerBatchesRecord: [{ timestamp: 'before', containers: ['b'] }],
    };
    expect(applyUpdate(aPod(), { containerImages: images('a') }, left, context()).state).toEqual({
      ...fresh,
      updateImages: true,
      containerBatchesRecord: [
        { timestamp: 'before', containers: ['b'] },
        { timestamp: '2026-01-02T12:00:00Z', containers: ['a'] },
      ],
    });
  });

  it.each<[string, Partial<UpdateSpec>, object]>([
    ['images', { containerImages: images('nginx') }, { nextContainerImages: { nginx: 'nginx:2' } }],
    [
      'metadata',
      { containerRefMetadata: { nginx: { labels: { x: '1' } } } },
      { nextContainerRefMetadata: { nginx: { labels: { x: '1' } } } },
    ],
    [
      'resources',
      { containerResources: { nginx: { limits: { cpu: '1' } } } },
      { nextContainerResources: { nginx: { limits: { cpu: '1' } } } },
    ],
  ])('requires the containers of the batch to be ready when only %s are left', (_name, wishes, next) => {
    const pod = aPod({ containers: [nginx, redis] });
    const spec = { ...wishes, containerImages: { ...wishes.containerImages, redis: 'redis:2' } };
    const { pod: changed, state } = apply(pod, spec, { resources: 'InSpec' });
    const { containerBatchesRecord: _record, ...rest } = state;
    expect(rest).toEqual({ ...fresh, ...next, preCheckBeforeNext: { containersRequiredReady: ['redis'] } });
    expect(changed.spec.containers).toEqual([nginx, { ...redis, image: 'redis:2' }]);
    expect(changed.metadata.labels).toEqual({});
  });

  it('changes only the required parts of the Pod', () => {
    const pod = aPod({ labels: { own: 'x' }, annotations: { own: 'y' }, containers: [redis, { name: 'x', image: 'x:1' }] });
    const { pod: changed } = apply(pod, { containerImages: { x: 'x:2' } });
    const { 'apps.kruise.io/inplace-update-state': _state, ...annotations } = changed.metadata.annotations ?? {};
    expect({ ...changed, metadata: { ...changed.metadata, annotations } }).toEqual({
      ...pod,
      spec: { ...pod.spec, containers: [redis, { name: 'x', image: 'x:2' }] },
    });
  });

  describe('resources', () => {
    const pod = aPod({ containers: [{ name: 'a', resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1' } } }] });
    const containerResources = { a: { limits: { cpu: '2', memory: '1024Mi' } } };

    it('are written into the spec on an older server', () => {
      const { pod: changed, resize } = apply(pod, { containerResources }, { resources: 'InSpec' });
      expect(changed.spec.containers[0]?.resources).toEqual({ limits: { cpu: '2', memory: '1024Mi' }, requests: { cpu: '1' } });
      expect(resize).toBeUndefined();
    });

    it('become a patch of the values that differ on a newer one, and the second write has the answer', () => {
      const { pod: changed, resize } = apply(pod, { containerResources }, { resources: 'BySubresource' });
      expect(resize).toEqual({ spec: { containers: [{ name: 'a', resources: { limits: { cpu: '2' } } }] } });
      expect(changed.spec).toEqual(pod.spec);
      const answer = {
        ...pod,
        metadata: { ...pod.metadata, resourceVersion: '8' },
        spec: { containers: [{ name: 'a', resources: { limits: { cpu: '2' } } }] },
      };
      expect(afterResize(changed, answer)).toMatchObject({
        metadata: { resourceVersion: '8' },
        spec: { containers: [{ resources: { limits: { cpu: '2' } } }] },
      });
    });

    it('need no patch when the Pod has them already', () => {
      expect(
        apply(pod, { containerResources: { a: { limits: { cpu: '1000m' } } } }, { resources: 'BySubresource' }).resize,
      ).toBeUndefined();
    });

    it('are ignored with the gate off, and form no batch', () => {
      const applied = apply(pod, { containerResources });
      const { pod: changed, state } = applied;
      expect(changed.spec).toEqual(pod.spec);
      expect(state.containerBatchesRecord).toEqual([{ timestamp: '2026-01-02T12:00:00Z', containers: [] }]);
      expect(applied).not.toHaveProperty('resize');
    });

    it('with the gate off do not delay the images and metadata beside them', () => {
      const spec = { containerResources, containerImages: images('a'), containerRefMetadata: { a: { labels: { x: '1' } } } };
      const { pod: changed } = apply(pod, spec);
      expect(changed.spec.containers).toEqual([{ ...pod.spec.containers[0], image: 'a:2' }]);
      expect(changed.metadata.labels).toEqual({ x: '1' });
    });

    it('of a container that has none yet are written whole', () => {
      const wanted = { a: { requests: { memory: '1Gi' } } };
      expect(apply(aPod(), { containerResources: wanted }, { resources: 'InSpec' }).pod.spec.containers[0]?.resources).toStrictEqual({
        requests: { memory: '1Gi' },
      });
      expect(apply(aPod(), { containerResources: wanted }, { resources: 'BySubresource' }).resize).toStrictEqual({
        spec: { containers: [{ name: 'a', resources: { requests: { memory: '1Gi' } } }] },
      });
    });

    it('of a container without any are those that are named', () => {
      const wanted = { a: { limits: { memory: '1Gi' } } };
      expect(apply(aPod(), { containerResources: wanted }, { resources: 'InSpec' }).pod.spec.containers[0]?.resources).toStrictEqual(
        wanted.a,
      );
    });

    it('keep amounts that are not named, and claims', () => {
      const held = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' }, claims: [{ name: 'c' }] };
      const claiming = aPod({ containers: [{ name: 'a', resources: held }] });
      const wanted = { a: { requests: { cpu: '500m' }, limits: { memory: '2Gi' } } };
      expect(apply(claiming, { containerResources: wanted }, { resources: 'InSpec' }).pod.spec.containers[0]?.resources).toStrictEqual({
        limits: { cpu: '1', memory: '2Gi' },
        requests: { cpu: '500m', memory: '1Gi' },
        claims: [{ name: 'c' }],
      });
    });

    it('are patched in the order of names, only for containers that differ', () => {
      const sized = (name: string, cpu: string) => ({ name, resources: { limits: { cpu } } });
      const given = aPod({ containers: [sized('c', '1'), sized('b', '2'), sized('a', '1'), sized('d', '1')] });
      const wanted = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { limits: { cpu: '2' } }]));
      expect(apply(given, { containerResources: wanted }, { resources: 'BySubresource' }).resize).toEqual({
        spec: { containers: [sized('a', '2'), sized('c', '2')] },
      });
    });

    it('of the answer to a resize are written with its version, and nothing else of it', () => {
      const [answered, own] = [
        {
          metadata: { name: 'other', resourceVersion: '8', generation: 4, labels: { x: '1' } },
          spec: { containers: [{ name: 'a', image: 'x' }] },
        },
        aPod({ containers: [{ name: 'a', image: 'a:2', resources: { limits: { cpu: '1' } } }, { name: 'b' }] }),
      ];
      const { containers } = own.spec;
      expect(afterResize(own, answered)).toEqual({ ...own, metadata: { ...own.metadata, resourceVersion: '8', generation: 4 } });
      const resized = { ...answered, metadata: { name: 'p' }, spec: { containers: [{ name: 'b', resources: { limits: { cpu: '3' } } }] } };
      expect(afterResize(own, resized)).toStrictEqual({
        ...own,
        spec: { ...own.spec, containers: [containers[0], { name: 'b', resources: { limits: { cpu: '3' } } }] },
      });
    });

    it.each<[boolean, string, ResourceWriting]>([
      [false, 'v1.34.0', 'Ignored'],
      [true, 'v1.34.0', 'BySubresource'],
      [true, 'v1.31.0', 'InSpec'],
    ])('with gate %p and server %s are %s', (gate, version, writing) => {
      expect(resourceWritingFor(gate, version)).toBe(writing);
    });

    it.each([
      ['v1.32.0', true],
      ['v0.40.0', false],
      ['v2.1.0', true],
      ['v1.x.0', false],
      ['v1.32.x', false],
      ['1.v32.0', false],
      ['vv1.32.0', false],
      ['1.32.4.7', true],
      ['1.34.4+k3s1', true],
      ['v1.32.3-eks-1', true],
      ['v1.31.9', false],
      ['1.32', false],
      ['garbage', false],
      ['', false],
      ['v2.0.0', true],
    ])('server %s resizes with the subresource: %p', (version, expected) => {
      expect(supportsResize(version)).toBe(expected);
    });
  });
});

describe('the start of an update', () => {
  const ready = aPod({
    labels: { 'controller-revision-hash': '1' },
    conditions: [condition('InPlaceUpdateReady', 'True'), condition('KruisePodReady', 'True'), ...readyConditions()],
  });
  const resizing: UpdateSpec = { revision: 'r-2', containerResources: { a: { requests: { memory: '1Gi' } } } };
  const restarting = (restartPolicy: string) =>
    aPod({
      containers: [
        {
          name: 'a',
          resizePolicy: [
            { resourceName: 'cpu', restartPolicy: 'RestartContainer' },
            { resourceName: 'memory', restartPolicy },
          ],
        },
      ],
    });

  const restartingOther = [
    { name: 'a', resizePolicy: [{ resourceName: 'memory', restartPolicy: 'NotRequired' }] },
    { name: 'b', resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] },
  ];

  it.each<[string, Pod, UpdateSpec, boolean, boolean]>([
    ['an image change', ready, { revision: 'r', containerImages: { a: 'a:2' } }, true, true],
    ['metadata alone', ready, { revision: 'r' }, true, true],
    ['a Pod without the gate', aPod({ gates: [] }), { revision: 'r', containerImages: { a: 'a:2' } }, true, false],
    ['resources that restart nothing', restarting('NotRequired'), resizing, true, false],
    ['resources that restart', restarting('RestartContainer'), resizing, true, true],
    ['cpu that restarts', restarting('NotRequired'), { revision: 'r', containerResources: { a: { limits: { cpu: '1' } } } }, true, true],
    [
      'memory of a container, where another one restarts',
      { ...restarting('RestartContainer'), spec: { ...restarting('RestartContainer').spec, containers: restartingOther } },
      resizing,
      true,
      false,
    ],
    [
      'memory of two containers, of which one restarts',
      { ...ready, spec: { ...ready.spec, containers: restartingOther } },
      { revision: 'r', containerResources: { a: { limits: { memory: '1Gi' } }, b: { limits: { memory: '1Gi' } } } },
      true,
      true,
    ],
    ['resources of a container without a policy', aPod(), resizing, true, false],
    ['resources and an environment', restarting('NotRequired'), { ...resizing, updateEnvFromMetadata: true }, true, true],
    ['resources and plain metadata', restarting('NotRequired'), { ...resizing, metaDataPatch: { metadata: {} } }, true, false],
    ['resources and empty images', restarting('NotRequired'), { ...resizing, containerImages: {} }, true, false],
    ['empty resources', restarting('NotRequired'), { revision: 'r', containerResources: {} }, true, true],
    ['resources and an image', restarting('NotRequired'), { ...resizing, containerImages: { a: 'a:2' } }, true, true],
    ['resources with the gate off', restarting('NotRequired'), resizing, false, true],
  ])('%s: leaves service %#', (_name, pod, ...[spec, scaling, expected]) => {
    expect(mustLeaveService(pod, spec, scaling)).toBe(expected);
  });

  it('sets InPlaceUpdateReady and Ready to False in one status', () => {
    const out = takeOutOfService(ready, noon);
    expect(out.status?.conditions).toEqual([
      { type: 'InPlaceUpdateReady', status: 'False', reason: 'StartInPlaceUpdate', lastTransitionTime: '2026-01-02T12:00:00Z' },
      condition('KruisePodReady', 'True'),
      condition('ContainersReady', 'True'),
      {
        type: 'Ready',
        status: 'False',
        reason: 'ReadinessGatesNotReady',
        message: 'the status of pod readiness gate "InPlaceUpdateReady" is not "True", but False',
        lastTransitionTime: '2026-01-02T12:00:00Z',
      },
    ]);
    expect(takeOutOfService(out, later(9))).toBe(out);
  });

  it('adds the condition when there is none, and leaves a Ready that is False unchanged', () => {
    const conditions = [condition('Ready', 'False'), condition('ContainersReady', 'True')];
    expect(takeOutOfService(aPod({ conditions }), noon).status?.conditions).toEqual([
      ...conditions,
      { type: 'InPlaceUpdateReady', status: 'False', reason: 'StartInPlaceUpdate', lastTransitionTime: '2026-01-02T12:00:00Z' },
    ]);
    const bare = { metadata: { name: 'p' }, spec: { containers: [] } };
    expect(takeOutOfService(bare, noon)).toEqual({
      ...bare,
      status: { conditions: [expect.objectContaining({ type: 'InPlaceUpdateReady', status: 'False' })] },
    });
  });

  it.each<[string, Partial<UpdateSpec>, Partial<InPlaceUpdateState>]>([
    ['nothing but the revision', {}, {}],
    ['images', { containerImages: { a: 'a:2' } }, { updateImages: true }],
    ['resources', { containerResources: { a: { limits: { cpu: '1' } } } }, { updateResources: true }],
    ['an environment', { updateEnvFromMetadata: true }, { updateEnvFromMetadata: true }],
    ['nothing, spelled out', { containerImages: {}, containerResources: {}, updateEnvFromMetadata: false }, {}],
  ])('notes in a new state that it changes %s', (_name, spec, flags) => {
    const { state } = startUpdate(aPod(), { revision: 'sample-2', ...spec }, context());
    const { containerBatchesRecord: _record, ...rest } = state;
    expect(rest).toStrictEqual({ revision: 'sample-2', updateTimestamp: '2026-01-02T12:00:00Z', lastContainerStatuses: null, ...flags });
  });

  it.each([
    [0, 0],
    [-1, 0],
    [1, 1000],
  ])('with %i seconds of grace is checked again after %i ms', (graceSeconds, requeueAfter) => {
    const started = startUpdate(ready, { revision: 'sample-2', containerImages: { a: 'a:2' }, graceSeconds }, context());
    expect(started.requeueAfter).toBe(requeueAfter);
    expect(started.pod.spec.containers).toMatchObject([{ image: graceSeconds > 0 ? 'a:1' : 'a:2' }]);
  });

  it('with grace replaces the legacy annotations, and notes no batch yet', () => {
    const legacy = {
      ...ready,
      metadata: { ...ready.metadata, annotations: { 'inplace-update-state': '{}', 'inplace-update-grace': '{}', own: 'x' } },
    };
    const { pod, state } = startUpdate(legacy, { revision: 'sample-2', containerImages: { a: 'a:2' }, graceSeconds: 1 }, context());
    expect(Object.keys(pod.metadata.annotations ?? {}).sort()).toEqual([
      'apps.kruise.io/inplace-update-grace',
      'apps.kruise.io/inplace-update-state',
      'own',
    ]);
    expect(state).not.toHaveProperty('containerBatchesRecord');
    expect(stateOf(pod)).toEqual(state);
  });

  it('writes the labels of the kind, and its own labels over them', () => {
    const alongside = { labels: { own: 'x', 'controller-revision-hash': 'x' }, annotations: { own: 'y' } };
    const { pod } = startUpdate(ready, { revision: 'sample-2', graceSeconds: 1 }, { ...context(), alongside });
    expect(pod.metadata.labels).toEqual({ own: 'x', 'controller-revision-hash': '2', 'pod-template-hash': '2' });
    expect(pod.metadata.annotations).toMatchObject({ own: 'y' });
  });

  it('changes labels, state and containers in one write without grace', () => {
    const alongside = { labels: { 'lifecycle.apps.kruise.io/state': 'Updating' } };
    const legacy = {
      ...ready,
      metadata: { ...ready.metadata, annotations: { 'inplace-update-state': '{}', 'inplace-update-grace': '{}' } },
    };
    const started = startUpdate(legacy, { revision: 'sample-2', containerImages: { a: 'a:2' } }, { ...context(), alongside });
    expect(started.pod.metadata.labels).toEqual({
      'controller-revision-hash': '2',
      'pod-template-hash': '2',
      'lifecycle.apps.kruise.io/state': 'Updating',
    });
    expect(Object.keys(started.pod.metadata.annotations ?? {})).toEqual(['apps.kruise.io/inplace-update-state']);
    expect(stateOf(started.pod)).toMatchObject({ revision: 'sample-2', updateTimestamp: '2026-01-02T12:00:00Z', updateImages: true });
    expect(started.pod.spec.containers).toMatchObject([{ image: 'a:2' }]);
    expect(started.requeueAfter).toBe(0);
  });

  it('changes the labels immediately and the containers after the grace period', () => {
    const spec: UpdateSpec = { revision: 'sample-2', containerImages: { a: 'a:2' }, graceSeconds: 30 };
    const { pod, requeueAfter } = startUpdate(ready, spec, context());
    expect(requeueAfter).toBe(30_000);
    expect(pod.spec).toEqual(ready.spec);
    expect(pod.metadata.labels?.['controller-revision-hash']).toBe('2');
    expect(pod.metadata.annotations?.['apps.kruise.io/inplace-update-grace']).toBe(formatUpdateSpec(spec));
    expect(updateCompletion(pod, false).kind).toBe('Incomplete');
    expect(planRefresh(pod, context(later(10.5)))).toEqual({ kind: 'Wait', remaining: 20_000 });
    expect(planRefresh(pod, context(later(29.999)))).toEqual({ kind: 'Wait', remaining: 1000 });
    const over = planRefresh(pod, context(later(30)));
    if (over.kind !== 'ApplyGrace') throw new Error(over.kind);
    expect(over.update.pod.spec.containers).toMatchObject([{ image: 'a:2' }]);
    expect(over.update.pod.metadata.annotations).not.toHaveProperty('apps.kruise.io/inplace-update-grace');
    expect(stateOf(over.update.pod)).toMatchObject({
      updateTimestamp: '2026-01-02T12:00:00Z',
      containerBatchesRecord: [{ timestamp: '2026-01-02T12:00:30Z' }],
    });
    const relabelled = { ...pod, metadata: { ...pod.metadata, labels: { 'controller-revision-hash': '1' } } };
    const dropped = planRefresh(relabelled, context());
    expect(dropped).toMatchObject({ kind: 'DropGrace', pod: { spec: ready.spec } });
    expect(dropped).not.toHaveProperty(['pod', 'metadata', 'annotations', 'apps.kruise.io/inplace-update-grace']);
  });
});

describe('planRefresh', () => {
  const gateOnly = { gates: ['InPlaceUpdateReady'] };

  it('makes a Pod ready that never was updated, and then finds nothing', () => {
    const step = planRefresh(aPod(gateOnly), context());
    if (step.kind !== 'SetReady') throw new Error(step.kind);
    expect(step.pod.status?.conditions).toEqual([
      { type: 'InPlaceUpdateReady', status: 'True', lastTransitionTime: '2026-01-02T12:00:00Z' },
    ]);
    expect(planRefresh(step.pod, context())).toEqual({ kind: 'Nothing' });
  });

  it('leaves a Pod without the gate unchanged', () => {
    expect(planRefresh(aPod({ gates: [] }), context())).toEqual({ kind: 'Nothing' });
  });

  it('clears a reason of a True condition', () => {
    const pod = aPod({ ...gateOnly, conditions: [condition('InPlaceUpdateReady', 'True', { reason: 'x' })] });
    expect(planRefresh(pod, context()).kind).toBe('SetReady');
  });

  it('sets True instead of False once the containers run as required, and lets the kubelet set Ready', () => {
    const conditions = [
      condition('InPlaceUpdateReady', 'False', { reason: 'StartInPlaceUpdate' }),
      condition('Ready', 'False'),
      condition('ContainersReady', 'True'),
    ];
    const text = '{"revision":"r","updateTimestamp":"2026-01-02T12:00:00Z","lastContainerStatuses":null}';
    const step = planRefresh(aPod({ ...gateOnly, conditions, annotations: { 'apps.kruise.io/inplace-update-state': text } }), context());
    expect(step.kind === 'SetReady' && step.pod.status?.conditions).toEqual([
      { type: 'InPlaceUpdateReady', status: 'True', lastTransitionTime: '2026-01-02T12:00:00Z' },
      ...conditions.slice(1),
    ]);
  });

  it.each<[string, object, string]>([
    ['True, without a reason and a message', {}, 'Nothing'],
    ['True, with an empty reason and message', { reason: '', message: '' }, 'Nothing'],
    ['True, with a reason', { reason: 'x' }, 'SetReady'],
    ['True, with a message', { message: 'x' }, 'SetReady'],
    ['Unknown', { status: 'Unknown' }, 'SetReady'],
  ])('of a Pod that never was updated, with a condition that is %s', (_name, more, kind) => {
    expect(planRefresh(aPod({ ...gateOnly, conditions: [condition('InPlaceUpdateReady', 'True', more)] }), context()).kind).toBe(kind);
  });

  it('has no time to wait for when the start of the update cannot be read', () => {
    const annotations = {
      'apps.kruise.io/inplace-update-grace': '{"revision":"r","containerImages":{"a":"a:2"},"graceSeconds":30}',
      'apps.kruise.io/inplace-update-state': '{"revision":"r","updateTimestamp":"then"}',
    };
    const pod = aPod({ annotations, labels: { 'controller-revision-hash': 'r' } });
    expect(planRefresh(pod, context())).toMatchObject({
      kind: 'ApplyGrace',
      update: { pod: { spec: { containers: [{ image: 'a:2' }] } } },
    });
    const noGrace = { ...annotations, 'apps.kruise.io/inplace-update-grace': '{"revision":"r"}' };
    expect(planRefresh(aPod({ annotations: noGrace, labels: { 'controller-revision-hash': 'r' } }), context()).kind).toBe('ApplyGrace');
  });

  it('continues with a later batch on a Pod that is in service, or has no gate', () => {
    const text = '{"revision":"r","updateTimestamp":"2026-01-02T12:00:00Z","lastContainerStatuses":null,"nextContainerImages":{"a":"a:2"}}';
    const annotations = { 'apps.kruise.io/inplace-update-state': text };
    for (const given of [{ gates: [] }, { ...gateOnly, conditions: [condition('InPlaceUpdateReady', 'True')] }]) {
      expect(planRefresh(aPod({ ...given, annotations }), context())).toMatchObject({
        kind: 'NextBatch',
        update: { pod: { spec: { containers: [{ image: 'a:2' }] } }, state: { revision: 'r' } },
      });
    }
  });

  it('waits for a required container that has no status', () => {
    const text =
      '{"revision":"r","updateTimestamp":"2026-01-02T12:00:00Z","lastContainerStatuses":null,"nextContainerImages":{"a":"a:2"},"preCheckBeforeNext":{"containersRequiredReady":["b"]}}';
    expect(planRefresh(aPod({ annotations: { 'apps.kruise.io/inplace-update-state': text } }), context())).toEqual({
      kind: 'Pending',
      why: 'container b has to be ready before the next batch',
    });
  });

  it('has nothing to do for a Pod in service whose state names no container for later', () => {
    const text = '{"revision":"r","updateTimestamp":"2026-01-02T12:00:00Z","lastContainerStatuses":null,"nextContainerImages":{}}';
    const conditions = [condition('InPlaceUpdateReady', 'True')];
    const pod = aPod({ ...gateOnly, conditions, annotations: { 'apps.kruise.io/inplace-update-state': text } });
    expect(planRefresh(pod, context())).toEqual({ kind: 'Nothing' });
  });

  it('makes a Pod ready that has no status yet', () => {
    const pod = { metadata: { name: 'p' }, spec: { containers: [], readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] } };
    expect(planRefresh(pod, context())).toMatchObject({
      kind: 'SetReady',
      pod: { status: { conditions: [{ type: 'InPlaceUpdateReady', status: 'True' }] } },
    });
  });

  it('reads resources only with the gate on', () => {
    const text = '{"revision":"r","updateTimestamp":"2026-01-02T12:00:00Z","lastContainerStatuses":null,"updateResources":true}';
    const pod = aPod({ ...gateOnly, annotations: { 'apps.kruise.io/inplace-update-state': text } });
    expect([planRefresh(pod, context()).kind, planRefresh(pod, context(noon, 'InSpec')).kind]).toEqual(['SetReady', 'Pending']);
  });

  it.each([
    ['a grace annotation without a state', { 'apps.kruise.io/inplace-update-grace': '{"revision":"r"}' }],
    ['an unreadable grace annotation', { 'apps.kruise.io/inplace-update-grace': 'x', 'apps.kruise.io/inplace-update-state': '{}' }],
    ['an unreadable state', { 'apps.kruise.io/inplace-update-state': 'x' }],
    [
      'an unreadable state beside a grace annotation',
      { 'apps.kruise.io/inplace-update-grace': '{}', 'apps.kruise.io/inplace-update-state': 'x' },
    ],
  ])('calls %s broken', (_name, annotations) => {
    expect(planRefresh(aPod({ annotations }), context()).kind).toBe('Broken');
  });

  it('reads the legacy key', () => {
    const annotations = { 'inplace-update-state': '{"revision":"r","lastContainerStatuses":{"a":{"imageID":"a@old"}}}' };
    expect(planRefresh(aPod({ annotations, statuses: [status('a', { image: 'a:0' })] }), context()).kind).toBe('Pending');
  });

  it('never changes the second batch before the first is updated and ready', () => {
    const pod = aPod({
      containers: [
        { name: 'a', image: 'a:1', env: [barrier(10)] },
        { name: 'b', image: 'b:1', env: [barrier(0)] },
      ],
      statuses: [status('a'), status('b')],
    });
    const first = startUpdate(pod, { revision: 'r-2', containerImages: images('a', 'b') }, context()).pod;
    expect(planRefresh(first, context(later(1)))).toEqual({ kind: 'Pending', why: 'container a does not run its new image yet' });
    const running = (more: object): Pod => ({
      ...first,
      status: { ...first.status, containerStatuses: [status('a', { image: 'a:2', imageID: 'a@new', ...more }), status('b')] as never[] },
    });
    expect(planRefresh(running({ ready: false }), context(later(1)))).toEqual({
      kind: 'Pending',
      why: 'container a has to be ready before the next batch',
    });
    const second = planRefresh(running({}), context(later(2)));
    if (second.kind !== 'NextBatch') throw new Error(second.kind);
    expect(second.update.pod.spec.containers).toMatchObject([{ image: 'a:2' }, { image: 'b:2' }]);
    expect(second.update.state).toEqual({
      ...fresh,
      updateImages: true,
      lastContainerStatuses: { a: { imageID: 'a@old' }, b: { imageID: 'b@old' } },
      containerBatchesRecord: [
        { timestamp: '2026-01-02T12:00:00Z', containers: ['a'] },
        { timestamp: '2026-01-02T12:00:02Z', containers: ['b'] },
      ],
    });
  });

  it('applies a next batch that contains only resources', () => {
    const text =
      '{"revision":"r","updateTimestamp":"2026-01-02T12:00:00Z","lastContainerStatuses":null,"nextContainerResources":{"a":{"limits":{"cpu":"2"}}}}';
    const pod = aPod({ annotations: { 'apps.kruise.io/inplace-update-state': text } });
    expect(planRefresh(pod, context(noon, 'BySubresource'))).toMatchObject({
      kind: 'NextBatch',
      update: { resize: { spec: { containers: [{ name: 'a' }] } } },
    });
  });
});

describe('completion', () => {
  const annotations = (meta: object[]) => ({ 'apps.kruise.io/runtime-containers-meta': formatRuntimeMeta(meta as never) });
  const container = { name: 'a', image: 'a:2', env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath: "metadata.labels['x']" } } }] };
  const meta = (more: object = {}) => ({
    name: 'a',
    containerID: 'containerd://a',
    restartCount: 1,
    plainHash: plainHash(container),
    metadataEnvHash: metadataEnvHash(container, { name: 'p', labels: { x: '1' } }),
    ...more,
  });
  const changed: InPlaceUpdateState = {
    ...fresh,
    updateImages: true,
    lastContainerStatuses: { a: { imageID: 'a@old' } },
    containerBatchesRecord: [{ timestamp: '2026-01-02T12:00:00Z', containers: ['a'] }],
  };
  const old = status('a');
  const since = (startedAt: string, more: object = {}) => status('a', { state: { running: { startedAt } }, ...more });

  it.each<[string, object, InPlaceUpdateState, 'Complete' | 'Incomplete']>([
    ['old image id and image', { statuses: [old] }, changed, 'Incomplete'],
    ['new image id', { statuses: [status('a', { imageID: 'a@new' })] }, changed, 'Complete'],
    ['same image id, new image reported', { statuses: [status('a', { image: 'docker.io/library/a:2' })] }, changed, 'Complete'],
    [
      'the new image, pulled before, reported for the old instance that the daemon knows',
      {
        statuses: [since('2026-01-02T11:00:00Z', { image: 'a:2' })],
        annotations: annotations([meta({ plainHash: plainHash({ ...container, image: 'a:1' }) })]),
      },
      changed,
      'Incomplete',
    ],
    [
      'the new image reported, and an instance that was started since, by a kubelet whose hashes are not known',
      { statuses: [since('2026-01-02T12:00:00Z', { image: 'a:2' })], annotations: annotations([meta({ plainHash: 7 })]) },
      changed,
      'Complete',
    ],
    [
      'the new image reported, and a report of an earlier instance',
      {
        statuses: [since('2026-01-02T11:00:00Z', { image: 'a:2' })],
        annotations: annotations([meta({ containerID: 'containerd://b', plainHash: 7 })]),
      },
      changed,
      'Complete',
    ],
    ['the image that runs, by its id alone', { statuses: [status('a', { image: 'sha256:1234' })] }, changed, 'Incomplete'],
    [
      'the image that runs, by its id alone, restarted since',
      { statuses: [since('2026-01-02T12:00:01Z', { image: 'sha256:1234' })] },
      changed,
      'Complete',
    ],
    [
      'an image that cannot be pulled',
      { statuses: [status('a', { image: 'a:2', imageID: '', containerID: '', state: { waiting: { reason: 'ErrImagePull' } } })] },
      changed,
      'Incomplete',
    ],
    [
      'an image that cannot be pulled, after one that could not either',
      { statuses: [status('a', { image: 'a:2', imageID: '', containerID: '', state: { waiting: { reason: 'ImagePullBackOff' } } })] },
      { ...changed, lastContainerStatuses: { a: { imageID: '' } } },
      'Incomplete',
    ],
    [
      'a kubelet that tells no image ids, and names the new image',
      { statuses: [since('2026-01-02T11:00:00Z', { image: 'a:2', imageID: '' })] },
      { ...changed, lastContainerStatuses: { a: { imageID: '' } } },
      'Complete',
    ],
    ['no status', { statuses: [] }, changed, 'Incomplete'],
    ['same digest under another tag, restarted since', { statuses: [since('2026-01-02T12:00:01Z')] }, changed, 'Complete'],
    ['started before the batch', { statuses: [since('2026-01-02T11:59:59Z')] }, changed, 'Incomplete'],
    ['started in the second of the batch', { statuses: [since('2026-01-02T12:00:00Z')] }, changed, 'Incomplete'],
    [
      'restarted in the second of the batch',
      { statuses: [since('2026-01-02T12:00:00Z', { lastState: { terminated: { finishedAt: '2026-01-02T12:00:00Z' } } })] },
      changed,
      'Complete',
    ],
    ['the daemon sees the new hash', { statuses: [old], annotations: annotations([meta()]) }, changed, 'Complete'],
    [
      'the daemon reports another instance',
      { statuses: [old], annotations: annotations([meta({ containerID: 'containerd://b' })]) },
      changed,
      'Incomplete',
    ],
    ['env wanted, no report', { statuses: [old] }, { ...fresh, updateEnvFromMetadata: true }, 'Incomplete'],
    [
      'env wanted and fed',
      { statuses: [old], labels: { x: '1' }, annotations: annotations([meta()]) },
      { ...fresh, updateEnvFromMetadata: true },
      'Complete',
    ],
    [
      'env wanted and stale',
      { statuses: [old], labels: { x: '2' }, annotations: annotations([meta()]) },
      { ...fresh, updateEnvFromMetadata: true },
      'Incomplete',
    ],
  ])('%s', (_name, given, state, expected) => {
    expect(containersCompletion(aPod({ containers: [container], ...given }), state, true).kind).toBe(expected);
  });

  it('waits for a kubelet that has not observed the spec', () => {
    const pod = aPod({ containers: [container], statuses: [since('2026-01-02T12:00:01Z')] });
    const unseen = { ...pod, metadata: { ...pod.metadata, generation: 3 }, status: { ...pod.status, observedGeneration: 2 } } as Pod;
    expect(containersCompletion(unseen, changed, true).kind).toBe('Incomplete');
  });

  const sized = { name: 'a', image: 'a:1', resources: { limits: { cpu: '1' } } };
  const resized: InPlaceUpdateState = { ...fresh, updateResources: true, containerBatchesRecord: [{ timestamp: 't', containers: ['a'] }] };
  it.each<[string, object[], string]>([
    ['equal in value', [status('a', { resources: { limits: { cpu: '1000m' } } }), status('b')], 'Complete'],
    ['not there yet', [status('a', { resources: { limits: { cpu: '2' } } }), status('b')], 'Incomplete'],
    ['not reported for the resized one', [status('a'), status('b')], 'Incomplete'],
    ['a status is missing', [status('a', { resources: { limits: { cpu: '1' } } })], 'Incomplete'],
    [
      'differ for another one',
      [status('a', { resources: { limits: { cpu: '1' } } }), status('b', { resources: { limits: { cpu: '1' } } })],
      'Incomplete',
    ],
  ])('resources: %s', (_name, statuses, expected) => {
    const pod = aPod({ containers: [sized, { name: 'b', image: 'b:1' }], statuses });
    expect(containersCompletion(pod, resized, true).kind).toBe(expected);
    expect(containersCompletion(pod, resized, false).kind).toBe('Complete');
  });

  it.each([
    ['nginx', 'docker.io/library/nginx:latest', true],
    ['nginx:1', 'index.docker.io/library/nginx:1', true],
    ['reg:5000/a', 'reg:5000/a:latest', true],
    ['localhost/a', 'a', false],
    ['a/b:1', 'docker.io/a/b:1', true],
    ['a@sha256:1', 'docker.io/library/a@sha256:1', true],
    ['a:1', 'a:2', false],
    ['a', 'a:latest', true],
    ['docker.io/a:1', 'docker.io/library/a:1', true],
    ['reg.example/library/a:1', 'a:1', false],
    ['reg.example/a/b', 'reg.example/a/b:latest', true],
    ['a:1@sha256:1', 'a@sha256:1', true],
    ['a:1@sha256:1', 'a:1', false],
    ['A:1', 'a:1', false],
    ['', 'a:1', false],
    ['localhost/a:1', 'docker.io/localhost/a:1', false],
    ['reg:5000/a:1@sha256:1', 'reg:5000/a@sha256:1', true],
    ['reg:5000/a/b@sha256:1', 'reg:5001/a/b@sha256:1', false],
    ['docker.io/a/b', 'a/b:latest', true],
    ['a/b', 'library/a/b', false],
    ['reg.example/a', 'reg.example/library/a', false],
    ['index.docker.io/a/b', 'docker.io/a/b', true],
    ['a.b/c', 'docker.io/a.b/c', false],
    ['a', 'library/a', true],
    ['a@sha256:1', 'a@sha256:2', false],
    ['a:1.25-alpine@sha256:1', 'a@sha256:1', true],
  ])('images %s and %s are the same: %p', (a, b, expected) => {
    expect(isSameImageRef(a, b)).toBe(expected);
  });

  it('is set on a Pod that never was updated', () => {
    expect(updateCompletion(aPod(), true)).toEqual({ kind: 'Complete' });
    expect(at('2026-01-02T12:00:00Z')).toBe(noon);
  });
});
