/** The objects around one object: read once, or followed. */
import type { AnyObject, Read } from '@kruise/insight';
import { isFailure } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';
import { UserError } from '../failure.ts';
import type { ServedType } from '../objects/served-types.ts';
import type { Selected } from './select-objects.ts';
import type { Session } from '../session.ts';

/** A read that the user may not do. */
export interface Missing {
  readonly verb: 'list' | 'watch';
  /** `pods`, `clonesets.apps.kruise.io`. */
  readonly resource: string;
  /** '' for all namespaces. */
  readonly namespace: string;
}

interface Held {
  readonly read: Read;
  readonly type: ServedType;
  readonly objects: Map<string, AnyObject>;
  resourceVersion: string;
}

/** Returns what the root needs, given what was read. @see treeReads */
export type ReadsOf = (root: AnyObject, objects: readonly AnyObject[]) => readonly Read[];

const pause = milliseconds(1000);
const keyOf = (object: AnyObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`;

/** The root of a set without one. */
const nothing = { metadata: { name: '' } } as unknown as AnyObject;

const rootOf = ({ type, namespace, name, object }: Selected): Held => ({
  read: { group: type.group, kind: type.kind, ...(namespace === '' ? {} : { namespace }), fieldSelector: `metadata.name=${name}` },
  type,
  objects: new Map([[keyOf(object), object]]),
  resourceVersion: object.metadata.resourceVersion ?? '',
});

const resourceOf = ({ type }: Held): string => (type.group === '' ? type.plural : `${type.plural}.${type.group}`);

/** Reads the root and what belongs to it. Kinds that are not served are omitted. */
export class ObjectSet {
  readonly #session: Session;
  readonly #readsOf: ReadsOf;
  readonly #held = new Map<string, Held>();
  readonly #given: AnyObject;
  readonly #root: Held | undefined;
  readonly missing: Missing[] = [];

  /** @param target undefined for a set that has no root and is followed until the signal aborts */
  constructor(session: Session, target: Selected | undefined, readsOf: ReadsOf) {
    this.#session = session;
    this.#readsOf = readsOf;
    this.#given = target?.object ?? nothing;
    this.#root = target === undefined ? undefined : rootOf(target);
  }

  /** The newest root; undefined once it is deleted. */
  get root(): AnyObject | undefined {
    return this.#root?.objects.values().next().value;
  }

  get objects(): readonly AnyObject[] {
    return [...this.#held.values()].flatMap(({ objects }) => [...objects.values()]);
  }

  /** Reads until nothing that was found needs more. */
  async read(): Promise<void> {
    for (;;) {
      const wanted = this.#readsOf(this.root ?? this.#given, this.objects);
      const types = await this.#session.types();
      const open = wanted.flatMap((read) => {
        const type = types.find((one) => one.group === read.group && one.kind === read.kind);
        return type === undefined || this.#held.has(JSON.stringify(read))
          ? []
          : [{ read, type, objects: new Map<string, AnyObject>(), resourceVersion: '' }];
      });
      if (open.length === 0) return;
      for (const held of open) this.#held.set(JSON.stringify(held.read), held);
      await Promise.all(open.map((held) => this.#list(held)));
    }
  }

  /**
   * Follows all of it until the signal of the session aborts, which rejects, or until the root is deleted.
   *
   * @param changed called after each change
   * @param stopped ends it as well
   */
  async follow(changed: () => void, stopped?: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const signal = AbortSignal.any([this.#session.signal, ended.signal, ...(stopped === undefined ? [] : [stopped])]);
    const follow = (held: Held): Promise<void> => this.#follow(held, signal, changed);
    const root = this.#root;
    const rootEnds = async (held: Held): Promise<void> => {
      try {
        await this.#follow(held, signal, changed, () => this.root === undefined);
        const lacking = this.missing.find(({ resource }) => resource === resourceOf(held));
        if (!signal.aborted && this.root !== undefined && lacking !== undefined) throw new UserError(missingText(lacking));
      } finally {
        ended.abort();
      }
    };
    const others = [...this.#held.values()].map(follow);
    const results = await Promise.allSettled(root === undefined ? others : [rootEnds(root), ...others]);
    this.#session.signal.throwIfAborted();
    const failed = results.find((result, at) => result.status === 'rejected' && (root === undefined || at === 0));
    if (failed?.status === 'rejected') throw failed.reason;
  }

  #scope({ read }: Held): Pick<Read, 'namespace' | 'labelSelector' | 'fieldSelector'> {
    const { group: _group, kind: _kind, ...scope } = read;
    return scope;
  }

  /** @returns whether the user may list */
  async #list(held: Held): Promise<boolean> {
    const { type } = held;
    try {
      const { items, metadata } = await this.#session.client().list(type, { ...this.#scope(held), signal: this.#session.signal });
      held.objects.clear();
      for (const item of items) held.objects.set(keyOf(item as AnyObject), item as AnyObject);
      held.resourceVersion = metadata.resourceVersion;
      return true;
    } catch (error) {
      if (!isFailure(error, 'Forbidden', 'NotFound')) throw error;
      if (isFailure(error, 'Forbidden')) this.#lack(held, 'list');
      else held.objects.clear();
      return false;
    }
  }

  /** Several reads of a kind need the same right, which is named once. */
  #lack(held: Held, verb: Missing['verb']): Missing {
    const lacking = { verb, resource: resourceOf(held), namespace: held.read.namespace ?? '' };
    if (!this.missing.some((one) => missingText(one) === missingText(lacking))) this.missing.push(lacking);
    return lacking;
  }

  /** A watch that ends or breaks begins again; one whose position is too old begins with a new list. */
  async #follow(held: Held, signal: AbortSignal, changed: () => void, isOver = (): boolean => false): Promise<void> {
    while (!signal.aborted && !isOver()) {
      try {
        if (!(await this.#listAgain(held, changed))) return;
        if (isOver()) return;
        await this.#watch(held, signal, changed, isOver);
      } catch (error) {
        if (signal.aborted) return;
        if (isFailure(error, 'Forbidden')) return this.#stopFollowing(held);
        if (isFailure(error, 'Gone')) held.resourceVersion = '';
        else if (!isFailure(error, 'Unreachable', 'ServerError', 'TooManyRequests')) throw error;
      }
      if (!isOver()) await this.#session.clock.sleep(pause, signal).catch(() => undefined);
    }
  }

  /** What is not the root is shown as it was read. */
  #stopFollowing(held: Held): void {
    const missing = this.#lack(held, 'watch');
    if (held !== this.#root) this.#session.warn(`Warning: changes are not shown: ${missingText(missing)}`);
  }

  /** Lists again when the position is lost. @returns whether the user may list */
  async #listAgain(held: Held, changed: () => void): Promise<boolean> {
    if (held.resourceVersion !== '') return true;
    const isListed = await this.#list(held);
    if (isListed) changed();
    return isListed;
  }

  async #watch(held: Held, signal: AbortSignal, changed: () => void, isOver: () => boolean): Promise<void> {
    const options = { ...this.#scope(held), signal, resourceVersion: held.resourceVersion, allowWatchBookmarks: true };
    for await (const event of this.#session.client().watch(held.type, options)) {
      if (event.type === 'BOOKMARK') {
        held.resourceVersion = event.resourceVersion;
        continue;
      }
      const object = event.object as AnyObject;
      held.resourceVersion = object.metadata.resourceVersion ?? held.resourceVersion;
      if (event.type === 'DELETED') held.objects.delete(keyOf(object));
      else held.objects.set(keyOf(object), object);
      changed();
      if (isOver()) return;
    }
  }
}

/** Returns one line for a right that is missing. */
export const missingText = ({ verb, resource, namespace }: Missing): string =>
  `you may not ${verb} ${resource}${namespace === '' ? '' : ` in namespace ${namespace}`}`;
