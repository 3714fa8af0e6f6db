/**
 * What a Service is to the API server: new connections go to a replica that is ready, in turn; those that are open stay where they are, whatever
 * becomes of the replica.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe } from './manager-process.testing.ts';

export interface Replica {
  readonly ports: { readonly webhook: number };
  probe(timeoutMs: number): Promise<Probe>;
}

/** About what a node takes to learn of an endpoint. */
const pollMs = 200;
/** As the kubelet probes unless a Pod says otherwise: so many probes without an answer make a replica unready. */
const [probeTimeoutMs, failureThreshold] = [1_000, 3];

export class WebhookBalancer {
  readonly #server: Server;
  /** Connections that each has got. */
  readonly #replicas = new Map<Replica, number>();
  readonly #ready = new Set<Replica>();
  readonly #sockets = new Set<Socket>();
  /** Probes in a row that a replica has not answered. */
  readonly #silence = new Map<Replica, number>();
  readonly #polling: Promise<void>[] = [];
  readonly #closed = new AbortController();
  #turn = 0;

  private constructor(server: Server) {
    this.#server = server;
    this.#server.on('connection', (client: Socket) => this.#join(client));
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

  /** How many connections each has got, in the order in which they were added. */
  get connections(): readonly number[] {
    return [...this.#replicas.values()];
  }

  add(replica: Replica): void {
    this.#replicas.set(replica, 0);
    this.#polling.push(this.#poll(replica));
  }

  async close(): Promise<void> {
    this.#closed.abort();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([...this.#polling, new Promise((resolve) => this.#server.close(resolve))]);
  }

  async #poll(replica: Replica): Promise<void> {
    while (!this.#closed.signal.aborted) {
      const answer = await replica.probe(probeTimeoutMs);
      const silence = answer === 'Silent' ? (this.#silence.get(replica) ?? 0) + 1 : 0;
      this.#silence.set(replica, silence);
      if (answer === 'Ready') this.#ready.add(replica);
      else if (answer === 'NotReady' || silence >= failureThreshold) this.#ready.delete(replica);
      await sleep(pollMs, undefined, { signal: this.#closed.signal }).catch(() => undefined);
    }
  }

  /** On a busy machine all may be slow: those that do not answer are better than none. */
  #targets(): readonly Replica[] {
    if (this.#ready.size > 0) return [...this.#ready];
    return [...this.#silence].filter(([, probes]) => probes > 0).map(([replica]) => replica);
  }

  #join(client: Socket): void {
    const ready = this.#targets();
    const replica = ready[this.#turn++ % Math.max(ready.length, 1)];
    if (replica === undefined) {
      client.destroy();
      return;
    }
    this.#replicas.set(replica, (this.#replicas.get(replica) ?? 0) + 1);
    const upstream = connect(replica.ports.webhook, '127.0.0.1');
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
