/** What a controller sees of the cluster: the objects of one kind, indexed, at least as new as its own last write. */
import type { KubeObject, ObjectKey, ResourceType } from '@kruise/objects';

/** Which objects of a store are meant; every member narrows. */
export interface StoreQuery {
  readonly namespace?: string;
  /** Label selector in its text form or parsed; filters after the namespace or index was used. */
  readonly selector?: (labels: Readonly<Record<string, string>>) => boolean;
  /** By namespace, then name, in code unit order; otherwise in no particular order. */
  readonly sorted?: boolean;
}

/** Read side. Objects are frozen and shared: never write to them. */
export interface StoreReader<T extends KubeObject = KubeObject> {
  readonly type: ResourceType<T>;
  get(key: ObjectKey): T | undefined;
  list(query?: StoreQuery): readonly T[];
  /** Objects whose index function gave `value`; throws for an index that was not registered. */
  byIndex(index: string | { readonly name: string }, value: string, query?: StoreQuery): readonly T[];
  readonly size: number;
  /** True once the first complete list is in. */
  readonly synced: boolean;
}

/** One value per object and index: every value under which the object shall be found. */
export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[];

/**
 * A change as the store took it in: own writes and watch events alike, each change once, never an older one after a newer.
 * `Deleted` also when only the gap of a relist showed it (then `object` is the last state known).
 */
export type StoreEvent<T extends KubeObject> =
  | { readonly kind: 'Added'; readonly object: T; readonly initial: boolean }
  | { readonly kind: 'Updated'; readonly object: T; readonly previous: T }
  | { readonly kind: 'Deleted'; readonly object: T };

/** Told of each change once the store has it. It must not wait: what takes time goes through a queue. */
export type StoreListener<T extends KubeObject> = (event: StoreEvent<T>) => void;

/** Write side: used by the reflector (watch) and by the caching client (own writes). */
export interface StoreWriter<T extends KubeObject = KubeObject> {
  /** How far the reflector has come; undefined before the first complete list. */
  readonly resourceVersion: string | undefined;
  /** Takes in an object that a write returned or a watch sent; ignored when what is held (or its tombstone) is as new or newer. */
  observe(object: T): void;
  /** Takes in a deletion; `resourceVersion` is the deletion's. Leaves a tombstone against late events of the same object. */
  observeDeletion(key: ObjectKey, uid: string | undefined, resourceVersion: string): void;
  /**
   * A write was answered with a version that is older than what had been seen when it began, so the server's history may have been set back
   * (restored from a backup): the reflector lists anew, unless it has done so meanwhile.
   */
  doubtHistory(resourceVersion: string): void;
  /** The server did not find this object: it is taken out until something newer shows it. */
  observeAbsence(key: ObjectKey, uid: string): void;
}
