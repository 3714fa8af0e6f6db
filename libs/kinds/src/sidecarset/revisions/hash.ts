/** The hashes of a SidecarSet. They show whether a Pod is updated, and whether it can be upgraded. */
import { createHash } from 'node:crypto';
import { annotations, sidecarSetAnnotations, type SidecarContainer, type SidecarSet, type SidecarSetSpec } from '@kruise/api';
import { isJsonObject, safeEncode } from '@kruise/objects';
import { declaredJson, eachDeclaredMember, normalizeStruct } from '@kruise/pods';

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

/** The JSON of a container, and the same without its image; an image that is empty is not written. */
interface ContainerText {
  readonly whole: string;
  readonly withoutImage: string;
}

function textOf(container: SidecarContainer | null): ContainerText {
  const normalized = normalizeStruct(orEmpty(container), 'SidecarContainer');
  const written = { type: 'SidecarContainer', unknownMembers: 'Kept' } as const;
  if (!isJsonObject(normalized)) {
    const text = declaredJson(normalized, written.type);
    return { whole: text, withoutImage: text };
  }
  const members: string[] = [];
  const others: string[] = [];
  eachDeclaredMember(normalized, written, (name, text) => {
    members.push(text);
    if (name !== 'image') others.push(text);
  });
  return { whole: `{${members.join()}}`, withoutImage: `{${others.join()}}` };
}

const digest = (text: string): string => safeEncode(createHash('sha256').update(text).digest('hex'));

/**
 * @param spec with its defaults, of either version
 * @see spec/sidecarset.md 5.1
 */
export function sidecarSetHashes({ containers, initContainers }: HashedSpec): SidecarSetHashes {
  const own = isList(containers) ? containers.map(textOf) : [];
  // Plain init containers are no part of it.
  const inits = isList(initContainers) && initContainers.some(isNativeSidecar) ? initContainers.map(textOf) : [];
  const hashOf = (part: keyof ContainerText): string => {
    const texts = (list: readonly ContainerText[]): string => `[${list.map((text) => text[part]).join()}]`;
    const ownTexts = Array.isArray(containers) ? texts(own) : 'null';
    return digest(`{"containers":${ownTexts}${inits.length === 0 ? '' : `,"initContainers":${texts(inits)}`}}`);
  };
  return { hash: hashOf('whole'), hashWithoutImage: hashOf('withoutImage') };
}

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
