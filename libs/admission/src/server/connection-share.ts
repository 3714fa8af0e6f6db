/** Bounds the open connections of a server, so that those of one address cannot keep out the others. */

export interface ConnectionLimits {
  /** Of all addresses together. */
  readonly all: number;
  readonly perAddress: number;
}

/** As far as a socket is used. */
export interface Connection {
  readonly remoteAddress?: string | undefined;
  destroy(): void;
  once(event: 'close', listener: () => void): unknown;
}

export class ConnectionShare {
  readonly #limits: ConnectionLimits;
  /** Open ones by address, the oldest first. An address leaves with its last one. */
  readonly #open = new Map<string, Set<Connection>>();
  #count = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a connection until it closes, and closes it when its address has too many. When all addresses together have too many, the one with
   * the most loses its oldest connection.
   */
  take(connection: Connection): void {
    const address = connection.remoteAddress ?? '';
    const those = this.#open.get(address) ?? new Set();
    if (those.size >= this.#limits.perAddress) return connection.destroy();
    those.add(connection);
    this.#open.set(address, those);
    this.#count++;
    connection.once('close', () => this.#drop(address, connection));
    if (this.#count > this.#limits.all) this.#oldestOfMost()?.destroy();
  }

  #oldestOfMost(): Connection | undefined {
    const sets = [...this.#open.values()];
    const most = sets.reduce((a, b) => (b.size > a.size ? b : a));
    const [oldest] = most;
    return oldest;
  }

  #drop(address: string, connection: Connection): void {
    const those = this.#open.get(address);
    if (those?.delete(connection) !== true) return;
    this.#count--;
    if (those.size === 0) this.#open.delete(address);
  }
}
