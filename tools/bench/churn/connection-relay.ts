/** A TCP relay before an API server, whose connections can be cut all at once: watches break without an error, as when a load balancer is removed. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export class ConnectionRelay implements AsyncDisposable {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param target where connections go to, e.g. `https://127.0.0.1:6443` */
  static async start(target: string): Promise<ConnectionRelay> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    const relay = new ConnectionRelay(server);
    server.on('connection', (client) => relay.#join(client, connect({ host: hostname, port: Number(port), noDelay: true })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  /** What the target's URL becomes. */
  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends every connection at once, whatever is still on its way; new ones are accepted. */
  cut(): void {
    // Not `resetAndDestroy`: a socket that has begun to end cannot be reset, and would stay open then.
    for (const socket of this.#open) socket.destroy();
  }

  #join(client: Socket, server: Socket): void {
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#open.add(socket);
      socket.on('error', () => undefined); // followed by 'close'
      socket.once('close', () => {
        this.#open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }
}
