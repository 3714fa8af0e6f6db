/**
 * The writes that nearly every controller makes to its own object: its status and its finalizers. An object that no longer exists needs neither.
 * Another object with its name is never changed.
 */
import {
  createMergePatch,
  deepEqual,
  hasFinalizer,
  keyOf,
  withFinalizer,
  withoutFinalizer,
  type KubeObject,
  type ResourceType,
} from '@kruise/objects';
import type { Client } from './client/client.ts';
import { unlessDeleted } from './unless-deleted.ts';

/** An object with a status. */
export interface WithStatus extends KubeObject {
  readonly status?: object;
}

/** A status to write, and the version of its object. */
export interface StatusWrite<T extends WithStatus> {
  /** The object as it was read. Its version, or its uid, is the precondition. */
  readonly object: T;
  readonly status: NonNullable<T['status']>;
  /**
   * `Replace` writes the whole status on exactly the version that was read, so that no other write is overwritten. `Merge` writes the difference on
   * any version: for a status with several writers, or one that is written many times a second.
   */
  readonly how: 'Replace' | 'Merge';
}

/**
 * Writes the status if it differs.
 *
 * @returns the object after the write; undefined when it no longer exists
 * @throws what the API server refused; a Conflict when another client wrote meanwhile (`Replace`), or when another object has the name by now
 */
export async function writeStatus<T extends WithStatus>(
  client: Client,
  type: ResourceType<T>,
  { object, status, how }: StatusWrite<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  if (deepEqual(object.status, status)) return object;
  if (how === 'Replace') return unlessDeleted(client.updateStatus(type, { ...object, status }, { signal }));
  // To the merge, an empty status member would look like an absent one.
  const patch = { metadata: { uid: object.metadata.uid }, status: createMergePatch({ ...object.status }, { ...status }) };
  return unlessDeleted(client.patch(type, keyOf(object), patch, { type: 'merge', subresource: 'status', signal }));
}

/**
 * Adds or removes a finalizer on the version that was read, because the list contains finalizers of other controllers.
 *
 * @returns the object after the write, the same one when there was nothing to do; undefined when it no longer exists
 * @throws a Conflict when another client wrote meanwhile
 */
export async function setFinalizer<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  { object, finalizer, present }: { readonly object: T; readonly finalizer: string; readonly present: boolean },
  signal: AbortSignal,
): Promise<T | undefined> {
  if (hasFinalizer(object, finalizer) === present) return object;
  const { uid, resourceVersion } = object.metadata;
  const change = present ? withFinalizer : withoutFinalizer;
  const metadata = { uid, resourceVersion, finalizers: change(object.metadata.finalizers, finalizer) };
  return unlessDeleted(client.patch(type, keyOf(object), { metadata }, { type: 'merge', signal }));
}
