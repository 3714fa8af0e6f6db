/** Bounds the open connections of a server, so that those of one address cannot exclude the others. */
import type { Socket } from 'node:net';

/** Both ends of a connection. */
export type Place = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>;

/** Returns a connection as both ends identify it while it is open. */
export const placeOf = ({ remoteAddress = '', remotePort = 0, localPort = 0 }: Place): string =>
  `${remoteAddress} ${remotePort} ${localPort}`;

export interface ConnectionLimits {
  /** The bound of all addresses together. */
  readonly all: number;
  readonly perAddress: number;
  /**
   * `Idle`: only connections without a request in progress are closed for new ones. `Oldest`: any connection is. That suits servers that answer
   * within milliseconds, where the client of an old connection does not read its answer.
   */
  readonly closes: 'Idle' | 'Oldest';
}

/** The part of a socket that is used. */
export interface Connection extends Place {
  destroy(): void;
  once(event: 'close', listener: () => void): unknown;
}

interface Held {
  readonly connection: Connection;
  readonly address: string;
  readonly place: string;
  /** Requests in progress. */
  requests: number;
}

export class ConnectionShare {
  readonly #limits: ConnectionLimits;
  /** Open connections by address, the oldest first. An address is removed with its last connection. */
  readonly #open = new Map<string, Set<Held>>();
  readonly #byPlace = new Map<string, Held>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a connection until it closes. When its address has too many, the oldest connection of the address is closed. When all addresses together
   * have too many, the oldest connection of the address with the most is closed. With `Idle` only connections without a request in progress are
   * closed; when there are none, the new connection is closed.
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

  /** Closes the oldest connection of the first set that has one which may be closed. */
  #closeOldest(sets: readonly ReadonlySet<Held>[]): void {
    for (const those of sets)
      for (const held of those)
        if (held.requests === 0 || this.#limits.closes === 'Oldest') {
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
