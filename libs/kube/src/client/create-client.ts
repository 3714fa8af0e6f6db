/** The client: every method of {@link Client} as a call, with raw JSON bodies in both directions. */
import { stringifyLossless, type KubeObject, type ObjectKey, type ResourceType } from '@kruise/objects';
import { ApiError } from '../api-error.ts';
import type {
  CallOptions,
  GetOptions,
  Client,
  DeleteOptions,
  ListOptions,
  ObjectList,
  PatchType,
  RawOptions,
  Scale,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { Credentials } from '../config/credentials.ts';
import { proxyFromEnvironment } from '../config/proxy-environment.ts';
import { asked, Caller, parseAny, type CallSpec, type RequestRecord } from './caller.ts';
import { asError } from '../as-error.ts';
import { Cancellation } from './transport/cancellation.ts';
import { Endpoint } from './transport/endpoint.ts';
import { aborted, unreachable, unreadable } from './transport/error-from-answer.ts';
import type { PoolLimits } from './transport/http2-pool.ts';
import { acceptOf, metadataOnly } from './bodies/metadata-only.ts';
import { NegotiatingTransport } from './transport/negotiating-transport.ts';
import { parseObject } from './bodies/parse-json.ts';
import { RateLimit } from './rate-limit.ts';
import { AnswerTooLong, readBody } from './bodies/read-body.ts';
import { readList } from './read-list.ts';
import { readWatch, takeWatch } from './read-watch.ts';
import { deletion, impersonationHeaders, JSON_TYPE, named, PATCH_TYPES, selection } from './request-parts.ts';
import { belowBase, collectionPath, creationPath, objectPath, withQuery, type UrlPath } from './transport/resource-path.ts';
import { ListSyntaxError } from './bodies/split-list.ts';
import { TransportError, type Transport, type WireResponse } from './transport/transport.ts';

/** The settings of a client besides the server's address. Times are in milliseconds. */
export interface ClientOptions {
  /** For example `kruise-manager/1.9.0 (linux/amd64)`. Not that of a browser or curl, for which the server would indent its answers. */
  readonly userAgent: string;
  readonly timeouts?: {
    /** Limit of TCP, proxy and TLS together; default 10 s. */
    readonly connectMs?: number;
    /** Limit of a whole call with its retries; default 30 s. */
    readonly callMs?: number;
    /** Limit of a whole list; default 120 s. */
    readonly listMs?: number;
    /** Limit until a watch has begun; default 30 s. */
    readonly watchOpenMs?: number;
    /** Silence after which a PING is sent, and limit of its answer; default 10 s each. */
    readonly pingIntervalMs?: number;
    readonly pingTimeoutMs?: number;
  };
  /** Maximum calls per second. 0 or absent: no limit. */
  readonly qps?: number;
  /** Calls that `qps` lets pass immediately. Absent: 2 x qps. */
  readonly burst?: number;
  /** Whether to keep `metadata.managedFields`, which this project does not read; default false. */
  readonly keepManagedFields?: boolean;
  /** Called for each attempt, watches included. It must not throw. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** Called with what a user has to know of the login; without it, such a login is an error. */
  readonly onWarning?: (text: string) => void;
  /** For HTTPS_PROXY and NO_PROXY; the environment of the process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

type Timeouts = Required<NonNullable<ClientOptions['timeouts']>>;

const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  callMs: 30_000,
  listMs: 120_000,
  watchOpenMs: 30_000,
  pingIntervalMs: 10_000,
  pingTimeoutMs: 10_000,
};
const MiB = 1024 * 1024;
const SCALE: ResourceType<Scale> = { group: 'autoscaling', version: 'v1', kind: 'Scale', plural: '', namespaced: true };
const PODS: ResourceType = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/**
 * Returns a client of the API server of `config`. Nothing is connected before the first call; `close()` ends every connection, call and watch.
 *
 * Reads are retried when an answer is lost. A write is retried only when it certainly had no effect (never sent, refused unread, or answered 429 or
 * 503 with Retry-After). Integers beyond 2^53 are returned as bigints and written with the same digits.
 */
export function createClient(config: ClusterConfig, options: ClientOptions): Client {
  return new HttpClient(config, options);
}

class HttpClient implements Client {
  readonly #calls: Caller;
  readonly #watches: Caller;
  readonly #transports: readonly Transport[];
  readonly #basePath: string;
  readonly #timeouts: Timeouts;
  readonly #keepManagedFields: boolean;

  constructor(config: ClusterConfig, options: ClientOptions) {
    const env = options.env ?? process.env;
    const credentials = new Credentials(config, undefined, {
      env,
      ...(options.onWarning === undefined ? {} : { onWarning: options.onWarning }),
    });
    const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    const proxyUrl = config.proxyUrl ?? proxyFromEnvironment(config.server, env);
    const endpoint = new Endpoint(config, credentials, { proxyUrl, connectTimeoutMs: timeouts.connectMs });
    const requests = new NegotiatingTransport(endpoint, requestLimits(timeouts), 64);
    const watches = new NegotiatingTransport(endpoint, watchLimits(timeouts), Number.POSITIVE_INFINITY);
    const parts = {
      credentials,
      headers: { 'user-agent': options.userAgent, accept: JSON_TYPE, ...impersonationHeaders(config.impersonate) },
      host: endpoint.url.host,
      rateLimit: rateLimitOf(options.qps, options.burst),
      onRequest: options.onRequest,
    };
    this.#calls = new Caller(parts, requests);
    this.#watches = new Caller(parts, watches);
    this.#transports = [requests, watches];
    this.#basePath = endpoint.url.pathname.replace(/\/+$/, '');
    this.#timeouts = timeouts;
    this.#keepManagedFields = options.keepManagedFields ?? false;
  }

  async get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options: GetOptions = {}): Promise<T> {
    const path = withQuery(objectPath(type, key, options.subresource), [['resourceVersion', options.resourceVersion]]);
    const object = await this.#object<T>({ method: 'GET', path, ...acceptOf.one(options.part) }, options);
    return options.part === undefined ? object : metadataOnly(object, type);
  }

  async list<T extends KubeObject>(type: ResourceType<T>, options: ListOptions<T> = {}): Promise<ObjectList<T>> {
    const path = withQuery(collectionPath(type, options.namespace), [
      ...selection(options),
      ['limit', options.limit],
      ['continue', options.continue],
    ]);
    const how = { type, part: options.part, keepManagedFields: this.#keepManagedFields, onItem: options.onItem };
    const spec = this.#spec({ method: 'GET', path, ...acceptOf.list(options.part) });
    return await this.#calls.call(spec, within(options, this.#timeouts.listMs), (answer) =>
      sane(spec, answer, () => readList<T>(answer, how)),
    );
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const namespace = object.metadata.namespace ?? '';
    const { subresource } = options;
    const path =
      subresource === undefined ? creationPath(type, namespace) : objectPath(type, { namespace, name: object.metadata.name }, subresource);
    return await this.#write<T>('POST', path, { body: named(object, type), options });
  }

  async update<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const key = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
    return await this.#write<T>('PUT', objectPath(type, key, options.subresource), { body: named(object, type), options });
  }

  async updateStatus<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    return await this.update(type, object, { ...options, subresource: 'status' });
  }

  async patch<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: unknown,
    options: WriteOptions & { readonly type: PatchType; readonly force?: boolean },
  ): Promise<T> {
    const path = withQuery(objectPath(type, key, options.subresource), [['force', options.force]]);
    return await this.#write<T>('PATCH', path, { body: patch, options, contentType: PATCH_TYPES[options.type] });
  }

  async delete<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<T | undefined> {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...deletion(options) });
    const answer = await this.#object<T>({ method: 'DELETE', path: objectPath(type, key), body, contentType: JSON_TYPE }, options);
    return answer.kind === 'Status' && answer.apiVersion === 'v1' ? undefined : answer;
  }

  async getScale(type: ResourceType, key: ObjectKey, options: CallOptions = {}): Promise<Scale> {
    return await this.#object<Scale>({ method: 'GET', path: objectPath(type, key, 'scale') }, options);
  }

  async updateScale(type: ResourceType, key: ObjectKey, scale: Scale, options: WriteOptions = {}): Promise<Scale> {
    return await this.#write<Scale>('PUT', objectPath(type, key, 'scale'), { body: named(scale, SCALE), options });
  }

  async evict(key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const body = JSON.stringify({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: key.name, namespace: key.namespace },
      deleteOptions: deletion(options),
    });
    await this.#object(
      { method: 'POST', path: objectPath(PODS, key, 'eviction'), body, contentType: JSON_TYPE, obeyThrottling: false },
      options,
    );
  }

  async raw(path: UrlPath, options: RawOptions = {}): Promise<unknown> {
    const { method = 'GET', body, headers, mostBytes } = options;
    const spec = this.#spec({
      method,
      path,
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : stringifyLossless(body), contentType: headers?.['content-type'] ?? JSON_TYPE }),
      ...(headers === undefined ? {} : { headers }),
    });
    return await this.#calls.call(spec, within(options, this.#timeouts.callMs), (answer) =>
      sane(spec, answer, async () => parseAny(await readBody(answer, mostBytes))),
    );
  }

  async *watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions<T>): AsyncGenerator<WatchEvent<T>, void, void> {
    const path = withQuery(collectionPath(type, options.namespace), [
      ['watch', true],
      ...selection(options),
      ['allowWatchBookmarks', options.allowWatchBookmarks],
      ['sendInitialEvents', options.sendInitialEvents],
      ['timeoutSeconds', options.timeoutSeconds],
    ]);
    const spec = this.#spec({ method: 'GET', path, ...acceptOf.one(options.part) });
    const how = { type, part: options.part, keepManagedFields: this.#keepManagedFields, asked: asked(spec) };
    const cancel = new Cancellation(options.signal, this.#timeouts.watchOpenMs);
    const thrown: unknown[] = [];
    let code: number | undefined;
    try {
      const answer = await this.#watches.attempt(spec, cancel, async (opened) => opened);
      code = answer.status;
      cancel.clearDeadline();
      if (options.onEvent === undefined) yield* readWatch<T>(answer, how);
      else await takeWatch<T>(answer, how, noting(options.onEvent, thrown));
    } catch (error) {
      throw thrown.length > 0 ? thrown[0] : watchError(error, { what: how.asked, code }, cancel);
    } finally {
      cancel.dispose();
    }
  }

  close(): void {
    for (const transport of this.#transports) transport.close();
  }

  #spec(spec: CallSpec): CallSpec {
    return { ...spec, path: belowBase(this.#basePath, spec.path) };
  }

  async #write<T extends KubeObject>(
    method: string,
    path: UrlPath,
    what: { readonly body: unknown; readonly options: WriteOptions; readonly contentType?: string },
  ): Promise<T> {
    const { options, contentType = JSON_TYPE } = what;
    const full = withQuery(path, [
      ['dryRun', options.dryRun === true ? 'All' : undefined],
      ['fieldManager', options.fieldManager],
    ]);
    return await this.#object<T>({ method, path: full, body: options.text ?? stringifyLossless(what.body), contentType }, options);
  }

  async #object<T extends KubeObject>(plain: CallSpec, options: CallOptions): Promise<T> {
    const spec = this.#spec(plain);
    const keep = this.#keepManagedFields;
    return await this.#calls.call(spec, within(options, this.#timeouts.callMs), (answer) =>
      sane(spec, answer, async () => parseObject<T>(await readBody(answer), keep)),
    );
  }
}

const requestLimits = (timeouts: Timeouts): PoolLimits => ({
  windowBytes: 16 * MiB,
  pingIntervalMs: timeouts.pingIntervalMs,
  pingTimeoutMs: timeouts.pingTimeoutMs,
  maxStreams: 250,
  maxSessions: 8,
  idleMs: 90_000,
  keepIdle: 1,
});

const watchLimits = (timeouts: Timeouts): PoolLimits => ({
  ...requestLimits(timeouts),
  maxSessions: Number.POSITIVE_INFINITY,
  keepIdle: 0,
});

const rateLimitOf = (qps = 0, burst = 2 * qps): RateLimit | undefined => (qps > 0 ? new RateLimit(qps, burst) : undefined);

const within = (options: CallOptions, timeoutMs: number): CallOptions & { readonly timeoutMs: number } =>
  options.timeoutMs === undefined ? { ...options, timeoutMs } : { ...options, timeoutMs: options.timeoutMs };

/** Runs `read`. A successful answer that is not what was requested (empty, a page of a proxy) becomes an `ApiError`. */
async function sane<T>(spec: CallSpec, answer: WireResponse, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (![SyntaxError, ListSyntaxError, AnswerTooLong].some((of) => error instanceof of)) throw error;
    throw unreadable(asked(spec), answer.status, asError(error).message);
  }
}

/** Returns `take` with what it throws added to `thrown`. */
function noting<A>(take: (given: A) => Promise<void> | undefined, thrown: unknown[]): (given: A) => Promise<void> | undefined {
  const note = (error: unknown): never => {
    thrown.push(error);
    throw error;
  };
  return (given) => {
    try {
      return take(given)?.catch(note);
    } catch (error) {
      return note(error);
    }
  };
}

/**
 * Returns the error of a watch.
 *
 * @param of `code` of the answer, once it has begun
 */
function watchError(error: unknown, of: { readonly what: string; readonly code: number | undefined }, cancel: Cancellation): unknown {
  const { what, code } = of;
  if (cancel.byCaller) return error instanceof ApiError && error.failure.kind === 'Aborted' ? error : aborted(what, cancel.reason);
  if (error instanceof ApiError) return error;
  if (error instanceof SyntaxError && code !== undefined) return unreadable(what, code, error.message);
  return unreachable(what, error instanceof TransportError ? error.cause : error, { code });
}
