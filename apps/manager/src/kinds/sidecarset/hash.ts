/** The hashes of a SidecarSet: what tells an updated Pod from one that is not, and an upgradable one from one that is not. */
import { createHash } from 'node:crypto';
import { annotations, sidecarSetAnnotations, type SidecarContainer, type SidecarSet, type SidecarSetSpec } from '@kruise/api';
import { safeEncode } from '@kruise/objects';
import { declaredJson, normalizeStruct } from '@kruise/pods';

export interface SidecarSetHashes {
  /** 64 characters over the containers; over the init containers too if one of them runs on as a native sidecar. */
  readonly hash: string;
  /** The same with every image blanked: equal where only images differ. */
  readonly hashWithoutImage: string;
}

type HashedSpec = Pick<SidecarSetSpec, 'containers' | 'initContainers'>;
type Containers = readonly SidecarContainer[] | null | undefined;

const isList = (containers: Containers): containers is readonly SidecarContainer[] => Array.isArray(containers) && containers.length > 0;

export const isNativeSidecar = (container: { readonly restartPolicy?: string } | null): boolean => container?.restartPolicy === 'Always';

/** A null among the containers is refused later. */
const orEmpty = (container: SidecarContainer | null): SidecarContainer => container ?? ({} as SidecarContainer);

const withoutImage = (container: SidecarContainer): SidecarContainer => {
  const { image: _blanked, ...rest } = container;
  return rest;
};

const digest = (text: string): string => safeEncode(createHash('sha256').update(text).digest('hex'));

/** `containers` of a spec that has none: null is written for an absent list, `[]` for an empty one. */
const withEmptyList = (text: string): string => text.replace(/^\{"containers":null/, '{"containers":[]');

/** What is hashed; plain init containers are no part of it. */
function hashedText({ containers, initContainers }: HashedSpec, change: (container: SidecarContainer) => SidecarContainer): string {
  const hashed = {
    ...(isList(containers) ? { containers: containers.map(orEmpty).map(change) } : {}),
    ...(isList(initContainers) && initContainers.some(isNativeSidecar) ? { initContainers: initContainers.map(orEmpty).map(change) } : {}),
  };
  const text = declaredJson(normalizeStruct(hashed, 'SidecarSetContainers'), 'SidecarSetContainers', 'Kept');
  return Array.isArray(containers) && containers.length === 0 ? withEmptyList(text) : text;
}

/**
 * @param spec with its defaults, of either version
 * @see spec/sidecarset.md 5.1
 */
export const sidecarSetHashes = (spec: HashedSpec): SidecarSetHashes => ({
  hash: digest(hashedText(spec, (container) => container)),
  hashWithoutImage: digest(hashedText(spec, withoutImage)),
});

/** The hashes as the SidecarSet's annotations hold them, which the webhook writes; computed where one is missing. */
export function hashesOf(sidecarSet: SidecarSet): SidecarSetHashes {
  const held = sidecarSet.metadata.annotations ?? {};
  const hash = held[annotations.sidecarSetHash] ?? '';
  const hashWithoutImage = held[sidecarSetAnnotations.hashWithoutImage] ?? '';
  if (hash !== '' && hashWithoutImage !== '') return { hash, hashWithoutImage };
  const computed = sidecarSetHashes(sidecarSet.spec);
  return {
    hash: hash === '' ? computed.hash : hash,
    hashWithoutImage: hashWithoutImage === '' ? computed.hashWithoutImage : hashWithoutImage,
  };
}
