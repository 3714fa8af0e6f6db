/**
 * One call's end from outside: its deadline or its caller's signal. Lighter than an AbortSignal a call, as only one thing waits at a time.
 */
import { types } from 'node:util';
import { isFailure } from '../api-error.ts';

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

  /** Whether the caller gave up, as opposed to the deadline. */
  get byCaller(): boolean {
    return this.#done && this.#signal?.aborted === true && this.#reason === this.#signal.reason;
  }

  /** Milliseconds until the deadline, 0 when it has passed. */
  remainingMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /** Sets what to do on cancellation, in place of what was set before; called at once when it has happened. Undefined: nothing. */
  onCancel(action: ((reason: unknown) => void) | undefined): void {
    this.#waiting = action;
    if (this.#done) this.#fire();
  }

  /** Ends the deadline only: what has opened (a watch) may go on as long as the signal allows. */
  clearDeadline(): void {
    clearTimeout(this.#timer);
    this.#deadline = Number.POSITIVE_INFINITY;
  }

  /**
   * To be asked right before something is sent. Knows of a deadline also when its timer is late, as after a pause of the process.
   *
   * @throws the reason when the call is over
   */
  assertGoing(): void {
    if (!this.#done && performance.now() >= this.#deadline) this.#cancel(new DeadlineExceeded(this.#timeoutMs));
    if (this.#done) throw asError(this.#reason);
  }

  /** As `work` ends; rejects with the reason when cancelled before. `work` itself goes on, as others may wait for it. */
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

  /** Resolves after `ms`; rejects with the reason when cancelled before. */
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

  /** Must be called when the call is over: frees timer and listener. */
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

/** Whether a call ended since its answer took too long: by its own deadline, or by a caller that counts the time itself. */
export const isOverdue = (reason: unknown): boolean => reason instanceof DeadlineExceeded || isFailure(reason, 'Unreachable');

/** Also for errors of another realm (a VM context), which `instanceof` does not know. */
export const asError = (reason: unknown): Error => (types.isNativeError(reason) ? reason : new Error(String(reason)));
