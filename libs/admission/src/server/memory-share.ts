/**
 * Bounds the bytes that requests hold together. A request is refused when all of them hold too much and it holds more than a small one needs, so
 * large requests cannot displace small ones.
 */

export interface ShareLimits {
  /** Maximum of all requests together. */
  readonly bytes: number;
  /** What each request may hold in any case. */
  readonly smallBytes: number;
  /** Maximum of parallel requests. */
  readonly requests: number;
  /** Maximum of the requests of one holder together; as for all when absent. */
  readonly holderBytes?: number;
  /** Maximum of parallel requests of one holder; as for all when absent. */
  readonly holderRequests?: number;
}

/** The memory of one request. It must be released exactly once when the request has ended. */
export interface Holding {
  /** Adds bytes if they are allowed. @returns whether they are; they count when they are */
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
  /** A holder is removed with its last request. */
  readonly #holders = new Map<string, Held>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /**
   * Opens a holding.
   *
   * @param holder of the request
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
