/**
 * How often another message of a condition is worth a write. Where writes of several objects are refused, each pass may meet another one first: the
 * message would change with every pass, and each write of the status wakes the controller for the next one, past its backoff.
 */
import { deepEqual, milliseconds, type Instant, type KubeObject, type Milliseconds } from '@kruise/objects';

/** Between two writes that change nothing but reasons and messages of conditions. */
const pause = milliseconds(10_000);

interface Conditioned {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

const withoutWords = ({ conditions = [], ...rest }: Conditioned): object => ({
  ...rest,
  conditions: conditions.map(({ type, status }) => [type, status]),
});

/** Remembers in memory when the status of each object was written last. */
export class MessagePace {
  readonly #written = new Map<string, Instant>();

  /**
   * Called once for a status that is about to be written.
   *
   * @returns how long the write must wait; 0: it is done now
   */
  wait({ metadata, status: held }: KubeObject & { readonly status?: Conditioned }, status: Conditioned, now: Instant): Milliseconds {
    const { uid = '' } = metadata;
    const left = (this.#written.get(uid) ?? Number.NEGATIVE_INFINITY) + pause - now;
    // A clock that was set back is no reason to wait longer.
    if (left > 0 && left <= pause && deepEqual(withoutWords(held ?? {}), withoutWords(status))) return milliseconds(left);
    this.#written.set(uid, now);
    return milliseconds(0);
  }

  forget(uid: string): void {
    this.#written.delete(uid);
  }
}
