/** What one write changes of a Pod: the cases of spec/sidecarset.md 5.7 and 5.8 that a rollout seldom comes by. */
import { describe, expect, it } from '@jest/globals';
import { annotations, sidecarSetAnnotations, type SidecarSet } from '@kruise/api';
import { instant, type ContainerStatus, type Pod } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { recordsOf } from './pod-facts.ts';
import { viewOf } from '../view/sidecar-set-view.ts';
import { aHotSidecar, anInjectedPod, aSidecar, aSidecarSet, changed, emptyImage, runningStatus } from '../testing.ts';
import { updatedPod } from './update-pod.ts';

const now = instant(epoch + 60_000);
const soon = instant(epoch + 65_000);
const update = (pod: Pod, sidecarSet: SidecarSet): Pod => updatedPod(pod, { view: viewOf(sidecarSet), latestRevision: 'r', now });
const imagesOf = (pod: Pod): readonly (string | undefined)[] => pod.spec.containers.map(({ image }) => image);
const annotated = (pod: Pod, change: Readonly<Record<string, string | undefined>>): Pod => {
  const all = Object.entries({ ...pod.metadata.annotations, ...change });
  const held = Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
  return { ...pod, metadata: { ...pod.metadata, annotations: held } };
};
const stateOf = (pod: Pod): unknown => JSON.parse(pod.metadata.annotations?.[sidecarSetAnnotations.inPlaceUpdateState] ?? 'null');

describe('the twin that the next version goes to', () => {
  const [first, second, third] = ['mesh:1', 'mesh:2', 'mesh:3'].map((image) =>
    changed(aSidecarSet(), { containers: [aHotSidecar('mesh', image)] }),
  ) as [SidecarSet, SidecarSet, SidecarSet];
  /** mesh-1 still serves mesh:1, mesh-2 was given mesh:2 and is to work; its container still is the empty one. */
  const swapped = update(anInjectedPod(first), second);
  const withStatus = (name: string, change: ContainerStatus): Pod => ({
    ...swapped,
    status: {
      ...swapped.status,
      containerStatuses: (swapped.status?.containerStatuses ?? []).map((status) => (status.name === name ? change : status)),
    },
  });
  const { status: _status, ...unseen } = swapped;

  it.each<{ name: string; pod: Pod; then: readonly string[] }>([
    {
      name: 'the one that runs the last version and is not ready',
      pod: withStatus('mesh-2', runningStatus('mesh-2', 'mesh:2', soon, false)),
      then: ['mesh:1', 'mesh:3', 'app:1'],
    },
    { name: 'the one that is ready and does not run the last version yet', pod: swapped, then: ['mesh:1', 'mesh:3', 'app:1'] },
    {
      name: 'the one that does not work where both are sound',
      pod: withStatus('mesh-2', runningStatus('mesh-2', 'mesh:2', soon)),
      then: ['mesh:3', 'mesh:2', 'app:1'],
    },
    { name: 'the one that does not work if no kubelet has seen either', pod: unseen, then: ['mesh:3', 'mesh:2', 'app:1'] },
  ])('is $name', ({ pod, then }) => {
    expect(imagesOf(swapped)).toEqual(['mesh:1', 'mesh:2', 'app:1']);
    expect(imagesOf(update(pod, third))).toEqual(then);
  });
});

describe('an update', () => {
  const first = aSidecarSet();
  const second = changed(first, { containers: [aSidecar('side', 'side:2')] });

  it('leaves twins alone whose working one has the image', () => {
    const both = aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1'), aSidecar('side', 'side:1')] });
    const pod = anInjectedPod(both);
    const next = update(pod, changed(both, { containers: [aHotSidecar('mesh', 'mesh:1'), aSidecar('side', 'side:2')] }));
    expect(imagesOf(next)).toEqual(['mesh:1', emptyImage, 'side:2', 'app:1']);
    const held = next.metadata.annotations ?? {};
    expect(held).toMatchObject(
      Object.fromEntries(Object.entries(pod.metadata.annotations ?? {}).filter(([key]) => /version|hotup/.test(key))),
    );
    expect(held[sidecarSetAnnotations.workingHotUpgradeContainer]).toBe('{"mesh":"mesh-1"}');
  });

  it('changes no image of a sidecar that the Pod has among its init containers, nor for one without an image', () => {
    const pod = anInjectedPod(first);
    const [side, ...containers] = pod.spec.containers;
    const moved = { ...pod, spec: { ...pod.spec, initContainers: [side!], containers } };
    const { image: _image, ...imageless } = aSidecar('side', 'side:1');
    const imageGone = changed(first, { containers: [imageless] });
    for (const [given, next] of [
      [moved, update(moved, second)],
      [pod, update(pod, imageGone)],
    ] as const) {
      expect(next.spec).toEqual(given.spec);
      expect(stateOf(next)).toHaveProperty('set.lastContainerStatuses', {});
    }
  });

  it('replaces states that cannot be read', () => {
    const pod = annotated(anInjectedPod(first), { [sidecarSetAnnotations.inPlaceUpdateState]: '{' });
    expect(stateOf(update(pod, second))).toMatchObject({ set: { lastContainerStatuses: { side: { imageID: 'sha256:side:1' } } } });
  });

  it('writes the record of a Pod that has none', () => {
    const pod = annotated(anInjectedPod(first), { [annotations.sidecarSetHash]: undefined });
    expect(recordsOf(update(pod, second)).hashes.get('set')).toMatchObject({ hash: viewOf(second).hash, controllerRevision: 'r' });
  });

  it.each<{ name: string; held: string | undefined; then: string }>([
    { name: 'keeps the list of SidecarSets that the Pod has, as it is', held: 'set,zoo,all', then: 'set,zoo,all' },
    { name: 'writes the list of a Pod of a very old version', held: undefined, then: 'all,set' },
    { name: 'writes the list where it is empty', held: '', then: 'set' },
  ])('$name', ({ held, then }) => {
    const pod = anInjectedPod([first, aSidecarSet({ name: 'all', containers: [aSidecar('other', 'other:1')] })]);
    const next = update(annotated(pod, { [sidecarSetAnnotations.injectedList]: held }), second);
    expect(next.metadata.annotations?.[sidecarSetAnnotations.injectedList]).toBe(then);
  });
});
