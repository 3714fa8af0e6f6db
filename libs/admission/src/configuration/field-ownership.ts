/**
 * Releases the fields that this program has written. The API server notes the writer of each field, and an installer that applies on the server, as
 * Helm 4 does, may not change fields of another writer. The API server notes fields with the write itself, so that only a later write can release them.
 */
import type { KubeObject, ObjectMeta } from '@kruise/objects';

/** Writes in a row are released together: after this time without one. */
const quietMs = 2000;

/** Who has written which fields, and when. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  /** RFC 3339, in seconds. */
  readonly time?: string;
}

interface OwnedMeta extends ObjectMeta {
  readonly managedFields?: readonly ManagedFields[];
}

export interface Release<T> {
  /** The object without the record of what `manager` has written. */
  readonly released: T;
  /** When it may be written, in milliseconds since the epoch. */
  readonly dueAtMs: number;
}

/**
 * Returns how the fields that a manager owns are released; undefined when it owns none.
 *
 * @param object as the API server returns it, with `managedFields`
 * @param manager the name before the slash of the user agent of its client
 */
export function planRelease<T extends KubeObject>(object: T, manager: string): Release<T> | undefined {
  const { managedFields = [] } = object.metadata as OwnedMeta;
  const isOwn = (entry: ManagedFields): boolean => entry.manager === manager && entry.operation === 'Update';
  const own = managedFields.filter(isOwn);
  if (own.length === 0) return undefined;
  const released = { ...object, metadata: { ...object.metadata, managedFields: managedFields.filter((entry) => !isOwn(entry)) } };
  return { released, dueAtMs: Math.max(...own.map(({ time = '' }) => Date.parse(time) || 0)) + quietMs };
}
