/**
 * What a Service is to the API server: new connections go to a replica that is ready, in turn; those that are open stay where they are, whatever
 * becomes of the replica.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface Replica {
  readonly ports: { readonly webhook: number };
  isReady(): Promise<boolean>;
}

/** About what a node takes to learn of an endpoint. */
const pollMs = 200;

export class WebhookBalancer {
  readonly #server: Server;
  /** Connections that each has got. */
  readonly #replicas = new Map<Replica, number>();
  readonly #ready = new Set<Replica>();
  readonly #sockets = new Set<Socket>();
  readonly #timer: NodeJS.Timeout;
  #turn = 0;
  #broken = 0;

  private constructor(server: Server) {
    this.#server = server;
    this.#server.on('connection', (client: Socket) => this.#join(client));
    this.#timer = setInterval(() => void this.#poll(), pollMs);
  }

  static async start(): Promise<WebhookBalancer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new WebhookBalancer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Replicas that new connections go to. */
  get ready(): number {
    return this.#ready.size;
  }

  /** Connections so far that were handed to a replica which did not take them, or broke them. */
  get broken(): number {
    return this.#broken;
  }

  /** How many connections each has got, in the order in which they were added. */
  get connections(): readonly number[] {
    return [...this.#replicas.values()];
  }

  add(replica: Replica): void {
    this.#replicas.set(replica, 0);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #poll(): Promise<void> {
    await Promise.all(
      [...this.#replicas.keys()].map(async (replica) => {
        if (await replica.isReady()) this.#ready.add(replica);
        else this.#ready.delete(replica);
      }),
    );
  }

  #join(client: Socket): void {
    const ready = [...this.#ready];
    const replica = ready[this.#turn++ % Math.max(ready.length, 1)];
    if (replica === undefined) {
      client.destroy();
      return;
    }
    this.#replicas.set(replica, (this.#replicas.get(replica) ?? 0) + 1);
    const upstream = connect(replica.ports.webhook, '127.0.0.1');
    upstream.once('error', () => (this.#broken += 1));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
