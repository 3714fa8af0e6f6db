/**
 * The end of one call from outside: its deadline or its caller's signal. It is cheaper than an AbortSignal for each call, because only one thing
 * waits at a time.
 */
import { isFailure } from '../../api-error.ts';
import { asError } from '../../as-error.ts';

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
  }
}

export class Cancellation {
  #reason: unknown;
  #done = false;
  #waiting: ((reason: unknown) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #timeoutMs: number;
  #deadline: number;
  readonly #onAbort = (): void => this.#cancel(this.#signal?.reason);

  /**
   * Starts the deadline of a call.
   *
   * @param signal of the caller
   * @param timeoutMs 0 or less: no deadline
   */
  constructor(signal: AbortSignal | undefined, timeoutMs: number) {
    this.#signal = signal;
    this.#timeoutMs = timeoutMs;
    this.#deadline = timeoutMs > 0 ? performance.now() + timeoutMs : Number.POSITIVE_INFINITY;
    if (signal?.aborted === true) this.#cancel(signal.reason);
    else {
      signal?.addEventListener('abort', this.#onAbort);
      if (timeoutMs > 0) this.#timer = setTimeout(() => this.#cancel(new DeadlineExceeded(timeoutMs)), timeoutMs);
    }
  }

  get cancelled(): boolean {
    return this.#done;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Whether the caller aborted, as opposed to the deadline. */
  get byCaller(): boolean {
    return this.#done && this.#signal?.aborted === true && this.#reason === this.#signal.reason;
  }

  /** Returns the milliseconds until the deadline, 0 when it has passed. */
  remainingMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /** Sets what to do on cancellation, instead of the previous action. It is called immediately when cancellation has happened. Undefined: nothing. */
  onCancel(action: ((reason: unknown) => void) | undefined): void {
    this.#waiting = action;
    if (this.#done) this.#fire();
  }

  /** Removes only the deadline: what has opened (a watch) may continue as long as the signal allows. */
  clearDeadline(): void {
    clearTimeout(this.#timer);
    this.#deadline = Number.POSITIVE_INFINITY;
  }

  /**
   * Throws when the call has ended. Call it right before something is sent. It notices a passed deadline also when its timer is late, as after a
   * pause of the process.
   *
   * @throws the reason when the call has ended
   */
  assertGoing(): void {
    if (!this.#done && performance.now() >= this.#deadline) this.#cancel(new DeadlineExceeded(this.#timeoutMs));
    if (this.#done) throw asError(this.#reason);
  }

  /** Settles as `work` does; rejects with the reason when cancelled before. `work` itself continues, because other calls may wait for it. */
  waitFor<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onCancel((reason) => reject(asError(reason)));
      const settle = (end: () => void): void => {
        if (!this.#done) this.onCancel(undefined);
        end();
      };
      work.then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => settle(() => reject(asError(error))),
      );
    });
  }

  /** Resolves after `ms`. Rejects with the reason when cancelled before. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.onCancel(undefined);
        resolve();
      }, ms);
      this.onCancel((reason) => {
        clearTimeout(timer);
        reject(asError(reason));
      });
    });
  }

  /** Frees timer and listener. Must be called when the call has ended. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#waiting = undefined;
  }

  #cancel(reason: unknown): void {
    if (this.#done) return;
    this.#done = true;
    this.#reason = reason;
    clearTimeout(this.#timer);
    this.#fire();
  }

  #fire(): void {
    const action = this.#waiting;
    this.#waiting = undefined;
    action?.(this.#reason);
  }
}

/** Returns whether a call ended because its answer took too long: by its own deadline, or by a caller that measures the time itself. */
export const isOverdue = (reason: unknown): boolean => reason instanceof DeadlineExceeded || isFailure(reason, 'Unreachable');
