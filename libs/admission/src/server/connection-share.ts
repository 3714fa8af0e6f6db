/** Bounds the open connections of a server, so that those of one address cannot keep out the others. */
import { placeOf, type Place } from './known-callers.ts';

export interface ConnectionLimits {
  /** Of all addresses together. */
  readonly all: number;
  readonly perAddress: number;
}

/** As far as a socket is used. */
export interface Connection extends Place {
  destroy(): void;
  once(event: 'close', listener: () => void): unknown;
}

interface Held {
  readonly connection: Connection;
  readonly address: string;
  readonly place: string;
  /** Requests under way. */
  requests: number;
}

export class ConnectionShare {
  readonly #limits: ConnectionLimits;
  /** Open ones by address, the oldest first. An address leaves with its last one. */
  readonly #open = new Map<string, Set<Held>>();
  readonly #byPlace = new Map<string, Held>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a connection until it closes. When its address has too many, the oldest one of the address without a request under way is closed.
   * When all addresses together have too many, this applies to the address with the most connections that has such a one. The new connection
   * is the last choice: it is closed when all others have a request under way.
   */
  take(connection: Connection): void {
    const address = connection.remoteAddress ?? '';
    const held: Held = { connection, address, place: placeOf(connection), requests: 0 };
    const those = this.#open.get(address) ?? new Set();
    this.#open.set(address, those.add(held));
    this.#byPlace.set(held.place, held);
    connection.once('close', () => this.#drop(held));
    if (those.size > this.#limits.perAddress) this.#closeOldest([those]);
    else if (this.#byPlace.size > this.#limits.all) this.#closeOldest([...this.#open.values()].sort((a, b) => b.size - a.size));
  }

  /** Counts a request on the connection until the returned function is called. */
  begin(on: Place): () => void {
    const held = this.#byPlace.get(placeOf(on));
    if (held === undefined) return () => undefined;
    held.requests++;
    return () => void held.requests--;
  }

  /** Of the first set that has a connection without a request under way. */
  #closeOldest(sets: readonly ReadonlySet<Held>[]): void {
    for (const those of sets)
      for (const held of those)
        if (held.requests === 0) {
          // A socket emits `close` later, and others may connect before.
          this.#drop(held);
          return held.connection.destroy();
        }
  }

  #drop(held: Held): void {
    const those = this.#open.get(held.address);
    those?.delete(held);
    if (those?.size === 0) this.#open.delete(held.address);
    if (this.#byPlace.get(held.place) === held) this.#byPlace.delete(held.place);
  }
}
