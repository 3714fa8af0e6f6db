/** What a copy holds, as one text to compare, and the hash that copies carry. Contents themselves are never kept. */
import { createHash } from 'node:crypto';
import type { DistributedKind, DistributedResource } from '@kruise/api';
import { canonicalJson, isJsonObject, ownMember, type JsonObject, toBase64 } from '@kruise/objects';

const sha256 = (text: string, encoding: 'hex' | 'base64'): string => createHash('sha256').update(text).digest(encoding);

/**
 * Over the bytes as the API server sends them: compact, members sorted, Go's escapes.
 *
 * @see spec/resourcedistribution.md 3.1
 */
export const hashOf = (resource: DistributedResource): string => sha256(canonicalJson(resource), 'hex');

const members = (value: unknown): JsonObject | undefined => (isJsonObject(value) && Object.keys(value).length > 0 ? value : undefined);

/** An entry of null is an empty one to the API server. */
const entries = (value: unknown): readonly (readonly [string, unknown])[] =>
  Object.entries(members(value) ?? {}).map(([key, entry]) => [key, entry ?? ''] as const);

/** As the API server prints it; line ends are no part of it. */
const canonicalBase64 = (value: unknown): unknown => (typeof value === 'string' ? value.replace(/[\r\n]/g, '') : value);
const encoded = (value: unknown): unknown => (typeof value === 'string' ? toBase64(value) : value);

const mapOrNothing = (list: readonly (readonly [string, unknown])[]): unknown => (list.length === 0 ? undefined : Object.fromEntries(list));

/** What Kubernetes itself writes into a Secret of this type, each time that it is not there: to take it away again would never end. */
const filledIn = new Map<unknown, readonly string[]>([['kubernetes.io/service-account-token', ['token', 'ca.crt', 'namespace']]]);

/** `stringData` wins over `data`, as at the API server. */
function secretData(object: JsonObject): unknown {
  const all = new Map<string, unknown>([
    ...entries(object['data']).map(([key, value]) => [key, canonicalBase64(value)] as const),
    ...entries(object['stringData']).map(([key, value]) => [key, encoded(value)] as const),
  ]);
  for (const key of filledIn.get(ownMember(object, 'type')) ?? []) all.delete(key);
  return mapOrNothing([...all]);
}

/** What the API server would make of the object, so that what it fills in is no difference. */
function normalized(of: DistributedKind, object: JsonObject): JsonObject {
  const immutable = ownMember(object, 'immutable') ?? undefined;
  if (of === 'Secret') {
    const type = ownMember(object, 'type') ?? '';
    return { type: type === '' ? 'Opaque' : type, data: secretData(object), immutable };
  }
  return {
    data: mapOrNothing(entries(object['data'])),
    binaryData: mapOrNothing(entries(object['binaryData']).map(([key, value]) => [key, canonicalBase64(value)] as const)),
    immutable,
  };
}

/** The same text for the same contents; everything but metadata counts. @see spec/resourcedistribution.md 5.2, 6 */
export const contentsOf = (of: DistributedKind, object: object): string =>
  sha256(canonicalJson(normalized(of, object as JsonObject)), 'base64');
