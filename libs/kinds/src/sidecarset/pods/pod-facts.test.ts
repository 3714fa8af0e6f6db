/** When a Pod runs what was written to it, and when it counts as ready. @see spec/sidecarset.md 5.5, 5.7 */
import { describe, expect, it } from '@jest/globals';
import { annotations, sidecarSetAnnotations, type SidecarSet } from '@kruise/api';
import { formatTime, instant, type ContainerStatus, type Pod } from '@kruise/objects';
import { formatRuntimeMeta, plainHash } from '@kruise/pods';
import { epoch } from '@kruise/testing';
import { canFlip, hasAllSidecars, isComingUp, isEmptying, memberOf, recordsOf, servesOldImage } from './pod-facts.ts';
import { viewOf } from '../view/sidecar-set-view.ts';
import { aHotSidecar, anInjectedPod, aSidecar, aSidecarSet, changed, emptyImage, runningStatus } from '../testing.ts';
import { flippedPod, updatedPod } from './update-pod.ts';

const written = instant(epoch + 60_000);
const soon = instant(epoch + 65_000);

const withStatus = (pod: Pod, name: string, change: Partial<ContainerStatus> | undefined): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    containerStatuses: (pod.status?.containerStatuses ?? []).flatMap((status) =>
      status.name !== name ? [status] : change === undefined ? [] : [{ ...status, ...change }],
    ),
  },
});

const imageChanged = (sidecarSet: SidecarSet, image: string): SidecarSet => changed(sidecarSet, { containers: [aSidecar('side', image)] });
const update = (pod: Pod, sidecarSet: SidecarSet): Pod => updatedPod(pod, { view: viewOf(sidecarSet), latestRevision: 'r', now: written });
const isConsistent = (pod: Pod, sidecarSet: SidecarSet): boolean => memberOf(pod, recordsOf(pod), viewOf(sidecarSet)).consistent;

const first = aSidecarSet();
const second = imageChanged(first, 'side:2');
const updated = update(anInjectedPod(first), second);
const meta = (pod: Pod, hashOf: (name: string) => number): Pod => ({
  ...pod,
  metadata: {
    ...pod.metadata,
    annotations: {
      ...pod.metadata.annotations,
      [annotations.runtimeContainersMeta]: formatRuntimeMeta(
        (pod.status?.containerStatuses ?? []).map(({ name, containerID = '' }) => ({
          name,
          containerID,
          restartCount: 0,
          plainHash: hashOf(name),
          metadataEnvHash: 0,
        })),
      ),
    },
  },
});
const specHash = (pod: Pod, name: string): number =>
  plainHash(pod.spec.containers.find((container) => container.name === name) ?? { name });
const restarted = { state: { running: { startedAt: formatTime(soon) } } };

describe('a Pod that was written', () => {
  it.each<{ name: string; pod: Pod; then: boolean }>([
    { name: 'was never updated', pod: anInjectedPod(first), then: true },
    { name: 'still runs the old container, ready or not', pod: updated, then: false },
    { name: 'runs another image', pod: withStatus(updated, 'side', runningStatus('side', 'side:2', soon)), then: true },
    { name: 'runs the same image under its new name', pod: withStatus(updated, 'side', { image: 'docker.io/library/side:2' }), then: true },
    { name: 'was restarted, the new tag having the old digest', pod: withStatus(updated, 'side', restarted), then: true },
    {
      name: 'was restarted by a kubelet that has not seen the change',
      pod: {
        ...withStatus(updated, 'side', restarted),
        metadata: { ...updated.metadata, generation: 2 },
        status: { ...withStatus(updated, 'side', restarted).status, observedGeneration: 1 } as Pod['status'] & object,
      },
      then: false,
    },
    { name: 'has no image yet', pod: withStatus(updated, 'side', { imageID: '' }), then: false },
    { name: 'lacks a status', pod: withStatus(updated, 'side', undefined), then: false },
    { name: 'lacks the status of another container', pod: withStatus(anInjectedPod(first), 'main', undefined), then: false },
    { name: 'runs the new spec as the node reports', pod: meta(updated, (name) => specHash(updated, name)), then: true },
    {
      name: 'runs the old spec as the node reports, at any times',
      pod: meta(withStatus(updated, 'side', restarted), (name) => (name === 'side' ? 1 : specHash(updated, name))),
      then: false,
    },
    { name: 'is reported in an unknown form', pod: meta(updated, () => 1), then: false },
    {
      name: 'has a state that cannot be read',
      pod: {
        ...updated,
        metadata: {
          ...updated.metadata,
          annotations: { ...updated.metadata.annotations, [sidecarSetAnnotations.inPlaceUpdateState]: '{' },
        },
      },
      then: false,
    },
  ])('$name', ({ pod, then }) => {
    expect(isConsistent(pod, second)).toBe(then);
  });

  it('is looked at by digest where the image has one', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const byDigest = imageChanged(first, `side@${digest}`);
    const pod = update(anInjectedPod(first), byDigest);
    expect(isConsistent(pod, byDigest)).toBe(false);
    expect(isConsistent(withStatus(pod, 'side', { imageID: `docker.io/library/side@${digest}` }), byDigest)).toBe(true);
    expect(isConsistent(withStatus(pod, 'side', { imageID: `docker-pullable://side@${digest}` }), byDigest)).toBe(true);
    expect(isConsistent(withStatus(pod, 'side', { imageID: `other@${digest}` }), byDigest)).toBe(false);
  });
});

describe('sidecars in a Pod', () => {
  it('are all there, as one container or as twins', () => {
    const hot = aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1')] });
    expect(hasAllSidecars(anInjectedPod(first), viewOf(first))).toBe(true);
    expect(hasAllSidecars(anInjectedPod(first), viewOf(hot))).toBe(false);
    expect(hasAllSidecars(anInjectedPod(hot), viewOf(hot))).toBe(true);
    const cold = aSidecarSet({ containers: [aSidecar('mesh', 'mesh:1')] });
    expect(hasAllSidecars(anInjectedPod(hot), viewOf(cold))).toBe(false);
    expect(hasAllSidecars(anInjectedPod(first), viewOf(aSidecarSet({ containers: [] })))).toBe(true);
  });

  it('are not complete if a twin is missing, or if the working one is unknown', () => {
    const hot = aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1')] });
    const pod = anInjectedPod(hot);
    const containers = pod.spec.containers.filter(({ name }) => name !== 'mesh-2');
    expect(hasAllSidecars({ ...pod, spec: { ...pod.spec, containers } }, viewOf(hot))).toBe(false);
    const { [sidecarSetAnnotations.workingHotUpgradeContainer]: _working, ...held } = pod.metadata.annotations ?? {};
    expect(hasAllSidecars({ ...pod, metadata: { ...pod.metadata, annotations: held } }, viewOf(hot))).toBe(false);
  });
});

describe('a Pod', () => {
  const pod = anInjectedPod(first);
  const { status: _status, ...unseen } = pod;
  const { annotations: _annotations, ...bare } = pod.metadata;

  it.each<{ name: string; pod: Pod; then: boolean }>([
    { name: 'that runs and is ready', pod, then: true },
    { name: 'that is not ready', pod: anInjectedPod(first, { ready: false }), then: false },
    { name: 'that is going', pod: anInjectedPod(first, { terminating: true }), then: false },
    { name: 'that does not run yet', pod: anInjectedPod(first, { phase: 'Pending' }), then: false },
    { name: 'that has ended', pod: anInjectedPod(first, { phase: 'Succeeded' }), then: false },
    { name: 'that no kubelet has seen', pod: unseen, then: false },
  ])('$name counts as ready: $then', ({ pod: given, then }) => {
    expect(memberOf(given, recordsOf(given), viewOf(first)).ready).toBe(then);
  });

  it('into which nothing was injected is neither updated nor upgradable', () => {
    const plain = { ...pod, metadata: bare };
    expect(recordsOf(plain)).toEqual({
      injected: [],
      hashes: new Map(),
      imageless: new Map(),
      states: { kind: 'Parsed', value: new Map() },
    });
    expect(memberOf(plain, recordsOf(plain), viewOf(first))).toMatchObject({
      injected: false,
      updated: false,
      upgradable: false,
      updating: false,
    });
  });

  it('without a status runs nothing that its spec requires, even where no container of it is examined', () => {
    const main = { ...unseen, spec: { ...pod.spec, containers: pod.spec.containers.slice(1) } };
    expect(isConsistent(main, aSidecarSet({ containers: [] }))).toBe(false);
    expect(memberOf(main, recordsOf(main), viewOf(first))).toMatchObject({ consistent: false, updating: false });
  });
});

describe('a Pod whose update is not over', () => {
  const two = aSidecarSet({ containers: [aSidecar('a', 'a:1'), aSidecar('b', 'b:1')] });
  const next = changed(two, { containers: [aSidecar('a', 'a:2'), aSidecar('b', 'b:2')] });
  const view = viewOf(next);
  const both = update(anInjectedPod(two), next);
  const one = update(anInjectedPod(two), changed(two, { containers: [aSidecar('a', 'a:2'), aSidecar('b', 'b:1')] }));
  const { status: _status, ...unseen } = both;

  it.each<{ name: string; pod: Pod; then: boolean }>([
    { name: 'was never updated', pod: anInjectedPod(two, { ready: false }), then: false },
    {
      name: 'holds a state that cannot be read',
      pod: { ...both, metadata: { ...both.metadata, annotations: { [sidecarSetAnnotations.inPlaceUpdateState]: '{' } } },
      then: false,
    },
    { name: 'is ready in all that changed', pod: both, then: false },
    { name: 'is not ready in one that changed', pod: withStatus(both, 'b', { ready: false }), then: true },
    { name: 'is not ready in one that did not change', pod: withStatus(one, 'b', { ready: false }), then: false },
    { name: 'was not seen since', pod: unseen, then: true },
  ])('is coming up: $then where it $name', ({ pod, then }) => {
    expect(isComingUp(pod, recordsOf(pod), view)).toBe(then);
  });

  it.each<{ name: string; pod: Pod; then: boolean }>([
    { name: 'each sidecar runs what was asked for', pod: anInjectedPod(two), then: false },
    { name: 'one of them has not stopped yet', pod: one, then: true },
    { name: 'the one that has not stopped is not ready any more', pod: withStatus(one, 'a', { ready: false }), then: false },
    { name: 'no kubelet has seen them', pod: unseen, then: false },
  ])('serves with an old image where $name: $then', ({ pod, then }) => {
    expect(servesOldImage(pod, recordsOf(pod), view)).toBe(then);
  });
});

describe('a hot upgrade', () => {
  it('is not over while the twin to empty runs, also when it started after the last update was written', () => {
    const first1 = aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1')] });
    const second = changed(first1, { containers: [aHotSidecar('mesh', 'mesh:2')] });
    const upgraded = updatedPod(anInjectedPod(first1), { view: viewOf(second), latestRevision: 'r', now: written });
    const back = changed(second, { containers: [aHotSidecar('mesh', 'mesh:1')] });
    const context1 = { view: viewOf(back), latestRevision: 'r', now: written };
    const failing = withStatus(updatedPod(upgraded, context1), 'mesh-2', runningStatus('mesh-2', 'mesh:2', soon));
    const emptied = flippedPod(failing, context1);
    expect(emptied.spec.containers.map(({ image }) => image)).toEqual(['mesh:1', emptyImage, 'app:1']);
    expect(memberOf(emptied, recordsOf(emptied), viewOf(back)).consistent).toBe(false);
    const done = withStatus(emptied, 'mesh-2', runningStatus('mesh-2', emptyImage, soon));
    expect(memberOf(done, recordsOf(done), viewOf(back))).toMatchObject({ ready: true, consistent: true });
  });

  it.each<{ name: string; status: Partial<ContainerStatus>; isPodReady?: boolean; then: boolean }>([
    { name: 'still runs with the old image', status: {}, then: true },
    { name: 'has ended', status: { ready: false }, isPodReady: false, then: true },
    { name: 'runs with the empty image', status: runningStatus('mesh-1', emptyImage, soon), then: false },
    { name: 'is on a node that is dead', status: {}, isPodReady: false, then: false },
  ])('empties a twin that $name: $then', ({ status, isPodReady = true, then }) => {
    const pod = withStatus(flippedPod(runs, context), 'mesh-1', status);
    const conditions = [{ type: 'Ready', status: isPodReady ? ('True' as const) : ('False' as const) }];
    const seen = { ...pod, status: { ...pod.status, conditions } };
    expect(isEmptying(seen, recordsOf(seen), view)).toBe(then);
    expect(isEmptying(runs, recordsOf(runs), view)).toBe(false);
  });

  const hot = aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1')] });
  const next = changed(hot, { containers: [aHotSidecar('mesh', 'mesh:2')] });
  const view = viewOf(next);
  const context = { view, latestRevision: 'r', now: written };
  const swapped = updatedPod(anInjectedPod(hot), context);
  const runs = withStatus(swapped, 'mesh-2', runningStatus('mesh-2', 'mesh:2', soon));

  it('leaves the Pod not ready until the old container is emptied', () => {
    expect(memberOf(anInjectedPod(hot), recordsOf(anInjectedPod(hot)), viewOf(hot)).ready).toBe(true);
    expect(memberOf(runs, recordsOf(runs), view).ready).toBe(false);
    const emptied = flippedPod(runs, context);
    expect(emptied.spec.containers.map(({ image }) => image)).toEqual([emptyImage, 'mesh:2', 'app:1']);
    expect(memberOf(emptied, recordsOf(emptied), view)).toMatchObject({ ready: true, consistent: false });
    const done = withStatus(emptied, 'mesh-1', runningStatus('mesh-1', emptyImage, soon));
    expect(memberOf(done, recordsOf(done), view)).toMatchObject({ ready: true, consistent: true });
  });

  it('empties the old container once the new one works', () => {
    expect(canFlip(anInjectedPod(hot), recordsOf(anInjectedPod(hot)), viewOf(hot))).toBe(false);
    expect(canFlip(swapped, recordsOf(swapped), view)).toBe(false);
    expect(canFlip(runs, recordsOf(runs), view)).toBe(true);
    const failing = withStatus({ ...runs, status: { ...runs.status, conditions: [] } }, 'mesh-2', { ready: false });
    expect(canFlip(failing, recordsOf(failing), view)).toBe(false);
  });

  it('does not wait for the old container, nor for the Pod, where all others are ready', () => {
    const onlyOldFails = withStatus({ ...runs, status: { ...runs.status, conditions: [{ type: 'Ready', status: 'False' }] } }, 'mesh-1', {
      ready: false,
    });
    expect(canFlip(onlyOldFails, recordsOf(onlyOldFails), view)).toBe(true);
  });

  it('writes the versions of the table at both ends', () => {
    const versions = (pod: Pod): readonly (string | undefined)[] =>
      ['version', 'versionalt'].flatMap((kind) =>
        ['mesh-1', 'mesh-2'].map((name) => pod.metadata.annotations?.[`${kind}.sidecarset.kruise.io/${name}`]),
      );
    expect(versions(anInjectedPod(hot))).toEqual(['1', '0', '0', '1']);
    expect(versions(swapped)).toEqual(['1', '7', '7', '1']);
    expect(versions(flippedPod(runs, context))).toEqual(['0', '7', '7', '0']);
  });
});

describe('the state of an update', () => {
  it('stays that of the first one, with the ids of what changes now', () => {
    const pod = withStatus(updated, 'side', runningStatus('side', 'side:2', soon));
    const third = imageChanged(first, 'side:3');
    const again = updatedPod(pod, { view: viewOf(third), latestRevision: 'r3', now: instant(soon + 5000) });
    const state = JSON.parse(again.metadata.annotations?.[sidecarSetAnnotations.inPlaceUpdateState] ?? '') as unknown;
    expect(state).toEqual({
      set: {
        revision: viewOf(second).hash,
        updateTimestamp: formatTime(written),
        lastContainerStatuses: { side: { imageID: 'sha256:side:2' } },
      },
    });
  });

  it('is written without containers when no image changes, and the record all the same', () => {
    const other = aSidecarSet({ containers: [aSidecar('side', 'side:1', { imagePullPolicy: 'Always' })] });
    const pod = updatedPod(anInjectedPod(first), { view: viewOf(other), latestRevision: 'r2', now: written });
    const state = pod.metadata.annotations?.[sidecarSetAnnotations.inPlaceUpdateState];
    expect(state).toBe(`{"set":{"revision":"${viewOf(other).hash}","updateTimestamp":"2026-01-01T00:01:00Z","lastContainerStatuses":{}}}`);
    expect(recordsOf(pod).hashes.get('set')).toMatchObject({ hash: viewOf(other).hash, controllerRevision: 'r2' });
    expect(recordsOf(pod).imageless.get('set')?.hash).toBe(viewOf(first).hashWithoutImage);
  });

  it('takes the metadata patches along', () => {
    const patches = [{ annotations: { plan: '{"a":1}' }, patchPolicy: 'MergePatchJson' }];
    const patched = changed(second, { patchPodMetadata: patches });
    const pod = anInjectedPod(first, { annotations: { plan: '{"b":2}' } });
    expect(update(pod, patched).metadata.annotations?.['plan']).toBe('{"a":1,"b":2}');
    expect(() => update(anInjectedPod(first, { annotations: { plan: 'x' } }), patched)).toThrow('annotation plan');
  });

  it('is not written twice for one version', () => {
    expect(update(updated, second)).toBe(updated);
  });
});
