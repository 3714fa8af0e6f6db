/**
 * Applies changes of a template's metadata to Pods: labels, annotations and finalizers, the three that a new Pod inherits from its template. What
 * others added to the Pod stays.
 */
import type { ObjectMeta, TemplateMeta } from '@kruise/objects';
import { type MetadataPatch, omitUndefined } from '../spec/update-spec.ts';

const deletedFinalizers = '$deleteFromPrimitiveList/finalizers';

type StringMap = Readonly<Record<string, string>>;
/** null removes the key. */
type StringMapPatch = Readonly<Record<string, string | null>>;

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;
const unlessEmpty = <T extends object>(value: T): T | undefined => (isEmpty(value) ? undefined : value);

function mapPatch(before: StringMap, after: StringMap): StringMapPatch | undefined {
  const removed = Object.keys(before).filter((key) => after[key] === undefined);
  const written = Object.entries(after).filter(([key, value]) => before[key] !== value);
  return unlessEmpty(Object.fromEntries([...removed.map((key): [string, null] => [key, null]), ...written]));
}

const lacking = (list: readonly string[] | undefined, held: ReadonlySet<string>): readonly string[] =>
  (list ?? []).filter((one) => !held.has(one));

/**
 * Returns a strategic merge patch of a Pod.
 *
 * @returns undefined when nothing differs
 * @remarks Removed keys are named one by one even when the whole map was removed, because null for the map would empty the Pod's.
 * @see spec/inplace-update.md 4 step 5
 */
export function metadataPatchBetween(before: TemplateMeta, after: TemplateMeta): MetadataPatch | undefined {
  const held = new Set(before.finalizers);
  const wanted = new Set(after.finalizers);
  const metadata = omitUndefined<Record<string, unknown>>({
    labels: mapPatch(before.labels ?? {}, after.labels ?? {}),
    annotations: mapPatch(before.annotations ?? {}, after.annotations ?? {}),
    finalizers: unlessEmpty(lacking(after.finalizers, held)),
    [deletedFinalizers]: unlessEmpty(lacking(before.finalizers, wanted)),
  });
  return isEmpty(metadata) ? undefined : { metadata };
}

function patchedMap(map: StringMap | undefined, patch: unknown): StringMap | undefined {
  if (typeof patch !== 'object' || patch === null) return map;
  const changes = patch as StringMapPatch;
  const kept = Object.entries(map ?? {}).filter(([key]) => changes[key] !== null);
  const written = Object.entries(changes).filter((change): change is [string, string] => typeof change[1] === 'string');
  return Object.fromEntries([...kept, ...written]);
}

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);

function patchedFinalizers(held: readonly string[] | undefined, patch: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const added = listOf(patch['finalizers']);
  const removed = new Set(listOf(patch[deletedFinalizers]));
  if (added.length === 0 && removed.size === 0) return held;
  return [...new Set([...lacking(held, removed), ...added])];
}

/** Applies a patch of {@link metadataPatchBetween} (or one of the original). Safe to repeat. */
export const patchMetadata = (metadata: ObjectMeta, { metadata: patch }: MetadataPatch): ObjectMeta =>
  omitUndefined<ObjectMeta>({
    ...metadata,
    labels: patchedMap(metadata.labels, patch['labels']),
    annotations: patchedMap(metadata.annotations, patch['annotations']),
    finalizers: patchedFinalizers(metadata.finalizers, patch),
  });

/** Sets labels and annotations; others stay. */
export const withMetadata = (metadata: ObjectMeta, set: { readonly labels?: StringMap; readonly annotations?: StringMap }): ObjectMeta => ({
  ...metadata,
  ...(set.labels === undefined ? {} : { labels: { ...metadata.labels, ...set.labels } }),
  ...(set.annotations === undefined ? {} : { annotations: { ...metadata.annotations, ...set.annotations } }),
});

/** Removes annotations; returns the same object when it has none of them. */
export function withoutAnnotations(metadata: ObjectMeta, ...keys: readonly string[]): ObjectMeta {
  const held = metadata.annotations ?? {};
  if (!keys.some((key) => Object.hasOwn(held, key))) return metadata;
  // eslint-disable-next-line kruise/cross-product -- the program writes the keys
  return { ...metadata, annotations: Object.fromEntries(Object.entries(held).filter(([key]) => !keys.includes(key))) };
}

type Loosely = Readonly<Record<string, unknown>>;
const membersOf = (value: unknown): Loosely => (typeof value === 'object' && value !== null ? (value as Loosely) : {});

/**
 * Returns one patch with the result of two in turn. Safe for patches of {@link metadataPatchBetween} and those of the original.
 *
 * @returns the other one when one is absent
 */
export function mergeMetadataPatches(earlier: MetadataPatch | undefined, later: MetadataPatch | undefined): MetadataPatch | undefined {
  if (earlier === undefined || later === undefined) return later ?? earlier;
  const [first, second] = [earlier.metadata, later.metadata];
  const merged = (member: string): Loosely => ({ ...membersOf(first[member]), ...membersOf(second[member]) });
  const [added, removed] = [listOf(second['finalizers']), listOf(second[deletedFinalizers])];
  return {
    metadata: omitUndefined<Record<string, unknown>>({
      ...first,
      ...second,
      labels: unlessEmpty(merged('labels')),
      annotations: unlessEmpty(merged('annotations')),
      finalizers: unlessEmpty([...new Set([...lacking(listOf(first['finalizers']), new Set(removed)), ...added])]),
      [deletedFinalizers]: unlessEmpty([...new Set([...lacking(listOf(first[deletedFinalizers]), new Set(added)), ...removed])]),
    }),
  };
}
