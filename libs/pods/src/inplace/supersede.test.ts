import { describe, expect, it } from '@jest/globals';
import type { Instant, Pod } from '@kruise/objects';
import fc from 'fast-check';
import { cloneSetRevisions } from '../revision/revision-adapter.ts';
import { aPod, noon } from '../testdata/build.ts';
import { mergeMetadataPatches, metadataPatchBetween, patchMetadata } from './metadata/metadata-patch.ts';
import { planRefresh } from './plan-refresh.ts';
import { startUpdate } from './start-update.ts';
import { withPendingOf } from './supersede.ts';
import type { UpdateSpec } from './spec/update-spec.ts';
import { updateStateOf } from './state/update-state.ts';

const adapter = cloneSetRevisions(false);
const later = (seconds: number): Instant => (noon + seconds * 1000) as Instant;
const start = (pod: Pod, spec: UpdateSpec, now = noon): Pod => startUpdate(pod, spec, { adapter, now, resources: 'InSpec' }).pod;
const imagesOf = (pod: Pod): readonly unknown[] => pod.spec.containers.map(({ image }) => image);
const barrier = (priority: number) => [
  { name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { name: 'x-barrier', key: `p_${String(priority)}` } } },
];
const pod = aPod({
  containers: [
    { name: 'a', image: 'a:1', env: barrier(10) },
    { name: 'b', image: 'b:1', env: barrier(0) },
  ],
});

describe('an update that begins before the previous one is complete', () => {
  it('is the update itself when nothing is left to do', () => {
    const spec: UpdateSpec = { revision: 'web-2', containerImages: { a: 'a:2' } };
    expect(withPendingOf(pod, spec)).toBe(spec);
    const done = start(aPod({ containers: [{ name: 'a', image: 'a:1' }] }), spec);
    expect(withPendingOf(done, { ...spec, revision: 'web-3' })).toEqual({ ...spec, revision: 'web-3' });
  });

  it('a rollback within the grace period keeps the containers unchanged', () => {
    const waiting = start(pod, { revision: 'web-2', graceSeconds: 30, containerImages: { a: 'a:2', b: 'b:2' } });
    const back = start(waiting, { revision: 'web-1', graceSeconds: 30, containerImages: { a: 'a:1', b: 'b:1' } }, later(10));
    const step = planRefresh(back, { adapter, now: later(41), resources: 'Ignored' });
    expect(step.kind === 'ApplyGrace' ? imagesOf(step.update.pod) : step.kind).toEqual(['a:1', 'b:1']);
  });

  it('a newer revision within the grace period also makes the changes of the previous one', () => {
    const waiting = start(pod, {
      revision: 'web-2',
      graceSeconds: 30,
      containerImages: { a: 'a:2' },
      metaDataPatch: { metadata: { labels: { x: '2' } } },
    });
    const newer = start(waiting, { revision: 'web-3', containerImages: { b: 'b:3' }, metaDataPatch: { metadata: { labels: { y: '3' } } } });
    expect(imagesOf(newer)).toEqual(['a:2', 'b:1']);
    expect(newer.metadata.labels).toMatchObject({ x: '2', y: '3', 'controller-revision-hash': 'web-3' });
    const state = updateStateOf(newer);
    expect(state.kind === 'Parsed' && state.value.nextContainerImages).toEqual({ b: 'b:3' });
    expect(newer.metadata.annotations).not.toHaveProperty('apps.kruise.io/inplace-update-grace');
  });

  it.each<[string, UpdateSpec['metaDataPatch'], Readonly<Record<string, string>>]>([
    ['takes a label away that was to feed a container', { metadata: { labels: { x: null } } }, {}],
    ['gives it another value, which feeds nothing any more', { metadata: { labels: { x: '3' } } }, { x: '3' }],
    ['leaves it to the one before', undefined, { x: '2' }],
  ])('%s', (_name, metaDataPatch, then) => {
    const waiting = start(pod, {
      revision: 'web-2',
      graceSeconds: 30,
      containerRefMetadata: { a: { labels: { x: '2' } } },
      updateEnvFromMetadata: true,
    });
    const newer = start(waiting, { revision: 'web-3', ...(metaDataPatch === undefined ? {} : { metaDataPatch }) });
    const { 'controller-revision-hash': _revision, 'pod-template-hash': _hash, ...labels } = newer.metadata.labels ?? {};
    expect(labels).toEqual(then);
  });

  it('containers that wait for a later batch are not forgotten', () => {
    const first = start(pod, { revision: 'web-2', containerImages: { a: 'a:broken', b: 'b:2' } });
    expect(imagesOf(first)).toEqual(['a:broken', 'b:1']);
    const mended = start(first, { revision: 'web-3', containerImages: { a: 'a:3' } });
    const state = updateStateOf(mended);
    expect(imagesOf(mended)).toEqual(['a:3', 'b:1']);
    expect(state.kind === 'Parsed' && state.value.nextContainerImages).toEqual({ b: 'b:2' });
  });

  it('amounts and metadata of one container are joined by name', () => {
    const waiting = start(pod, {
      revision: 'web-2',
      graceSeconds: 5,
      updateEnvFromMetadata: true,
      containerRefMetadata: { a: { labels: { x: '2' } }, b: { annotations: { n: '2' } } },
      containerResources: { a: { limits: { cpu: '1' }, requests: { cpu: '1' } } },
    });
    expect(
      withPendingOf(waiting, {
        revision: 'web-3',
        containerRefMetadata: { a: { labels: { x: '3', z: '3' }, annotations: { m: '3' } } },
        containerResources: { a: { limits: { memory: '1Gi' } }, b: { limits: { cpu: '2' } } },
      }),
    ).toEqual({
      revision: 'web-3',
      updateEnvFromMetadata: true,
      containerRefMetadata: { a: { labels: { x: '3', z: '3' }, annotations: { m: '3' } }, b: { annotations: { n: '2' } } },
      containerResources: { a: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1' } }, b: { limits: { cpu: '2' } } },
    });
  });
});

describe('what remains of an earlier update', () => {
  const graceOf = (spec: Omit<UpdateSpec, 'revision' | 'graceSeconds'>) => start(pod, { revision: 'web-2', graceSeconds: 5, ...spec });
  const refs = { a: { labels: { x: '2', y: '2' }, annotations: { n: '2' } }, b: { annotations: { n: '2' } } };

  it.each<{ name: string; earlier: Omit<UpdateSpec, 'revision'>; later: Omit<UpdateSpec, 'revision'>; then: object }>([
    {
      name: 'images of other containers stay, of the same one the later counts',
      earlier: { containerImages: { a: 'a:2', b: 'b:2' } },
      later: { containerImages: { b: 'b:3' } },
      then: { containerImages: { a: 'a:2', b: 'b:3' } },
    },
    {
      name: 'an earlier update of only its revision leaves nothing',
      earlier: {},
      later: { containerImages: { a: 'a:3' } },
      then: { containerImages: { a: 'a:3' } },
    },
    {
      name: 'metadata is patched by both',
      earlier: { metaDataPatch: { metadata: { labels: { p: '2' } } } },
      later: { metaDataPatch: { metadata: { labels: { q: '3' } } } },
      then: { metaDataPatch: { metadata: { labels: { p: '2', q: '3' } } } },
    },
    {
      name: 'metadata of a container is dropped as far as the later patch names it',
      earlier: { containerRefMetadata: refs, updateEnvFromMetadata: true },
      later: { metaDataPatch: { metadata: { labels: { x: null }, annotations: { n: '3' } } } },
      then: {
        containerRefMetadata: { a: { labels: { y: '2' } } },
        metaDataPatch: { metadata: { labels: { x: null }, annotations: { n: '3' } } },
        updateEnvFromMetadata: true,
      },
    },
    {
      name: 'metadata of a container stays beside a patch of other keys',
      earlier: { containerRefMetadata: refs, updateEnvFromMetadata: true },
      later: { metaDataPatch: { metadata: { annotations: { x: '3' }, labels: null } } },
      then: {
        containerRefMetadata: refs,
        metaDataPatch: { metadata: { annotations: { x: '3' }, labels: null } },
        updateEnvFromMetadata: true,
      },
    },
    {
      name: 'limits and requests of a container are joined, the later amount counts',
      earlier: { containerResources: { a: { limits: { cpu: '1', memory: '1Gi' } } } },
      later: { containerResources: { a: { limits: { cpu: '2' }, requests: { cpu: '1' } } } },
      then: { containerResources: { a: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } } } },
    },
    {
      name: 'no limits are added where there are none',
      earlier: { containerResources: { a: { requests: { cpu: '1' } } } },
      later: { containerResources: { a: { requests: { memory: '1Gi' } } } },
      then: { containerResources: { a: { requests: { cpu: '1', memory: '1Gi' } } } },
    },
    {
      name: 'no requests are added where there are none',
      earlier: { containerResources: { a: { limits: { cpu: '1' } } } },
      later: { containerResources: { a: { limits: { memory: '1Gi' } } } },
      then: { containerResources: { a: { limits: { cpu: '1', memory: '1Gi' } } } },
    },
    {
      name: 'annotations of a container are joined, the later value counts',
      earlier: { containerRefMetadata: { a: { annotations: { n: '2', m: '2' } } }, updateEnvFromMetadata: true },
      later: { containerRefMetadata: { a: { annotations: { n: '3' } } }, updateEnvFromMetadata: true },
      then: { containerRefMetadata: { a: { annotations: { n: '3', m: '2' } } }, updateEnvFromMetadata: true },
    },
    {
      name: 'an environment that only the later one changes is kept',
      earlier: { containerImages: { a: 'a:2' } },
      later: { containerRefMetadata: { a: { labels: { x: '3' } } }, updateEnvFromMetadata: true },
      then: { containerImages: { a: 'a:2' }, containerRefMetadata: { a: { labels: { x: '3' } } }, updateEnvFromMetadata: true },
    },
    {
      name: 'limits of one and requests of the other are both kept',
      earlier: { containerResources: { a: { requests: { cpu: '1' } }, b: { limits: { cpu: '1' } } } },
      later: { containerResources: { a: { limits: { cpu: '2' } }, b: { requests: { cpu: '1' } } } },
      then: {
        containerResources: {
          a: { limits: { cpu: '2' }, requests: { cpu: '1' } },
          b: { limits: { cpu: '1' }, requests: { cpu: '1' } },
        },
      },
    },
    {
      name: 'a container named like a member of every object is one like others',
      earlier: { containerImages: { a: 'a:2' } },
      later: { containerImages: { constructor: 'c:3' } },
      then: { containerImages: { a: 'a:2', constructor: 'c:3' } },
    },
  ])('$name', ({ earlier, later: newer, then }) => {
    expect(withPendingOf(graceOf(earlier), { revision: 'web-3', ...newer })).toStrictEqual({ revision: 'web-3', ...then });
  });

  it('is an environment that waits for a later batch', () => {
    const first = start(pod, {
      revision: 'web-2',
      updateEnvFromMetadata: true,
      containerImages: { a: 'a:2' },
      containerRefMetadata: { b: { labels: { x: '2' } } },
    });
    expect(withPendingOf(first, { revision: 'web-3' })).toStrictEqual({
      revision: 'web-3',
      containerRefMetadata: { b: { labels: { x: '2' } } },
      updateEnvFromMetadata: true,
    });
    const images = start(pod, { revision: 'web-2', containerImages: { a: 'a:2', b: 'b:2' } });
    expect(withPendingOf(images, { revision: 'web-3', graceSeconds: 3 })).toStrictEqual({
      revision: 'web-3',
      graceSeconds: 3,
      containerImages: { b: 'b:2' },
    });
  });

  it('is unknown when it cannot be read', () => {
    const spec: UpdateSpec = { revision: 'web-3' };
    expect(withPendingOf(aPod({ annotations: { 'apps.kruise.io/inplace-update-state': 'x' } }), spec)).toBe(spec);
    expect(withPendingOf(aPod({ annotations: { 'apps.kruise.io/inplace-update-grace': 'x' } }), spec)).toBe(spec);
  });
});

describe('mergeMetadataPatches', () => {
  const map = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'));
  const meta = fc.record({ labels: map, annotations: map, finalizers: fc.uniqueArray(fc.constantFrom('x', 'y', 'z')) });
  const sorted = (pod: Pod['metadata']): unknown => ({ ...pod, finalizers: [...(pod.finalizers ?? [])].sort() });

  it('has the result of both in turn', () => {
    fc.assert(
      fc.property(meta, meta, meta, meta, (held, one, two, three) => {
        const [first, second] = [metadataPatchBetween(one, two), metadataPatchBetween(two, three)];
        const metadata = { name: 'p', ...held };
        const inTurn = [first, second].reduce(
          (now, patch) => (patch === undefined ? now : patchMetadata(now, patch)),
          metadata as Pod['metadata'],
        );
        const merged = mergeMetadataPatches(first, second);
        const atOnce = merged === undefined ? metadata : patchMetadata(metadata, merged);
        expect(sorted(atOnce)).toEqual(sorted(inTurn));
      }),
    );
  });
});
