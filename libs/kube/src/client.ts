/** What the rest of the project may ask of an API server. Implemented by `createClient` (HTTP/2) and, over a store, by `CachingClient`. */
import type { ObjectPart } from './client/metadata-only.ts';
import type { UrlPath } from './client/resource-path.ts';
import type { KubeObject, ObjectKey, ResourceType } from '@kruise/objects';

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Whole call including retries; the client's default when absent. */
  readonly timeoutMs?: number;
  /** Called when an attempt has its connection, right before the first byte leaves; a throw of an `ApiError` fails the call unsent. */
  readonly beforeSend?: () => void;
}

/** Which part of an object is read, and how new it must be. */
export interface GetOptions extends CallOptions {
  readonly subresource?: string;
  readonly resourceVersion?: string;
  /** The whole object when absent. */
  readonly part?: ObjectPart;
}

/** Which objects are listed, and how new they must be. `continue` goes on where a list with `limit` ended. */
export interface ListOptions<T extends KubeObject = KubeObject> extends CallOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /**
   * Takes each item as soon as it is read, so that a long list never exists as a whole; the `items` that are returned then are empty (a
   * client that reads no streams may ignore this and return them). Items that were given before a failure stay given.
   */
  readonly onItem?: (item: T) => void;
  /** How much of each object is sent; all of it when absent. */
  readonly part?: ObjectPart;
}

/** A list or one page of it; `continue` is there while there are more pages. */
export interface ObjectList<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number };
  /** `apiVersion` and `kind` are filled in: the API server leaves them out of list items. */
  readonly items: readonly T[];
}

/** How an object is written. */
export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /**
   * The exact JSON text of the object, sent instead of what `JSON.stringify` makes of it: for data whose order of members counts (JavaScript
   * moves keys that look like integers to the front).
   */
  readonly text?: string;
  /** e.g. `status`, `scale`, `resize`, `ephemeralcontainers`, `eviction`. */
  readonly subresource?: string;
}

/** Merge patch (RFC 7386), strategic merge patch (built-in kinds only), JSON patch (RFC 6902), server-side apply. */
export type PatchType = 'merge' | 'strategic' | 'json' | 'apply';

/**
 * How an object is deleted. `preconditions` that do not hold fail with Conflict; without `propagationPolicy` the kind's own default
 * applies.
 */
export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** autoscaling/v1 Scale, as far as it is used. */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/** A call that no typed verb makes. */
export interface RawOptions extends CallOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** An answer with more bytes fails; `referenceLimits.answerBytes` by default. */
  readonly mostBytes?: number;
}

/** Every call throws `ApiError` (and nothing else) when it fails. */
export interface Client {
  get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: GetOptions): Promise<T>;
  /** A property, so that a client which may list some types alone is not taken for this one. */
  readonly list: <T extends KubeObject>(type: ResourceType<T>, options?: ListOptions<T>) => Promise<ObjectList<T>>;
  create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  /** PUT; `metadata.resourceVersion`, when given, is the precondition. */
  update<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  /** PUT to `/status`. */
  updateStatus<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  /** `patch` is the document to send as it is: an object for merge, strategic and apply, an array for json. */
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: unknown,
    options: WriteOptions & { readonly type: PatchType; readonly force?: boolean },
  ): Promise<T>;
  /** @returns the object as it was when deletion began, or undefined when the server answered with a Status. */
  delete<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: DeleteOptions): Promise<T | undefined>;
  getScale(type: ResourceType, key: ObjectKey, options?: CallOptions): Promise<Scale>;
  updateScale(type: ResourceType, key: ObjectKey, scale: Scale, options?: WriteOptions): Promise<Scale>;
  /** POST policy/v1 Eviction; a refusal by a disruption budget is `TooManyRequests`. */
  evict(key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /** Any path: discovery, `/version`, `/readyz`. The body is parsed when the answer is JSON, else text. */
  raw(path: UrlPath, options?: RawOptions): Promise<unknown>;
  /**
   * A watch as the server sends it, one event at a time, until the server ends it (the iteration finishes), `signal` aborts it
   * (throws `Aborted`), or it breaks (throws `ApiError`). An ERROR event is thrown as the `ApiError` of its Status (`Gone` for an expired resourceVersion).
   */
  watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions<T>): AsyncIterable<WatchEvent<T>>;
  close(): void;
}

/** Which changes are told and from which version on; without `resourceVersion` the watch begins with what exists. */
export interface WatchOptions<T extends KubeObject = KubeObject> {
  readonly signal: AbortSignal;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  /** How much of each object is sent; all of it when absent. */
  readonly part?: ObjectPart;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds?: number;
  /**
   * Takes each event as soon as it is read, which costs less than an iteration; the iteration then has none but ends as usual (a client that
   * reads no streams may ignore this and iterate). A promise is awaited before the next event; what it throws ends the watch and is thrown
   * by the iteration as it is.
   */
  readonly onEvent?: (event: WatchEvent<T>) => Promise<void> | undefined;
}

/** A bookmark carries no object: it says up to which version everything was told. */
export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean };
