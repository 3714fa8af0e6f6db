/** A registry that requests a user and a password, in front of the cluster's own; a test can make it refuse or delay every request. Nodes reach it over the loopback. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class GuardedRegistry implements AsyncDisposable {
  readonly user: { readonly name: string; readonly password: string };
  /** Paths that were served to a client with the right password, in order of arrival. */
  readonly served: string[] = [];
  /** Requests that were refused for want of the right password. */
  refused = 0;
  /** While true everything is answered with 503. */
  down = false;
  /** Requests that are kept without an answer, by whether their client still waits for it; undefined while all are answered. */
  #held: Map<ServerResponse, () => void> | undefined;
  readonly #upstream: URL;
  readonly #server: Server;

  private constructor(upstream: string, user: { readonly name: string; readonly password: string }) {
    this.#upstream = new URL(`http://${upstream}`);
    this.user = user;
    this.#server = createServer((incoming, outgoing) => this.#answer(incoming, outgoing));
  }

  /** @param upstream host:port of the registry behind it */
  static async start(upstream: string, user = { name: 'reader', password: 'e2e:password' }): Promise<GuardedRegistry> {
    const registry = new GuardedRegistry(upstream, user);
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  /** Answers no request from now on. */
  hold(): void {
    this.#held ??= new Map();
  }

  /** How many clients wait for an answer. */
  get waiting(): number {
    return this.#held?.size ?? 0;
  }

  /** Answers the clients that wait, and all later ones. */
  release(): void {
    const held = this.#held ?? new Map<ServerResponse, () => void>();
    this.#held = undefined;
    for (const answer of held.values()) answer();
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.#held !== undefined) {
      this.#held.set(outgoing, () => this.#answer(incoming, outgoing));
      outgoing.once('close', () => this.#held?.delete(outgoing));
      return;
    }
    const path = incoming.url ?? '/';
    if (this.down) {
      outgoing.writeHead(503).end();
      return;
    }
    const wanted = `Basic ${Buffer.from(`${this.user.name}:${this.user.password}`).toString('base64')}`;
    if (incoming.headers.authorization !== wanted) {
      if (incoming.headers.authorization !== undefined) this.refused += 1;
      outgoing.writeHead(401, { 'www-authenticate': 'Basic realm="e2e"' }).end();
      return;
    }
    this.served.push(path);
    const { authorization: _, ...headers } = incoming.headers;
    const { hostname, port, host } = this.#upstream;
    const forwarded = request({ hostname, port, path, method: incoming.method, headers: { ...headers, host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(forwarded);
  }
}
