/**
 * The changes of one in-place update on a Pod, and their text in the grace annotation.
 *
 * @see spec/inplace-update.md 2.3
 */
import { canonicalJson, goString, isJsonObject, parseLossless, type ResourceRequirements } from '@kruise/objects';
import { byUtf8 } from '../../revision/normalize.ts';

/** Labels and annotations that environment variables of one container read. */
export interface RefMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A strategic merge patch `{"metadata": {...}}` of a Pod. */
export interface MetadataPatch {
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Maps are keyed by container name. Values of `containerResources` are canonical; only cpu and memory occur. */
export interface UpdateSpec {
  readonly revision: string;
  readonly containerImages?: Readonly<Record<string, string>>;
  readonly containerRefMetadata?: Readonly<Record<string, RefMetadata>>;
  readonly containerResources?: Readonly<Record<string, ResourceRequirements>>;
  readonly metaDataPatch?: MetadataPatch;
  readonly updateEnvFromMetadata?: boolean;
  /** Seconds between taking the Pod out of service and changing its containers; 0 or absent: immediately. */
  readonly graceSeconds?: number;
}

/** A parsed annotation, or why it cannot be parsed. */
export type Parsed<T> = { readonly kind: 'Parsed'; readonly value: T } | { readonly kind: 'Malformed'; readonly why: string };

/** Returns a struct as Go writes it: members in the given order, without absent ones. The texts are JSON already. */
export function structJson(members: readonly (readonly [string, string | undefined])[]): string {
  const written = members.filter(([, json]) => json !== undefined).map(([name, json]) => `${goString(name)}:${json ?? ''}`);
  return `{${written.join(',')}}`;
}

/** Returns the JSON of a map with its keys in Go's order, undefined when it is absent or empty. */
export function mapJson<T>(
  map: Readonly<Record<string, T>> | undefined,
  valueJson: (value: T) => string = canonicalJson,
): string | undefined {
  const entries = Object.entries(map ?? {}).sort(byUtf8(([key]) => key));
  return entries.length === 0 ? undefined : structJson(entries.map(([key, value]) => [key, valueJson(value)]));
}

/** Returns metadata as Go writes an ObjectMeta that contains nothing else. */
export const refMetadataJson = ({ labels, annotations }: RefMetadata): string =>
  structJson([
    ['creationTimestamp', 'null'],
    ['labels', mapJson(labels)],
    ['annotations', mapJson(annotations)],
  ]);

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

const toBase64 = (text: string): string => btoa(Array.from(encoder.encode(text), (byte) => String.fromCharCode(byte)).join(''));
const fromBase64 = (text: string): string => decoder.decode(Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0)));

/** Returns the value of the grace annotation. */
export const formatUpdateSpec = (spec: UpdateSpec): string =>
  structJson([
    ['revision', goString(spec.revision)],
    ['containerImages', mapJson(spec.containerImages)],
    ['containerRefMetadata', mapJson(spec.containerRefMetadata, refMetadataJson)],
    ['containerResources', mapJson(spec.containerResources)],
    ['metaDataPatch', spec.metaDataPatch === undefined ? undefined : `"${toBase64(canonicalJson(spec.metaDataPatch))}"`],
    ['updateEnvFromMetadata', spec.updateEnvFromMetadata === true ? 'true' : undefined],
    ['graceSeconds', (spec.graceSeconds ?? 0) === 0 ? undefined : String(spec.graceSeconds)],
  ]);

/** Parses the JSON object of an annotation; anything else is refused. */
export function parseObject(text: string): Parsed<Readonly<Record<string, unknown>>> {
  try {
    const value = parseLossless(text);
    return isJsonObject(value) ? { kind: 'Parsed', value } : { kind: 'Malformed', why: 'not a JSON object' };
  } catch (error) {
    return { kind: 'Malformed', why: error instanceof Error ? error.message : 'not JSON' };
  }
}

/** Returns the member if it is a non-empty object. The annotations are written by us or by the original, so its values are not checked. */
export const recordMember = <T>(value: unknown): Readonly<Record<string, T>> | undefined =>
  isJsonObject(value) && Object.keys(value).length > 0 ? (value as Readonly<Record<string, T>>) : undefined;

/** Returns the labels and annotations of a ref-metadata entry. */
export function refMetadataMember(value: unknown): Readonly<Record<string, RefMetadata>> | undefined {
  const record = recordMember<Readonly<Record<string, unknown>>>(value);
  if (record === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(record).map(([name, entry]) => [
      name,
      omitUndefined<RefMetadata>({
        labels: recordMember<string>(entry['labels']),
        annotations: recordMember<string>(entry['annotations']),
      }),
    ]),
  );
}

/** A type with members that may hold undefined instead of being absent. */
export type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Returns the object without its undefined members. */
export const omitUndefined = <T>(value: Loose<T>): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;

function parseMetadataPatch(text: unknown): Parsed<MetadataPatch | undefined> {
  if (typeof text !== 'string' || text === '') return { kind: 'Parsed', value: undefined };
  try {
    const patch = parseObject(fromBase64(text));
    return patch.kind === 'Malformed' ? patch : { kind: 'Parsed', value: { metadata: recordMember(patch.value['metadata']) ?? {} } };
  } catch {
    return { kind: 'Malformed', why: 'metaDataPatch is not base64 of UTF-8 text' };
  }
}

/** Inverse of {@link formatUpdateSpec}. Members that the engine never writes (`oldTemplate`, `newTemplate`) are omitted. */
export function parseUpdateSpec(text: string): Parsed<UpdateSpec> {
  const parsed = parseObject(text);
  if (parsed.kind === 'Malformed') return parsed;
  const { revision, graceSeconds, updateEnvFromMetadata, metaDataPatch, ...maps } = parsed.value;
  const patch = parseMetadataPatch(metaDataPatch);
  if (patch.kind === 'Malformed') return patch;
  const value = omitUndefined<UpdateSpec>({
    revision: typeof revision === 'string' ? revision : '',
    containerImages: recordMember<string>(maps['containerImages']),
    containerRefMetadata: refMetadataMember(maps['containerRefMetadata']),
    containerResources: recordMember<ResourceRequirements>(maps['containerResources']),
    metaDataPatch: patch.value,
    updateEnvFromMetadata: updateEnvFromMetadata === true ? true : undefined,
    graceSeconds: typeof graceSeconds === 'number' && graceSeconds !== 0 ? graceSeconds : undefined,
  });
  return { kind: 'Parsed', value };
}
