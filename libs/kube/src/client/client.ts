/** The calls that the project may make to an API server. Implemented by `createClient` (HTTP/2) and, over a store, by `CachingClient`. */
import type { ObjectPart } from './bodies/metadata-only.ts';
import type { UrlPath } from './transport/resource-path.ts';
import type { KubeObject, ObjectKey, ResourceType } from '@kruise/objects';

/** The options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Limit of the whole call including retries; the client's default when absent. */
  readonly timeoutMs?: number;
  /** Called when an attempt has its connection, right before its first byte is sent. An `ApiError` that it throws fails the call unsent. */
  readonly beforeSend?: () => void;
}

/** The part of an object to read, and how new it must be. */
export interface GetOptions extends CallOptions {
  readonly subresource?: string;
  readonly resourceVersion?: string;
  /** Default: the whole object. */
  readonly part?: ObjectPart;
}

/** The objects to list, and how new they must be. `continue` resumes where a list with `limit` ended. */
export interface ListOptions<T extends KubeObject = KubeObject> extends CallOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /**
   * Receives each item as soon as it is read, so that a long list is never in memory as a whole. The returned `items` are then empty. A client that
   * does not read streams may ignore this and return the items. Items that were passed before a failure are not withdrawn.
   */
  readonly onItem?: (item: T) => void;
  /** How much of each object is sent; the whole object when absent. */
  readonly part?: ObjectPart;
}

/** A list or one page of it. `continue` is set while there are more pages. */
export interface ObjectList<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number };
  /** `apiVersion` and `kind` are filled in, because the API server omits them in list items. */
  readonly items: readonly T[];
}

/** How an object is written. */
export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /**
   * The exact JSON text of the object, sent instead of the result of `JSON.stringify`. For data whose key order matters: JavaScript moves keys that
   * look like integers to the front.
   */
  readonly text?: string;
  /** For example `status`, `scale`, `resize`, `ephemeralcontainers`, `eviction`. */
  readonly subresource?: string;
}

/** The type of a patch: merge patch (RFC 7386), strategic merge patch (built-in kinds only), JSON patch (RFC 6902), server-side apply. */
export type PatchType = 'merge' | 'strategic' | 'json' | 'apply';

/** How an object is deleted. `preconditions` that do not hold fail with Conflict. Without `propagationPolicy` the kind's own default applies. */
export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** The fields of autoscaling/v1 Scale that are used. */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/** Options of a call that no typed method makes. */
export interface RawOptions extends CallOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** An answer with more bytes fails; `referenceLimits.answerBytes` by default. */
  readonly mostBytes?: number;
}

/** Calls to an API server. Every call throws `ApiError` (and nothing else) when it fails. */
export interface Client {
  get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: GetOptions): Promise<T>;
  /** A property, so that the type checker does not accept a client that may list only some types as this one. */
  readonly list: <T extends KubeObject>(type: ResourceType<T>, options?: ListOptions<T>) => Promise<ObjectList<T>>;
  create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Sends a PUT. `metadata.resourceVersion`, when given, is the precondition. */
  update<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Sends a PUT to `/status`. */
  updateStatus<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Sends `patch` unchanged: an object for merge, strategic and apply, an array for json. */
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: unknown,
    options: WriteOptions & { readonly type: PatchType; readonly force?: boolean },
  ): Promise<T>;
  /**
   * Deletes an object.
   *
   * @returns the object as it was when deletion began, or undefined when the server answered with a Status
   */
  delete<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: DeleteOptions): Promise<T | undefined>;
  getScale(type: ResourceType, key: ObjectKey, options?: CallOptions): Promise<Scale>;
  updateScale(type: ResourceType, key: ObjectKey, scale: Scale, options?: WriteOptions): Promise<Scale>;
  /** Creates a policy/v1 Eviction. A refusal by a disruption budget is `TooManyRequests`. */
  evict(key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /** Calls any path: discovery, `/version`, `/readyz`. Returns the parsed body when the answer is JSON, else its text. */
  raw(path: UrlPath, options?: RawOptions): Promise<unknown>;
  /**
   * Watches, one event at a time, until the server ends the watch (the iteration finishes), `signal` aborts it (throws `Aborted`), or it breaks
   * (throws `ApiError`). An ERROR event is thrown as the `ApiError` of its Status (`Gone` for an expired resourceVersion).
   */
  watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions<T>): AsyncIterable<WatchEvent<T>>;
  close(): void;
}

/** Which changes are sent and from which version on. Without `resourceVersion` the watch begins with the existing objects. */
export interface WatchOptions<T extends KubeObject = KubeObject> {
  readonly signal: AbortSignal;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  /** How much of each object is sent; the whole object when absent. */
  readonly part?: ObjectPart;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds?: number;
  /**
   * Receives each event as soon as it is read, which costs less than an iteration. The iteration then yields no events but ends as usual. A client
   * that does not read streams may ignore this and iterate. A promise is awaited before the next event. What it throws ends the watch, and the
   * iteration throws it unchanged.
   */
  readonly onEvent?: (event: WatchEvent<T>) => Promise<void> | undefined;
}

/** An event of a watch. A bookmark contains no object: it names the version up to which every event was sent. */
export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean };
