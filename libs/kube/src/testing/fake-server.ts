/**
 * The state behind `FakeApi` and the rules by which an API server changes it: uid, generation, resourceVersion, conflicts, finalizers, graceful
 * deletion of Pods, and the history that watches read.
 */
import { apiVersionOf, deepEqual, formatKey, formatTime, keyOf, type KubeObject, type ObjectKey, type ResourceType } from '@kruise/objects';
import { ApiError } from '../api-error.ts';
import type { DeleteOptions } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { Tree } from './fake-patch.ts';

export interface Change {
  readonly resource: string;
  readonly version: number;
  readonly object: KubeObject | undefined;
  readonly previous: KubeObject | undefined;
}

export type WritablePart = 'all' | 'main' | 'status';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The failures of the server, as its Status objects contain them. */
export const failures = {
  notFound: (type: ResourceType, name: string) =>
    new ApiError(
      `${type.plural} "${name}" not found`,
      { kind: 'NotFound' },
      { code: 404, reason: 'NotFound', details: { name, group: type.group, kind: type.plural, uid: '' } },
    ),
  exists: (type: ResourceType, name: string) =>
    new ApiError(`${type.plural} "${name}" already exists`, { kind: 'AlreadyExists' }, { code: 409, reason: 'AlreadyExists' }),
  conflict: (type: ResourceType, name: string, why: string) =>
    new ApiError(
      `Operation cannot be fulfilled on ${type.plural} "${name}": ${why}`,
      { kind: 'Conflict' },
      { code: 409, reason: 'Conflict' },
    ),
  gone: () => new ApiError('too old resource version', { kind: 'Gone' }, { code: 410, reason: 'Expired' }),
  badRequest: (message: string) => new ApiError(message, { kind: 'BadRequest' }, { code: 400, reason: 'BadRequest' }),
  forbidden: (why = 'no right to do this') => new ApiError(why, { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' }),
  unreachable: (why = 'connection reset') => new ApiError(why, { kind: 'Unreachable', cause: new Error(why) }),
  serverError: (status = 500) => new ApiError('internal error', { kind: 'ServerError', status }, { code: status, reason: 'InternalError' }),
};

const kindsWithoutGeneration = new Set(['coordination.k8s.io', '']);
const hasGeneration = (type: ResourceType): boolean => type.kind === 'Pod' || !kindsWithoutGeneration.has(type.group);

/** Kinds whose `/status` accepts labels and annotations as well. Other kinds keep their metadata. */
const kindsWithWholeMetadata = new Set(['Pod', 'Node']);

const systemFields = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'resourceVersion',
  'generateName',
] as const;

/** Returns the metadata as written, except for the fields that only the server sets. */
function keepingSystemFields(held: KubeObject, given: KubeObject['metadata']): Writable<KubeObject['metadata']> {
  const metadata: Tree = { ...given };
  for (const name of systemFields) delete metadata[name];
  for (const name of systemFields) if (held.metadata[name] !== undefined) metadata[name] = held.metadata[name];
  return metadata as unknown as Writable<KubeObject['metadata']>;
}

/** Returns everything of an object that `generation` depends on. */
function mainPart(object: KubeObject): Tree {
  const { metadata: _metadata, status: _status, ...rest } = object as KubeObject & { status?: unknown };
  return rest;
}

function checkPreconditions(type: ResourceType, { metadata }: KubeObject, { preconditions = {} }: DeleteOptions): void {
  for (const name of ['uid', 'resourceVersion'] as const) {
    const asked = preconditions[name];
    if (asked !== undefined && asked !== metadata[name]) throw failures.conflict(type, metadata.name, `Precondition failed: ${name}`);
  }
}

/** Adds the finalizers of the garbage collector that the deletion of dependents requires. */
function finalizersAtDeletion({ metadata }: KubeObject, { propagationPolicy }: DeleteOptions): readonly string[] {
  const held = metadata.finalizers ?? [];
  const added = propagationPolicy === 'Foreground' ? 'foregroundDeletion' : propagationPolicy === 'Orphan' ? 'orphan' : undefined;
  return added === undefined || held.includes(added) ? held : [...held, added];
}

const resources = new WeakMap<ResourceType, string>();

/** Returns `<plural>.<group>`, the same text for the same type: it is the key of most look-ups. */
export function resourceOf(type: ResourceType): string {
  const known = resources.get(type);
  if (known !== undefined) return known;
  const made = `${type.plural}.${type.group}`;
  resources.set(type, made);
  return made;
}

export class FakeServer {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  /** Lists that were requested since the last change, by resource and namespace. */
  readonly #lists = new Map<string, Map<string, readonly KubeObject[]>>();
  readonly #listeners = new Set<(change: Change) => void>();
  history: Change[] = [];
  /** Watches from earlier versions are answered with 410. */
  oldestVersion = 1;
  version = 1;
  #made = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  get(type: ResourceType, key: ObjectKey): KubeObject {
    const object = this.find(type, key);
    if (object === undefined) throw failures.notFound(type, key.name);
    return object;
  }

  find(type: ResourceType, key: ObjectKey): KubeObject | undefined {
    return this.#objects.get(resourceOf(type))?.get(formatKey(key));
  }

  /** Returns the objects by namespace and name: the same frozen list as long as none of them changes. */
  list(type: ResourceType, namespace = ''): readonly KubeObject[] {
    const resource = resourceOf(type);
    const lists = this.#lists.get(resource) ?? new Map<string, readonly KubeObject[]>();
    const made = lists.get(namespace) ?? Object.freeze(this.#listed(resource, namespace));
    this.#lists.set(resource, lists.set(namespace, made));
    return made;
  }

  #listed(resource: string, namespace: string): readonly KubeObject[] {
    const all = [...(this.#objects.get(resource) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    return namespace === '' ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Creates an object.
   *
   * @param keepStatus a real server drops `status` at creation; tests that set up a state keep it
   */
  create(type: ResourceType, given: KubeObject, options: { readonly keepStatus?: boolean; readonly dryRun?: boolean } = {}): KubeObject {
    if (given.metadata.resourceVersion !== undefined && given.metadata.resourceVersion !== '')
      throw failures.badRequest('resourceVersion should not be set on objects to be created');
    const object = { ...given } as Writable<KubeObject> & { status?: unknown };
    const metadata = { ...object.metadata } as Writable<KubeObject['metadata']>;
    if (!metadata.name) metadata.name = this.#generateName(type, metadata.generateName);
    if (type.namespaced !== (metadata.namespace !== undefined && metadata.namespace !== ''))
      throw failures.badRequest(`the namespace of ${type.kind} ${metadata.name} does not fit its scope`);
    if (this.find(type, { namespace: metadata.namespace ?? '', name: metadata.name }) !== undefined)
      throw failures.exists(type, metadata.name);
    delete metadata.deletionTimestamp;
    Object.assign(metadata, { uid: this.#newUid(), creationTimestamp: formatTime(this.#clock.now()) });
    if (hasGeneration(type)) metadata.generation = 1;
    if (!options.keepStatus) delete object.status;
    return this.#commit(type, undefined, { ...object, apiVersion: apiVersionOf(type), kind: type.kind, metadata }, options.dryRun);
  }

  update(type: ResourceType, given: KubeObject, part: WritablePart, dryRun?: boolean): KubeObject {
    const held = this.get(type, keyOf(given));
    const { resourceVersion, uid } = given.metadata;
    if (uid !== undefined && uid !== '' && uid !== held.metadata.uid)
      throw failures.conflict(
        type,
        held.metadata.name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${held.metadata.uid}`,
      );
    if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== held.metadata.resourceVersion)
      throw failures.conflict(
        type,
        held.metadata.name,
        'the object has been modified; please apply your changes to the latest version and try again',
      );
    return this.replace(type, held, given, { part, dryRun: dryRun ?? false });
  }

  /** Returns the new state of `held` after a write of `given` to one part of it. */
  replace(
    type: ResourceType,
    held: KubeObject,
    given: KubeObject,
    options: { readonly part: WritablePart; readonly dryRun?: boolean },
  ): KubeObject {
    const merged = this.#merge(type, held, given, options.part);
    if (deepEqual(merged, held)) return held;
    const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = merged.metadata;
    const mayGo = deletionTimestamp !== undefined && (finalizers ?? []).length === 0 && (deletionGracePeriodSeconds ?? 0) === 0;
    if (mayGo && options.dryRun !== true) return this.#remove(type, merged);
    return this.#commit(type, held, merged, options.dryRun);
  }

  delete(type: ResourceType, key: ObjectKey, options: DeleteOptions): KubeObject {
    const held = this.get(type, key);
    checkPreconditions(type, held, options);
    if (options.dryRun) return held;
    const grace = this.#graceOf(type, held, options);
    const finalizers = finalizersAtDeletion(held, options);
    if (finalizers.length === 0 && grace === 0) return this.#remove(type, held);
    const metadata = {
      ...held.metadata,
      deletionTimestamp: held.metadata.deletionTimestamp ?? formatTime((this.#clock.now() + grace * 1000) as ReturnType<Clock['now']>),
      deletionGracePeriodSeconds: Math.min(grace, held.metadata.deletionGracePeriodSeconds ?? grace),
      ...(finalizers.length > 0 ? { finalizers } : {}),
    };
    return deepEqual(metadata, held.metadata) ? held : this.#commit(type, held, { ...held, metadata });
  }

  /** Returns the grace period. Only Pods with a node wait for their kubelet. */
  #graceOf(type: ResourceType, held: KubeObject, options: DeleteOptions): number {
    const spec = (held as { spec?: { nodeName?: string; terminationGracePeriodSeconds?: number } }).spec;
    if (type.kind !== 'Pod' || !spec?.nodeName) return 0;
    return options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
  }

  #merge(type: ResourceType, held: KubeObject, given: KubeObject, part: WritablePart): KubeObject {
    const old = held as KubeObject & { status?: unknown };
    const { status, ...main } = given as KubeObject & { status?: unknown };
    if (part === 'status') {
      const { status: _before, ...rest } = old;
      const metadata = kindsWithWholeMetadata.has(type.kind) ? keepingSystemFields(held, main.metadata) : rest.metadata;
      return { ...rest, metadata, ...(status === undefined ? {} : { status }) };
    }
    const metadata = keepingSystemFields(held, main.metadata);
    const changed = !deepEqual(mainPart({ ...main, apiVersion: held.apiVersion ?? '', kind: type.kind }), mainPart(held));
    if (changed && hasGeneration(type)) metadata.generation = (held.metadata.generation ?? 0) + 1;
    const kept = part === 'all' ? status : old.status;
    return {
      ...main,
      apiVersion: held.apiVersion ?? '',
      kind: type.kind,
      metadata,
      ...(kept === undefined ? {} : { status: kept }),
    };
  }

  #commit(type: ResourceType, held: KubeObject | undefined, next: KubeObject, dryRun?: boolean): KubeObject {
    if (dryRun) return frozenCopy(next);
    const object = frozenCopy({ ...next, metadata: { ...next.metadata, resourceVersion: String(++this.version) } });
    const resource = resourceOf(type);
    const held2 = this.#objects.get(resource) ?? new Map<string, KubeObject>();
    this.#objects.set(resource, held2.set(formatKey(keyOf(object)), object));
    this.#lists.delete(resource);
    this.#publish({ resource, version: this.version, object, previous: held });
    return object;
  }

  #remove(type: ResourceType, held: KubeObject): KubeObject {
    const resource = resourceOf(type);
    this.#objects.get(resource)?.delete(formatKey(keyOf(held)));
    this.#lists.delete(resource);
    const last = frozenCopy({ ...held, metadata: { ...held.metadata, resourceVersion: String(++this.version) } });
    this.#publish({ resource, version: this.version, object: undefined, previous: last });
    return last;
  }

  #publish(change: Change): void {
    this.history.push(change);
    for (const listener of this.#listeners) listener(change);
  }

  #newUid(): string {
    return `00000000-0000-4000-8000-${(++this.#made).toString(16).padStart(12, '0')}`;
  }

  #generateName(type: ResourceType, prefix: string | undefined): string {
    if (prefix === undefined || prefix === '') throw failures.badRequest(`${type.kind}: name or generateName is required`);
    return `${prefix}${(++this.#made).toString(36).padStart(5, 'x')}`;
  }
}
