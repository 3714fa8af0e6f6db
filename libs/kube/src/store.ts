/** What a controller sees of the cluster: the objects of one kind, indexed, at least as new as its own last write. */
import type { KubeObject, ObjectKey, ResourceType } from '@kruise/objects';

/** Selects objects of a store. Every member narrows the selection. */
export interface StoreQuery {
  readonly namespace?: string;
  /** A test of the labels; it filters after the namespace or index was used. */
  readonly selector?: (labels: Readonly<Record<string, string>>) => boolean;
  /** Sorts by namespace, then name, in code unit order. Otherwise there is no particular order. */
  readonly sorted?: boolean;
}

/** The read side of a store. Objects are frozen and shared: never write to them. */
export interface StoreReader<T extends KubeObject = KubeObject> {
  readonly type: ResourceType<T>;
  get(key: ObjectKey): T | undefined;
  list(query?: StoreQuery): readonly T[];
  /** Returns the objects whose index function returned `value`. Throws for an index that was not registered. */
  byIndex(index: string | { readonly name: string }, value: string, query?: StoreQuery): readonly T[];
  readonly size: number;
  /** True once the first list is complete. */
  readonly synced: boolean;
}

/** Returns every value under which the object can be found in the index. */
export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[];

/**
 * A change as the store applied it: own writes and watch events, each change once, never an older one after a newer.
 * `Deleted` is also sent when only the gap of a relist showed it; `object` is then the last known state.
 */
export type StoreEvent<T extends KubeObject> =
  | { readonly kind: 'Added'; readonly object: T; readonly initial: boolean }
  | { readonly kind: 'Updated'; readonly object: T; readonly previous: T }
  | { readonly kind: 'Deleted'; readonly object: T };

/** Called for each change after the store has applied it. It must not wait: use a queue for work that takes time. */
export type StoreListener<T extends KubeObject> = (event: StoreEvent<T>) => void;

/** The write side of a store, used by the reflector (watch) and by the caching client (own writes). */
export interface StoreWriter<T extends KubeObject = KubeObject> {
  /** The resourceVersion that the reflector has reached; undefined before the first complete list. */
  readonly resourceVersion: string | undefined;
  /** Applies an object that a write returned or a watch sent. Ignored when the held object (or its tombstone) is as new or newer. */
  observe(object: T): void;
  /** Applies a deletion; `resourceVersion` is that of the deletion. Leaves a tombstone against late events of the same object. */
  observeDeletion(key: ObjectKey, uid: string | undefined, resourceVersion: string): void;
  /**
   * Reports that a write returned a version older than what had been seen when it began. The server may have been restored from an older backup, so
   * the reflector lists again, unless it has done so meanwhile.
   */
  doubtHistory(resourceVersion: string): void;
  /** Removes an object that the server did not find, until something newer shows it. */
  observeAbsence(key: ObjectKey, uid: string): void;
}
