/**
 * What the node daemon reports about the running containers, and the hashes to compare it with the Pod's spec.
 *
 * @see spec/inplace-update.md 2.4, 7.3
 */
import { annotations } from '@kruise/api';
import { byteText, canonicalJson, containerStatusOf, fnv1a, goString, isJsonObject, type Container, type Pod } from '@kruise/objects';
import { byUtf8, declaredJson, normalizeStruct } from '../../revision/normalize.ts';
import { metadataEnvs, type MetadataEnv } from '../metadata/env-from-metadata.ts';
import { parseObject, structJson } from '../spec/update-spec.ts';

/** Hashes are unsigned 32-bit numbers, 0 when unknown. */
export interface RuntimeContainerMeta {
  readonly name: string;
  /** With the runtime's scheme, e.g. `containerd://<id>`. */
  readonly containerID: string;
  readonly restartCount: number;
  readonly plainHash: number;
  readonly metadataEnvHash: number;
}

const numberOr0 = (value: unknown): number => (typeof value === 'number' ? value : 0);
const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');

function metaOf(entry: Readonly<Record<string, unknown>>): RuntimeContainerMeta {
  const hashes = isJsonObject(entry['hashes']) ? entry['hashes'] : {};
  return {
    name: textOr(entry['name']),
    containerID: textOr(entry['containerID']),
    restartCount: numberOr0(entry['restartCount']),
    plainHash: numberOr0(hashes['plainHash']),
    metadataEnvHash: numberOr0(hashes['extractedEnvFromMetadataHash']),
  };
}

/** Returns the report, undefined when the daemon has not reported, or its report cannot be read. */
export function runtimeMetaOf(pod: Pod): readonly RuntimeContainerMeta[] | undefined {
  const text = pod.metadata.annotations?.[annotations.runtimeContainersMeta];
  const parsed = text === undefined ? undefined : parseObject(text);
  const containers = parsed?.kind === 'Parsed' ? parsed.value['containers'] : undefined;
  return Array.isArray(containers) ? containers.filter(isJsonObject).map(metaOf) : undefined;
}

const metaJson = (meta: RuntimeContainerMeta): string =>
  structJson([
    ['name', goString(meta.name)],
    ['containerID', goString(meta.containerID)],
    ['restartCount', String(meta.restartCount)],
    [
      'hashes',
      structJson([
        ['plainHash', String(meta.plainHash)],
        ['extractedEnvFromMetadataHash', meta.metadataEnvHash === 0 ? undefined : String(meta.metadataEnvHash)],
      ]),
    ],
  ]);

/** Returns the value of the runtime meta annotation. */
export const formatRuntimeMeta = (containers: readonly RuntimeContainerMeta[]): string =>
  `{"containers":[${containers.map(metaJson).join(',')}]}`;

const hashJson = (json: string): number => fnv1a(byteText(json));

/** Returns the kubelet's hash of a container, from 1.31 on. */
export const plainHash = (container: Container): number => hashJson(canonicalJson({ image: container.image, name: container.name }));

/** Returns the kubelet's hash of a container before 1.31: over its whole spec. */
export const legacyPlainHash = (container: Container): number =>
  hashJson(declaredJson(normalizeStruct(container, 'Container'), 'Container'));

/** Returns the hash over the values that a container reads from the Pod's present metadata. */
export const metadataEnvHash = (container: Container, metadata: Pod['metadata']): number =>
  metadataEnvHashOf(container, ({ from, key }) => metadata[from]?.[key] ?? '');

/**
 * Returns the hash over the values of those variables of a container that read the Pod's metadata.
 *
 * @param valueOf returns its value, '' for an unset one
 */
export function metadataEnvHashOf(container: Container, valueOf: (env: MetadataEnv) => string): number {
  const values = metadataEnvs(container)
    .map((env) => ({ name: env.name, value: valueOf(env) }))
    .sort(byUtf8((env) => env.name));
  const written = values.map(({ name, value }) =>
    structJson([
      ['name', goString(name)],
      ['value', value === '' ? undefined : goString(value)],
    ]),
  );
  return hashJson(written.length === 0 ? 'null' : `[${written.join(',')}]`);
}

/** The hash that must be equal. */
export type HashKind = 'Plain' | 'MetadataEnv';

function isConsistent(pod: Pod, container: Container, meta: RuntimeContainerMeta, kind: HashKind): boolean {
  if (kind === 'MetadataEnv') return meta.metadataEnvHash === metadataEnvHash(container, pod.metadata);
  return meta.plainHash === plainHash(container) || meta.plainHash === legacyPlainHash(container);
}

/**
 * Returns the first container that does not run as the Pod's spec and metadata require, or whose report is of another instance of it.
 *
 * @returns undefined when all agree
 */
export function firstInconsistent(pod: Pod, metas: readonly RuntimeContainerMeta[], kind: HashKind): string | undefined {
  const byName = new Map(metas.map((meta) => [meta.name, meta] as const).toReversed());
  return pod.spec.containers.find((container) => {
    const meta = byName.get(container.name);
    const containerID = containerStatusOf(pod, container.name)?.containerID ?? '';
    return meta === undefined || containerID === '' || meta.containerID !== containerID || !isConsistent(pod, container, meta, kind);
  })?.name;
}
