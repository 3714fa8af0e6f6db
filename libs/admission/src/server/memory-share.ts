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
  /** Of the requests of one holder together; as for all when absent. */
  readonly holderBytes?: number;
  /** Requests of one holder at a time; as for all when absent. */
  readonly holderRequests?: number;
}

/** What one request holds; to be released exactly once it is over. */
export interface Holding {
  /** @returns whether it may hold so many bytes more; they count when it may */
  grow(bytes: number): boolean;
  release(): void;
}

interface Held {
  bytes: number;
  requests: number;
}

export class MemoryShare {
  readonly #limits: ShareLimits;
  readonly #all: Held = { bytes: 0, requests: 0 };
  /** A holder leaves with its last request. */
  readonly #holders = new Map<string, Held>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /**
   * @param holder whose request it is
   * @returns undefined when there are too many already
   */
  open(holder = ''): Holding | undefined {
    const { smallBytes, requests, bytes: mostBytes, holderRequests = requests, holderBytes = mostBytes } = this.#limits;
    const all = this.#all;
    const its = this.#holders.get(holder) ?? { bytes: 0, requests: 0 };
    if (all.requests >= requests || its.requests >= holderRequests) return undefined;
    this.#holders.set(holder, its);
    for (const one of [all, its]) one.requests++;
    let held = 0;
    const grow = (bytes: number): boolean => {
      const hasRoom = all.bytes + bytes <= mostBytes && its.bytes + bytes <= holderBytes;
      if (held + bytes > smallBytes && !hasRoom) return false;
      held += bytes;
      for (const one of [all, its]) one.bytes += bytes;
      return true;
    };
    const release = (): void => {
      for (const one of [all, its]) {
        one.bytes -= held;
        one.requests--;
      }
      held = 0;
      if (its.requests === 0) this.#holders.delete(holder);
    };
    return { grow, release };
  }
}
