/**
 * A status that several processes count in: admission on every replica, and the controller of the leader.
 *
 *   change -> waiting --nobody writes for this object--> all that wait are decided, one on what the other leaves, and written together -> results
 *                                ^ conflict, or doubt: the copy of the API server, decided anew
 *
 * Each writes exactly the version that it has decided on, so that of two processes with the same copy one decides again. The newest copy that a process
 * knows is that of its store, which takes in what its client writes; within the process one write at a time keeps its callers from getting in each
 * other's way.
 */
import {
  conflictPresets,
  isFailure,
  orAborted,
  retryOnConflict,
  type Clock,
  type ConflictPreset,
  type StoreReader,
  type WithStatus,
} from '@kruise/kube';
import { formatKey, type ObjectKey } from '@kruise/objects';

/** How a ledger gets at objects of one kind. */
export interface LedgerParts<T extends WithStatus> {
  readonly store: Pick<StoreReader<T>, 'get'>;
  /** From the API server; undefined when it is gone. */
  readonly read: (key: ObjectKey) => Promise<T | undefined>;
  /** Replaces the status on exactly the version that is given; the store takes in what comes of it. */
  readonly write: (object: T) => Promise<unknown>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly preset?: ConflictPreset;
}

/** What is decided on one copy. */
export interface Entry<T extends WithStatus, R> {
  readonly result: R;
  /** Nothing is written when it is absent. */
  readonly status?: NonNullable<T['status']> | undefined;
  /** Whether it has to be decided again on the API server's copy when this was only the newest that is known here. */
  readonly isInDoubt?: boolean;
}

/** Gets undefined for an object that is gone; called again for each newer copy, and so must not have done anything before. */
export type Decide<T extends WithStatus, R> = (copy: T | undefined) => Entry<T, R> | Promise<Entry<T, R>>;

/** Of which object: another one of its name is none when a uid is given. */
export interface LedgerKey extends ObjectKey {
  readonly uid?: string | undefined;
}

interface Waiting<T extends WithStatus> {
  readonly decide: Decide<T, unknown>;
  readonly signal: AbortSignal;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Decisions of one batch, on one copy. */
interface Batch<T extends WithStatus> {
  readonly results: readonly unknown[];
  /** As all of them together leave it; the very copy when nothing is to be written. */
  readonly object: T | undefined;
  readonly isInDoubt: boolean;
}

async function decideAll<T extends WithStatus>(copy: T | undefined, waiting: readonly Waiting<T>[]): Promise<Batch<T>> {
  const results: unknown[] = [];
  let [object, isInDoubt] = [copy, false];
  for (const { decide } of waiting) {
    const entry = await decide(object);
    results.push(entry.result);
    isInDoubt ||= entry.isInDoubt === true;
    if (object !== undefined && entry.status !== undefined) object = { ...object, status: entry.status };
  }
  return { results, object, isInDoubt };
}

/** The books of one kind, in one process. */
export class StatusLedger<T extends WithStatus> {
  readonly #parts: LedgerParts<T>;
  /** Those who wait, by object; an entry is there as long as somebody does. */
  readonly #queues = new Map<string, Waiting<T>[]>();

  constructor(parts: LedgerParts<T>) {
    this.#parts = parts;
  }

  /**
   * Decides, and writes what was decided.
   *
   * @returns the result that belongs to what was written
   * @throws the conflict of the last try, what the API server refused or `decide` threw; the reason of `signal` when it aborts
   */
  change<R>(key: LedgerKey, decide: Decide<T, R>, signal: AbortSignal): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const waiting: Waiting<T> = { decide, signal, resolve: (result) => resolve(result as R), reject };
    const text = `${formatKey(key)} ${key.uid ?? ''}`;
    const queue = this.#queues.get(text);
    if (queue !== undefined) queue.push(waiting);
    else void this.#serve(key, text, waiting);
    return orAborted(promise, signal);
  }

  /** Objects that somebody waits for. */
  get size(): number {
    return this.#queues.size;
  }

  /** Until nobody waits any more; never rejects. */
  async #serve(key: LedgerKey, text: string, first: Waiting<T>): Promise<void> {
    const queue = [first];
    this.#queues.set(text, queue);
    for (let batch = queue.splice(0); batch.length > 0; batch = queue.splice(0)) {
      const present = batch.filter(({ signal }) => !signal.aborted);
      try {
        const results = await this.#settle(key, present);
        present.forEach(({ resolve }, index) => resolve(results[index]));
      } catch (error) {
        for (const { reject } of present) reject(error);
      }
    }
    this.#queues.delete(text);
  }

  #settle(key: LedgerKey, waiting: readonly Waiting<T>[]): Promise<readonly unknown[]> {
    const { clock, preset = conflictPresets.counter } = this.#parts;
    return waiting.length === 0
      ? Promise.resolve([])
      : retryOnConflict(preset, { clock }, (from) => this.#try(key, waiting, from === 'Server'));
  }

  async #try(key: LedgerKey, waiting: readonly Waiting<T>[], live: boolean): Promise<readonly unknown[]> {
    const { store, read, write } = this.#parts;
    const held = live ? await read(key) : store.get(key);
    const copy = key.uid === undefined || held?.metadata.uid === key.uid ? held : undefined;
    const { results, object, isInDoubt } = await decideAll(copy, waiting);
    if (!live && isInDoubt) return this.#try(key, waiting, true);
    if (object === undefined || object === copy) return results;
    try {
      await write(object);
      return results;
    } catch (error) {
      if (!isFailure(error, 'NotFound')) throw error;
      return (await decideAll<T>(undefined, waiting)).results;
    }
  }
}
