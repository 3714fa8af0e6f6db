/** An optional token bucket over all calls of a client. */
import type { Cancellation } from './transport/cancellation.ts';

export class RateLimit {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #nowMs: () => number;
  #tokens: number;
  #at: number;

  /**
   * Creates a full bucket.
   *
   * @param qps calls per second in the long run, above 0
   * @param burst calls that may be made immediately, at least 1
   */
  constructor(qps: number, burst: number, nowMs: () => number = () => performance.now()) {
    this.#perMs = qps / 1000;
    this.#burst = Math.max(1, burst);
    this.#tokens = this.#burst;
    this.#nowMs = nowMs;
    this.#at = nowMs();
  }

  /** Takes a token, on credit when there is none. @returns milliseconds to wait before the call may be sent */
  reserve(): number {
    const now = this.#nowMs();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs) - 1;
    this.#at = now;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  /** Waits for a token. When the wait is cancelled, the token is returned. */
  async take(cancel: Pick<Cancellation, 'sleep'>): Promise<void> {
    const wait = this.reserve();
    if (wait <= 0) return;
    try {
      await cancel.sleep(wait);
    } catch (error) {
      this.#tokens++;
      throw error;
    }
  }
}
