/**
 * Combines an update with the previous one when that has not reached every container: the new one makes the remaining changes of the previous one,
 * unless it contradicts them. The Pod already has the label of the earlier revision, so the new update is only the difference to that revision.
 */
import type { Pod, ResourceRequirements } from '@kruise/objects';
import { mergeMetadataPatches } from './metadata/metadata-patch.ts';
import { type RefMetadata, type UpdateSpec, omitUndefined } from './spec/update-spec.ts';
import { type InPlaceUpdateState, graceSpecOf, updateStateOf } from './state/update-state.ts';

type Wishes = Omit<UpdateSpec, 'revision' | 'graceSeconds'>;
type ByName<T> = Readonly<Record<string, T>>;

const laterBatches = (state: InPlaceUpdateState): Wishes =>
  omitUndefined<Wishes>({
    containerImages: state.nextContainerImages,
    containerRefMetadata: state.nextContainerRefMetadata,
    containerResources: state.nextContainerResources,
    metaDataPatch: undefined,
    updateEnvFromMetadata: state.nextContainerRefMetadata === undefined ? undefined : true,
  });

/** Returns what an update of the Pod still has to write; undefined when there is none, or it cannot be read. */
function pendingOf(pod: Pod): Wishes | undefined {
  const grace = graceSpecOf(pod);
  if (grace.kind === 'Parsed') return grace.value;
  const state = updateStateOf(pod);
  return state.kind === 'Parsed' ? laterBatches(state.value) : undefined;
}

function mergeMaps<T>(earlier: ByName<T> | undefined, later: ByName<T> | undefined, both: (a: T, b: T) => T): ByName<T> | undefined {
  if (earlier === undefined || later === undefined) return later ?? earlier;
  const joined = Object.entries(later).map(([name, value]): [string, T] => {
    const held = Object.hasOwn(earlier, name) ? earlier[name] : undefined;
    return [name, held === undefined ? value : both(held, value)];
  });
  return { ...earlier, ...Object.fromEntries(joined) };
}

const mergeRefs = (a: RefMetadata, b: RefMetadata): RefMetadata =>
  omitUndefined<RefMetadata>({
    labels: mergeMaps(a.labels, b.labels, (_, value) => value),
    annotations: mergeMaps(a.annotations, b.annotations, (_, value) => value),
  });

const keysOf = (patch: UpdateSpec['metaDataPatch'], member: 'labels' | 'annotations'): ReadonlySet<string> =>
  new Set(Object.keys((patch?.metadata[member] as object | null | undefined) ?? {}));

const without = (map: ByName<string> | undefined, keys: ReadonlySet<string>): ByName<string> | undefined => {
  const kept = Object.entries(map ?? {}).filter(([key]) => !keys.has(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
};

/** Returns the earlier metadata of containers, except for what the new update writes or removes itself. */
function stillWanted(refs: ByName<RefMetadata> | undefined, patch: UpdateSpec['metaDataPatch']): ByName<RefMetadata> | undefined {
  const [labels, annotations] = [keysOf(patch, 'labels'), keysOf(patch, 'annotations')];
  const kept = Object.entries(refs ?? {}).flatMap(([name, ref]): [string, RefMetadata][] => {
    const left = omitUndefined<RefMetadata>({ labels: without(ref.labels, labels), annotations: without(ref.annotations, annotations) });
    return Object.keys(left).length === 0 ? [] : [[name, left]];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

const mergeResources = (a: ResourceRequirements, b: ResourceRequirements): ResourceRequirements => ({
  ...a,
  ...b,
  ...(a.limits === undefined && b.limits === undefined ? {} : { limits: { ...a.limits, ...b.limits } }),
  ...(a.requests === undefined && b.requests === undefined ? {} : { requests: { ...a.requests, ...b.requests } }),
});

/**
 * Returns the combined update.
 *
 * @param spec the new update, as the difference between the revision of the Pod's label and the target
 * @returns `spec` itself when nothing remains of an earlier update
 */
export function withPendingOf(pod: Pod, spec: UpdateSpec): UpdateSpec {
  const pending = pendingOf(pod);
  if (pending === undefined) return spec;
  return omitUndefined<UpdateSpec>({
    revision: spec.revision,
    graceSeconds: spec.graceSeconds,
    containerImages: mergeMaps(pending.containerImages, spec.containerImages, (_, image) => image),
    containerRefMetadata: mergeMaps(stillWanted(pending.containerRefMetadata, spec.metaDataPatch), spec.containerRefMetadata, mergeRefs),
    containerResources: mergeMaps(pending.containerResources, spec.containerResources, mergeResources),
    metaDataPatch: mergeMetadataPatches(pending.metaDataPatch, spec.metaDataPatch),
    updateEnvFromMetadata: pending.updateEnvFromMetadata === true || spec.updateEnvFromMetadata === true ? true : undefined,
  });
}
