/**
 * A status that several processes count in: admission on every replica, and the controller of the leader.
 *
 *   change -> waiting --no write of this object runs--> all waiting changes are decided in order and written together -> results
 *                                ^ conflict, or doubt: decided again on the copy of the API server
 *
 * Each writes exactly the version that it has decided on, so that of two processes with the same copy one decides again. The newest copy that a process
 * knows is that of its store, which takes in what its client writes; within a process, one write at a time keeps callers from conflicting with each
 * other.
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
  /** From the API server; undefined if it is deleted. */
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

/** Gets undefined for a deleted object; called again for each newer copy, so it must have no side effects. */
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
  /** The copy with all changes; the same object if nothing must be written. */
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
  /** Waiting changes, by object; an entry exists as long as a change waits. */
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

  /** Objects with waiting changes. */
  get size(): number {
    return this.#queues.size;
  }

  /** Runs until no change waits; never rejects. */
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
