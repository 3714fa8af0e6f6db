/**
 * How often numbers alone are worth a write. Where nodes or Pods change all the time the counters of a large workload would be written after every
 * change; nobody reads them that often.
 */
import { deepEqual, type Instant, type KubeObject, type Milliseconds } from '@kruise/objects';

/** What of a kind's status are numbers, and of how many things. */
export interface PacedStatus<S> {
  /** How many things are counted. */
  readonly sizeOf: (status: S) => number;
  /** The rest of the status: a change of it is written at once. */
  readonly withoutNumbers: (status: Partial<S>) => object;
}

/** Milliseconds for each thing that is counted between two writes of numbers, and in all at most: 3 for 3, 500 from 500 on. */
const forEach = 1;
const most = 500;

export class StatusPace<S extends object> {
  readonly #paced: PacedStatus<S>;
  readonly #written = new Map<string, Instant>();

  constructor(paced: PacedStatus<S>) {
    this.#paced = paced;
  }

  /**
   * Asked once for a status that is to be written.
   *
   * @returns how long the write is to wait; 0: it is done now
   */
  wait({ metadata, status: held }: KubeObject & { readonly status?: S }, status: S, now: Instant): Milliseconds {
    const { uid = '' } = metadata;
    const { sizeOf, withoutNumbers } = this.#paced;
    const pause = Math.min(sizeOf(status) * forEach, most);
    const left = (this.#written.get(uid) ?? Number.NEGATIVE_INFINITY) + pause - now;
    // A clock that was set back is no reason to wait longer.
    if (left > 0 && left <= pause && deepEqual(withoutNumbers(held ?? {}), withoutNumbers(status))) return left as Milliseconds;
    this.#written.set(uid, now);
    return 0 as Milliseconds;
  }

  forget(uid: string): void {
    this.#written.delete(uid);
  }
}
