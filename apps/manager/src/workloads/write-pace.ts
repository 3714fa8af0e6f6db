/** Holds back writes of a status in which only a part has changed that is not worth a write each time. */
import { deepEqual, milliseconds, type Instant, type KubeObject, type Milliseconds } from '@kruise/objects';

/** Which changes of a status may wait, and for how long. */
export interface PaceRule<S> {
  /** The least time between two writes that change nothing but what may wait, in milliseconds. */
  readonly pauseOf: (status: S) => number;
  /** The rest of the status: a change of it is written at once. */
  readonly rest: (status: Partial<S>) => object;
}

/** Remembers in memory when the status of each object was written last. */
export class WritePace<S extends object> {
  readonly #rule: PaceRule<S>;
  readonly #written = new Map<string, Instant>();

  constructor(rule: PaceRule<S>) {
    this.#rule = rule;
  }

  /**
   * Called once for a status that is about to be written.
   *
   * @returns how long the write must wait; 0: it is done now
   */
  wait({ metadata, status: held }: KubeObject & { readonly status?: S }, status: S, now: Instant): Milliseconds {
    const { uid = '' } = metadata;
    const { pauseOf, rest } = this.#rule;
    const pause = pauseOf(status);
    const left = (this.#written.get(uid) ?? Number.NEGATIVE_INFINITY) + pause - now;
    // A clock that was set back is no reason to wait longer.
    if (left > 0 && left <= pause && deepEqual(rest(held ?? {}), rest(status))) return milliseconds(left);
    this.#written.set(uid, now);
    return milliseconds(0);
  }

  forget(uid: string): void {
    this.#written.delete(uid);
  }
}
