/** A registry that asks for a user and a password, in front of the cluster's own; it can be told to be down. Nodes reach it over the loopback. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class GuardedRegistry implements AsyncDisposable {
  readonly user: { readonly name: string; readonly password: string };
  /** Paths that were answered to somebody who may, in order of arrival. */
  readonly served: string[] = [];
  /** Requests that were refused for want of the right password. */
  refused = 0;
  /** While true everything is answered with 503. */
  down = false;
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

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
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
