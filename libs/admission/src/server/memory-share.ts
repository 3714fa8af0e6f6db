/**
 * Bounds the bytes that requests hold together. A request is refused once all of them hold too much and itself more than a small one needs: so
 * large ones cannot shut out small ones.
 */

export interface ShareLimits {
  /** Of all requests together. */
  readonly bytes: number;
  /** What each may hold in any case. */
  readonly smallBytes: number;
  /** Requests at a time. */
  readonly requests: number;
}

/** What one request holds; to be released exactly once it is over. */
export interface Holding {
  /** @returns whether it may hold so many bytes more; they count when it may */
  grow(bytes: number): boolean;
  release(): void;
}

export class MemoryShare {
  readonly #limits: ShareLimits;
  #bytes = 0;
  #requests = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** @returns undefined when there are too many already */
  open(): Holding | undefined {
    if (this.#requests >= this.#limits.requests) return undefined;
    this.#requests++;
    let held = 0;
    const grow = (bytes: number): boolean => {
      if (held + bytes > this.#limits.smallBytes && this.#bytes + bytes > this.#limits.bytes) return false;
      held += bytes;
      this.#bytes += bytes;
      return true;
    };
    const release = (): void => {
      this.#bytes -= held;
      this.#requests--;
      held = 0;
    };
    return { grow, release };
  }
}
