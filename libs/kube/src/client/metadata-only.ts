/** Objects of which only the metadata is read: Secrets that are looked for and not read, for instance. */
import { apiVersionOf, type KubeObject, type ResourceType } from '@kruise/objects';

/** What of each object a read brings: `apiVersion`, `kind` and `metadata`; the rest is absent, whatever the type says. */
export type ObjectPart = 'Metadata';

const asPartial = (kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList'): string =>
  `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;

/** The `accept` headers of a read that ask for a part; a server that does not know the part sends whole objects. */
export const acceptOf = {
  list: (part: ObjectPart | undefined) => (part === undefined ? {} : { headers: { accept: asPartial('PartialObjectMetadataList') } }),
  /** Of one object, read or watched. */
  one: (part: ObjectPart | undefined) => (part === undefined ? {} : { headers: { accept: asPartial('PartialObjectMetadata') } }),
};

/** The part of an object, under the kind that it is of: the server sends it as PartialObjectMetadata. */
export const metadataOnly = <T extends KubeObject>({ metadata }: T, type: ResourceType<T>): T =>
  ({ apiVersion: apiVersionOf(type), kind: type.kind, metadata }) as T;
