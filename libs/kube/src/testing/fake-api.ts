import { keyOf, pods, type KubeObject, type ObjectKey, type ResourceType } from '@kruise/objects';
import { ApiError } from '../api-error.ts';
import type {
  CallOptions,
  GetOptions,
  Client,
  DeleteOptions,
  ListOptions,
  ObjectList,
  PatchType,
  Scale,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../client/client.ts';
import { metadataOnly, type ObjectPart } from '../client/bodies/metadata-only.ts';
import type { Clock } from '../clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { isTree, jsonPatch, mergePatch } from './fake-patch.ts';
import { selects } from './fake-selector.ts';
import { failures, FakeServer, resourceOf, type Change, type WritablePart } from './fake-server.ts';
import { frozenCopy } from './frozen-copy.ts';

/** One call as the server received it. */
export interface FakeCall {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'evict' | 'raw' | 'watch';
  readonly type: ResourceType | undefined;
  /** `name` is '' for list, watch and a create with generateName. */
  readonly key: ObjectKey;
  /** '' for the object itself. */
  readonly subresource: string;
  /** The part of the object that a read requests. Default: the whole object. */
  readonly part?: ObjectPart;
  readonly body: unknown;
  /** Name of the connection. */
  readonly from: string;
}

const writeVerbs: ReadonlySet<FakeCall['verb']> = new Set(['create', 'update', 'patch', 'delete', 'evict']);

/** Returns whether the call changes what the server holds. `raw` does not count, because its method is not known here. */
export const isWrite = ({ verb }: Pick<FakeCall, 'verb'>): boolean => writeVerbs.has(verb);

/** A write as the server carried it out or refused it. */
export interface FakeWrite {
  readonly call: FakeCall;
  /** Absent for an object that did not exist. */
  readonly before?: KubeObject;
  /** Absent for an object that was removed. The same as `before` when nothing changed. */
  readonly after?: KubeObject;
  readonly refused?: ApiError;
}

/** Faults of one connection. What they throw is returned to the caller, and what they wait for delays the call. */
export interface FakeFaults {
  /** Runs before the server processes the call. A throw is a call that took no effect. */
  before?: (call: FakeCall) => void | Promise<void>;
  /** Runs once the call has arrived, right before the server carries it out, with nothing in between. A throw is a call that was lost in transit. */
  arrive?: (call: FakeCall) => void;
  /** Runs after the server carried the call out. A throw is an answer that was lost. */
  after?: (call: FakeCall) => void | Promise<void>;
}

/** The initial state of a fake API server. */
export interface FakeApiOptions {
  readonly clock?: Pick<Clock, 'now'>;
  /** Applies a strategic merge patch. Without it, one that contains a list of objects is refused, because its merge keys are not known here. */
  readonly strategicMerge?: (original: KubeObject, patch: unknown, type: ResourceType) => unknown;
}

interface Shared {
  readonly server: FakeServer;
  readonly calls: FakeCall[];
  readonly writeListeners: ((write: FakeWrite) => void)[];
  readonly watches: Set<FakeWatch>;
  readonly strategicMerge: FakeApiOptions['strategicMerge'];
  readonly rawAnswers: Map<string, unknown>;
  held: Change[] | undefined;
  /** Resources whose changes are held back; those of all kinds when undefined. */
  heldOf: Set<string> | undefined;
}

interface FakeWatch {
  readonly connection: FakeApi;
  readonly deliver: (change: Change) => void;
  readonly end: (error?: ApiError) => void;
  /** Ends the watch without sending what it has not sent yet. */
  readonly hangUp: () => void;
}

const holdsListOfObjects = (value: unknown): boolean =>
  Array.isArray(value) ? value.some((item) => isTree(item)) : isTree(value) && Object.values(value).some(holdsListOfObjects);

/** A real server supports strategic merge only for its own kinds. */
const isCustom = (type: ResourceType): boolean => type.group.includes('.') && !type.group.endsWith('.k8s.io');

const aborted = (): ApiError => new ApiError('the call was aborted', { kind: 'Aborted' });

/** Settles with `work`, or fails as aborted as soon as `signal` aborts. */
async function unlessAborted<T>(signal: AbortSignal | undefined, work: () => T | Promise<T>): Promise<T> {
  if (signal === undefined) return work();
  if (signal.aborted) throw aborted();
  let stop: (() => void) | undefined;
  try {
    return await Promise.race([
      Promise.resolve().then(work),
      new Promise<never>((_resolve, reject) => {
        stop = () => reject(aborted());
        signal.addEventListener('abort', stop, { once: true });
      }),
    ]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}

/**
 * An API server in memory, for tests. It keeps uids, generations, resourceVersions, preconditions, finalizers and watches as the real one does, with
 * faults where a test requests them. It has no schemas, admission, defaults or garbage collection, treats `/status` as separate for every kind, and
 * refuses server-side apply.
 */
export class FakeApi implements Client {
  readonly #shared: Shared;
  readonly name: string;
  /** Faults of this connection. They may be changed at any time. */
  faults: FakeFaults = {};

  constructor(options: FakeApiOptions = {}, join?: { readonly shared: Shared; readonly name: string }) {
    this.name = join?.name ?? '';
    this.#shared = join?.shared ?? {
      server: new FakeServer(options.clock ?? new SystemClock()),
      calls: [],
      writeListeners: [],
      watches: new Set(),
      strategicMerge: options.strategicMerge,
      rawAnswers: new Map(),
      held: undefined,
      heldOf: undefined,
    };
    if (join === undefined) this.#shared.server.subscribe((change) => this.#onChange(change));
  }

  /** Returns another connection to the same server, with faults of its own. */
  connect(name: string, faults: FakeFaults = {}): FakeApi {
    const other = new FakeApi({}, { shared: this.#shared, name });
    other.faults = faults;
    return other;
  }

  /** Every call of every connection, in the order of arrival. */
  get calls(): readonly FakeCall[] {
    return this.#shared.calls;
  }

  /**
   * Calls the listener for each write of every connection that reaches the server, once it is carried out or refused. {@link seed} is not a write.
   */
  onWrite(listener: (write: FakeWrite) => void): void {
    this.#shared.writeListeners.push(listener);
  }

  /** Answers of `raw` by path. */
  get rawAnswers(): Map<string, unknown> {
    return this.#shared.rawAnswers;
  }

  /**
   * Stores an object immediately, including its status, without faults and without an entry in `calls`.
   * @returns the object as the server holds it, frozen
   */
  seed<T extends KubeObject>(type: ResourceType<T>, object: T): T {
    const held = this.#shared.server.find(type, keyOf(object));
    const next =
      held === undefined
        ? this.#shared.server.create(type, object, { keepStatus: true })
        : this.#shared.server.replace(type, held, object, { part: 'all' });
    return next as T;
  }

  /**
   * Returns the current object, without faults and without an entry in `calls`. It is frozen and shared, because copies took a third of the time of
   * long scenarios.
   */
  peek<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): T | undefined {
    return this.#shared.server.find(type, key) as T | undefined;
  }

  /**
   * Returns all objects of a kind, by namespace and name, without faults and without an entry in `calls`. They are frozen and shared; so is the list
   * while it stays the same.
   */
  peekAll<T extends KubeObject>(type: ResourceType<T>, namespace?: string): readonly T[] {
    return this.#shared.server.list(type, namespace) as unknown as readonly T[];
  }

  /** Ends all watches, with an error or as a server that closes them. */
  endWatches(error?: ApiError): void {
    for (const watch of [...this.#shared.watches]) watch.end(error);
  }

  /** Ends the watches of this connection only. What they have not sent yet is never sent. */
  hangUp(): void {
    for (const watch of [...this.#shared.watches]) if (watch.connection === this) watch.hangUp();
  }

  /** Holds changes back from all watches, or from those of one kind, until {@link releaseWatches}: a stale cache. */
  holdWatches(type?: ResourceType): void {
    const { held, heldOf } = this.#shared;
    if (type === undefined) this.#shared.heldOf = undefined;
    else if (held === undefined) this.#shared.heldOf = new Set([resourceOf(type)]);
    else heldOf?.add(resourceOf(type));
    this.#shared.held ??= [];
  }

  releaseWatches(): void {
    const held = this.#shared.held ?? [];
    this.#shared.held = undefined;
    for (const change of held) this.#onChange(change);
  }

  /** Removes the history: watches from earlier versions are answered with 410. */
  compact(): void {
    this.#shared.server.history = [];
    this.#shared.server.oldestVersion = this.#shared.server.version;
  }

  async get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: GetOptions): Promise<T> {
    const part = options?.part === undefined ? {} : { part: options.part };
    return this.#call({ verb: 'get', type, key, subresource: options?.subresource ?? '', ...part }, options, (server) => {
      const object = server.get(type, key) as T;
      return options?.part === undefined ? object : metadataOnly(object, type);
    });
  }

  async list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions<T>): Promise<ObjectList<T>> {
    const part = options?.part === undefined ? {} : { part: options.part };
    return this.#call({ verb: 'list', type, key: { namespace: options?.namespace ?? '', name: '' }, ...part }, options, (server) => {
      const all = server.list(type, options?.namespace).filter(selects(options?.labelSelector, options?.fieldSelector)) as unknown as T[];
      const from = Number(options?.continue ?? 0);
      const until = options?.limit === undefined || options.limit === 0 ? all.length : from + options.limit;
      const more = until < all.length ? { continue: String(until), remainingItemCount: all.length - until } : {};
      const items = all.slice(from, until).map((item) => (options?.part === undefined ? item : metadataOnly(item, type)));
      return { metadata: { resourceVersion: String(server.version), ...more }, items };
    });
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    const call = { verb: 'create', type, key: keyOf(object), subresource: options?.subresource ?? '', body: object } as const;
    return this.#call(call, options, (server) => server.create(type, object, { dryRun: options?.dryRun ?? false }) as T);
  }

  async update<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    const subresource = options?.subresource ?? '';
    const part = subresource === 'status' ? 'status' : 'main';
    return this.#call(
      { verb: 'update', type, key: keyOf(object), subresource, body: object },
      options,
      (server) => server.update(type, object, part, options?.dryRun) as T,
    );
  }

  async updateStatus<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.update(type, object, { ...options, subresource: 'status' });
  }

  async patch<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: unknown,
    options: WriteOptions & { readonly type: PatchType; readonly force?: boolean },
  ): Promise<T> {
    const subresource = options.subresource ?? '';
    const part: WritablePart = subresource === 'status' ? 'status' : 'main';
    return this.#call({ verb: 'patch', type, key, subresource, body: patch }, options, (server) => {
      const held = server.get(type, key);
      const next = this.#patched(type, held, patch, options.type) as T;
      return server.update(type, { ...next, metadata: { ...next.metadata, name: key.name } }, part, options.dryRun) as T;
    });
  }

  async delete<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: DeleteOptions): Promise<T | undefined> {
    return this.#call({ verb: 'delete', type, key, body: options }, options, (server) => server.delete(type, key, options ?? {}) as T);
  }

  async getScale(type: ResourceType, key: ObjectKey, options?: CallOptions): Promise<Scale> {
    return this.#call({ verb: 'get', type, key, subresource: 'scale' }, options, (server) => scaleOf(server.get(type, key)));
  }

  async updateScale(type: ResourceType, key: ObjectKey, scale: Scale, options?: WriteOptions): Promise<Scale> {
    return this.#call({ verb: 'update', type, key, subresource: 'scale', body: scale }, options, (server) => {
      const held = server.get(type, key) as KubeObject & { spec?: object };
      const { resourceVersion } = scale.metadata;
      const metadata = { ...held.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
      const next = { ...held, metadata, spec: { ...held.spec, replicas: scale.spec?.replicas ?? 0 } };
      return scaleOf(server.update(type, next, 'main', options?.dryRun));
    });
  }

  async evict(key: ObjectKey, options?: DeleteOptions): Promise<void> {
    await this.#call({ verb: 'evict', type: pods, key, subresource: 'eviction', body: options }, options, (server) =>
      server.delete(pods, key, options ?? {}),
    );
  }

  async raw(path: string, options?: CallOptions & { readonly method?: string; readonly body?: unknown }): Promise<unknown> {
    return this.#call({ verb: 'raw', type: undefined, key: { namespace: '', name: path }, body: options?.body }, options, () => {
      if (!this.rawAnswers.has(path))
        throw new ApiError(`nothing is served at ${path}`, { kind: 'NotFound' }, { code: 404, reason: 'NotFound' });
      return this.rawAnswers.get(path);
    });
  }

  async *watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const waiting: WatchEvent<KubeObject>[] = [];
    let matches = (_object: KubeObject): boolean => true;
    let from = 0;
    let [wake, ended, failure]: [() => void, boolean, ApiError | undefined] = [() => undefined, false, undefined];
    const watch: FakeWatch = {
      connection: this,
      deliver: (change) => {
        if (change.resource === resourceOf(type) && change.version > from) waiting.push(...changeAsEvents(change, matches));
        wake();
      },
      end: (error) => {
        [ended, failure] = [true, error];
        wake();
      },
      hangUp: () => {
        waiting.length = 0;
        watch.end(failures.unreachable());
      },
    };
    const stop = (): void => watch.end();
    options.signal.addEventListener('abort', stop, { once: true });
    try {
      await this.#call({ verb: 'watch', type, key: { namespace: options.namespace ?? '', name: '' } }, options, () => {
        const start = this.#startOf(type, options);
        [matches, from] = [start.matches, start.from];
        waiting.push(...start.first.flatMap((item) => ('resource' in item ? changeAsEvents(item, matches) : [item])));
        this.#shared.watches.add(watch);
      });
      while (!options.signal.aborted) {
        const event = waiting.shift();
        if (event !== undefined) yield frozenCopy(partOf(event as WatchEvent<T>, type, options));
        else if (ended) break;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
      if (options.signal.aborted) throw aborted();
      if (failure !== undefined) throw failure as Error;
    } finally {
      this.#shared.watches.delete(watch);
      options.signal.removeEventListener('abort', stop);
    }
  }

  close(): void {
    this.endWatches();
  }

  #carriedOut<R>(call: FakeCall, work: (server: FakeServer) => R): R {
    const { server, writeListeners } = this.#shared;
    if (writeListeners.length === 0 || !isWrite(call) || call.type === undefined) return work(server);
    const before = server.find(call.type, call.key);
    const version = server.version;
    const tell = (write: Omit<FakeWrite, 'call'>): void => writeListeners.forEach((listener) => listener({ call, ...write }));
    try {
      const result = work(server);
      const change = server.version === version ? undefined : server.history.at(-1);
      const after = change === undefined ? before : change.object;
      tell({ ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) });
      return result;
    } catch (error) {
      if (error instanceof ApiError) tell({ ...(before === undefined ? {} : { before }), refused: error });
      throw error;
    }
  }

  #onChange(change: Change): void {
    const { held, heldOf } = this.#shared;
    if (held !== undefined && heldOf?.has(change.resource) !== false) held.push(change);
    else for (const watch of this.#shared.watches) watch.deliver(change);
  }

  #startOf(
    type: ResourceType,
    options: WatchOptions,
  ): { readonly first: (Change | WatchEvent<KubeObject>)[]; readonly matches: (object: KubeObject) => boolean; readonly from: number } {
    const { server, held } = this.#shared;
    const selected = selects(options.labelSelector, options.fieldSelector);
    const matches = (object: KubeObject): boolean =>
      selected(object) && (!options.namespace || object.metadata.namespace === options.namespace);
    const asked = options.resourceVersion ?? '';
    if (options.sendInitialEvents || asked === '' || asked === '0') {
      const present = server.list(type, options.namespace).filter(matches);
      const end = { type: 'BOOKMARK', resourceVersion: String(server.version), initialEventsEnd: true } as const;
      return {
        first: [...present.map((object) => ({ type: 'ADDED', object }) as const), ...(options.sendInitialEvents ? [end] : [])],
        matches,
        from: server.version,
      };
    }
    if (Number(asked) < server.oldestVersion) throw failures.gone();
    const missed = server.history.filter(
      (change) => change.version > Number(asked) && change.resource === resourceOf(type) && !(held ?? []).includes(change),
    );
    return { first: missed, matches, from: Number(asked) };
  }

  #patched(type: ResourceType, held: KubeObject, patch: unknown, patchType: PatchType): unknown {
    if (patchType === 'merge') return mergePatch(held, patch);
    if (patchType === 'json') return jsonPatch(held, patch as Parameters<typeof jsonPatch>[1]);
    if (patchType === 'apply' || isCustom(type))
      throw new ApiError(
        'the body of the request was in an unknown format',
        { kind: 'UnsupportedMediaType' },
        { code: 415, reason: 'UnsupportedMediaType' },
      );
    if (this.#shared.strategicMerge !== undefined) return this.#shared.strategicMerge(held, patch, type);
    if (holdsListOfObjects(patch)) throw new Error('FakeApi: give it `strategicMerge` for patches with lists of objects');
    return mergePatch(held, patch);
  }

  async #call<R>(
    call: Partial<FakeCall> & Pick<FakeCall, 'verb' | 'type' | 'key'>,
    options: CallOptions | undefined,
    work: (server: FakeServer) => R,
  ): Promise<R> {
    const whole: FakeCall = { subresource: '', ...call, body: frozenCopy(call.body), from: this.name };
    const { before, arrive, after } = this.faults;
    return unlessAborted(options?.signal, async () => {
      this.#shared.calls.push(whole);
      await before?.(whole);
      // A call that was aborted in transit never arrives.
      if (options?.signal?.aborted) throw aborted();
      options?.beforeSend?.();
      arrive?.(whole);
      const result = frozenCopy(this.#carriedOut(whole, work));
      await after?.(whole);
      return result;
    });
  }
}

const partOf = <T extends KubeObject>(event: WatchEvent<T>, type: ResourceType<T>, { part }: WatchOptions): WatchEvent<T> =>
  event.type === 'BOOKMARK' || part === undefined ? event : { ...event, object: metadataOnly(event.object, type) };

function scaleOf(object: KubeObject): Scale {
  const { spec, status } = object as { spec?: { replicas?: number }; status?: { replicas?: number; labelSelector?: string } };
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: uid ?? '',
    resourceVersion: resourceVersion ?? '',
    creationTimestamp: creationTimestamp ?? null,
  };
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata,
    spec: { replicas: spec?.replicas ?? 0 },
    status: { replicas: status?.replicas ?? 0, selector: status?.labelSelector ?? '' },
  };
}

/** Returns the events of a change. An object that enters the selection is ADDED, one that leaves it is DELETED, as a server sends it. */
function changeAsEvents(change: Change, matches: (object: KubeObject) => boolean): WatchEvent<KubeObject>[] {
  const { object, previous } = change;
  const before = previous !== undefined && matches(previous);
  if (object === undefined) return before ? [{ type: 'DELETED', object: previous }] : [];
  if (matches(object)) return [{ type: before ? 'MODIFIED' : 'ADDED', object }];
  return before
    ? [{ type: 'DELETED', object: { ...previous, metadata: { ...previous.metadata, resourceVersion: String(change.version) } } }]
    : [];
}
