/** Applies one batch of an update to a Pod. Pure and repeatable: after a conflict, call it again with the newer Pod. @see spec/inplace-update.md 5 */
import { annotations } from '@kruise/api';
import { type Container, type Instant, type Pod, type ResourceRequirements, formatTime } from '@kruise/objects';
import { byUtf8 } from '../revision/normalize.ts';
import { type ContainerWishes, chooseBatch } from './container-batch.ts';
import { patchMetadata, withMetadata, withoutAnnotations } from './metadata/metadata-patch.ts';
import { type ResizePatch, resizePatch, supportsResize, withResources } from './resize.ts';
import { type UpdateSpec, omitUndefined } from './spec/update-spec.ts';
import { type InPlaceUpdateState, formatUpdateState } from './state/update-state.ts';
import { imageIdsOf } from './state/image-ids.ts';

/**
 * How cpu and memory are changed: not at all (gate InPlaceWorkloadVerticalScaling off), in the Pod's spec (before 1.32), or with the resize
 * subresource.
 */
export type ResourceWriting = 'Ignored' | 'InSpec' | 'BySubresource';

/**
 * Returns how resources are changed.
 *
 * @param isScalingOn gate InPlaceWorkloadVerticalScaling
 * @param gitVersion of the API server's `/version`
 */
export function resourceWritingFor(isScalingOn: boolean, gitVersion: string): ResourceWriting {
  if (!isScalingOn) return 'Ignored';
  return supportsResize(gitVersion) ? 'BySubresource' : 'InSpec';
}

/** The input of a batch besides the Pod: the time to write, and how resources are changed. */
export interface ApplyContext {
  readonly now: Instant;
  readonly resources: ResourceWriting;
}

/** `resize`, when present, is patched first; then `pod` is written, with `afterResize` of the patch's answer. */
export interface AppliedUpdate {
  readonly pod: Pod;
  readonly resize?: ResizePatch;
  readonly state: InPlaceUpdateState;
}

type ByName<T> = Readonly<Record<string, T>>;

/** Splits a map of wishes into those of the batch and those that wait. Wishes for containers that the Pod does not have are dropped. */
function split<T>(
  map: ByName<T> | undefined,
  pod: Pod,
  batch: ReadonlySet<string>,
): { readonly now: ByName<T>; readonly next: ByName<T> | undefined } {
  const names = new Set(pod.spec.containers.map(({ name }) => name));
  const held = Object.entries(map ?? {}).filter(([name]) => names.has(name));
  const next = held.filter(([name]) => !batch.has(name));
  return {
    now: Object.fromEntries(held.filter(([name]) => batch.has(name))),
    next: next.length === 0 ? undefined : Object.fromEntries(next),
  };
}

/** Returns the image ids of containers that are about to change. The id from before the first change of an update is kept. */
function rememberedImages(pod: Pod, state: InPlaceUpdateState, images: ByName<string>): InPlaceUpdateState['lastContainerStatuses'] {
  const found = imageIdsOf(pod, Object.keys(images));
  return Object.keys(found).length === 0 ? state.lastContainerStatuses : { ...found, ...state.lastContainerStatuses };
}

function changedContainer(container: Container, image: string | undefined, resources: ResourceRequirements | undefined): Container {
  const imaged = image === undefined ? container : { ...container, image };
  return withResources(imaged, resources);
}

const isHeld = <T>(map: ByName<T>, name: string): T | undefined => (Object.hasOwn(map, name) ? map[name] : undefined);

/** Writes the state annotation and removes the legacy one. */
export const withUpdateState = (pod: Pod, state: InPlaceUpdateState): Pod => ({
  ...pod,
  metadata: withMetadata(withoutAnnotations(pod.metadata, annotations.legacyInPlaceUpdateState), {
    annotations: { [annotations.inPlaceUpdateState]: formatUpdateState(state) },
  }),
});

/** Removes the waiting update, under both keys. */
export const withoutGrace = (pod: Pod): Pod => ({
  ...pod,
  metadata: withoutAnnotations(pod.metadata, annotations.inPlaceUpdateGrace, annotations.legacyInPlaceUpdateGrace),
});

/**
 * Applies the next batch.
 *
 * @param wishes everything that is still to do; what the batch leaves is put into the state's `next…` maps
 * @param state of this update so far; its `next…` maps are replaced
 */
export function applyUpdate(
  pod: Pod,
  wishes: ContainerWishes & Pick<UpdateSpec, 'metaDataPatch'>,
  state: InPlaceUpdateState,
  { now, resources: writing }: ApplyContext,
): AppliedUpdate {
  const usable: ContainerWishes =
    writing === 'Ignored' ? omitUndefined<ContainerWishes>({ ...noWishes, ...wishes, containerResources: undefined }) : wishes;
  const batch = chooseBatch(pod, usable);
  const images = split(usable.containerImages, pod, batch);
  const refs = split(usable.containerRefMetadata, pod, batch);
  const resources = split(usable.containerResources, pod, batch);
  const names = [...batch].sort(byUtf8((name) => name));
  const isLast = images.next === undefined && refs.next === undefined && resources.next === undefined;
  const nextState = omitUndefined<InPlaceUpdateState>({
    ...emptied(state),
    lastContainerStatuses: rememberedImages(pod, state, images.now),
    nextContainerImages: images.next,
    nextContainerRefMetadata: refs.next,
    nextContainerResources: resources.next,
    preCheckBeforeNext: isLast ? undefined : { containersRequiredReady: names },
    containerBatchesRecord: [...(state.containerBatchesRecord ?? []), { timestamp: formatTime(now), containers: names }],
  });
  const patched = wishes.metaDataPatch === undefined ? pod.metadata : patchMetadata(pod.metadata, wishes.metaDataPatch);
  const metadata = Object.values(refs.now).reduce(withMetadata, patched);
  const inSpec = writing === 'InSpec' ? resources.now : {};
  const containers = pod.spec.containers.map((held) => changedContainer(held, isHeld(images.now, held.name), isHeld(inSpec, held.name)));
  const resize = writing === 'BySubresource' ? resizePatch(pod, new Map(Object.entries(resources.now))) : undefined;
  const changed = withUpdateState({ ...pod, metadata, spec: { ...pod.spec, containers } }, nextState);
  return { pod: changed, state: nextState, ...(resize === undefined ? {} : { resize }) };
}

const noWishes = { containerImages: undefined, containerRefMetadata: undefined };

/** Returns the state with nothing left for later. */
const emptied = (state: InPlaceUpdateState): InPlaceUpdateState => {
  const {
    nextContainerImages: _images,
    nextContainerRefMetadata: _refs,
    nextContainerResources: _resources,
    preCheckBeforeNext: _check,
    ...kept
  } = state;
  return kept;
};
