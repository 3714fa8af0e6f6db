/** Reads only the metadata of objects: for Secrets whose existence is checked without reading them, for instance. */
import { apiVersionOf, type KubeObject, type ResourceType } from '@kruise/objects';

/** The part of each object that a read returns: `apiVersion`, `kind` and `metadata`. The rest is absent, whatever the type declares. */
export type ObjectPart = 'Metadata';

const asPartial = (kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList'): string =>
  `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;

/** The `accept` headers of a read that requests a part. A server that does not know the part sends whole objects. */
export const acceptOf = {
  list: (part: ObjectPart | undefined) => (part === undefined ? {} : { headers: { accept: asPartial('PartialObjectMetadataList') } }),
  /** For one object, read or watched. */
  one: (part: ObjectPart | undefined) => (part === undefined ? {} : { headers: { accept: asPartial('PartialObjectMetadata') } }),
};

/** Returns the part of an object, with the kind of the object: the server sends it as PartialObjectMetadata. */
export const metadataOnly = <T extends KubeObject>({ metadata }: T, type: ResourceType<T>): T =>
  ({ apiVersion: apiVersionOf(type), kind: type.kind, metadata }) as T;
