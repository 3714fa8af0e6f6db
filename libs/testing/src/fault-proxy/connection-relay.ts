/**
 * The proxy's outer side: passes bytes between clients and the inner (TLS) server without reading them, so that whole connections can break, become
 * silent or be refused as in a network.
 */
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly inner: Socket;
}

export class ConnectionRelay {
  readonly #innerPort: number;
  readonly #pairs = new Set<Pair>();
  #server: Server | undefined;
  #port = 0;
  #frozen = false;
  #accepted = 0;

  constructor(innerPort: number) {
    this.#innerPort = innerPort;
  }

  get port(): number {
    return this.#port;
  }

  /** Connections accepted so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Accepts connections, on the same port as before. */
  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer((client) => this.#relay(client));
    this.#server = server;
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Refuses new connections and breaks the open ones. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.dropAll();
    if (server !== undefined) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  dropAll(): void {
    for (const pair of this.#pairs) drop(pair);
  }

  /** Breaks the connection whose inner end has this local port. */
  dropOf(innerPort: number | undefined): void {
    for (const pair of this.#pairs) if (pair.inner.localPort === innerPort) drop(pair);
  }

  /** Stops all bytes in both directions from now on, closes nothing, and stops new connections after TCP. */
  freeze(): void {
    this.#frozen = true;
    this.freezeOpen();
  }

  /** Stops all bytes on the connections that are open now and closes nothing; new ones work: half-open connections. */
  freezeOpen(): void {
    for (const { client, inner } of this.#pairs) {
      client.pause();
      inner.pause();
    }
  }

  thaw(): void {
    this.#frozen = false;
    for (const { client, inner } of this.#pairs) {
      client.resume();
      inner.resume();
    }
  }

  #relay(client: Socket): void {
    this.#accepted++;
    const inner = connect({ port: this.#innerPort, host: '127.0.0.1', noDelay: true });
    const pair = { client: client.setNoDelay(true), inner };
    this.#pairs.add(pair);
    pass(client, inner);
    pass(inner, client);
    client.once('close', () => this.#pairs.delete(pair));
    if (this.#frozen) {
      client.pause();
      inner.pause();
    }
  }
}

/** Without a pipe, because that resumes a paused source on its own. */
function pass(from: Socket, to: Socket): void {
  from.on('data', (chunk: Buffer) => void to.write(chunk));
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}

function drop({ client, inner }: Pair): void {
  client.resetAndDestroy();
  inner.destroy();
}
