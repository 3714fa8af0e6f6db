/** The transport for servers and proxies without HTTP/2: keep-alive connections, one request each at a time. */
import { Agent, request as sendRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { asError } from '../../as-error.ts';
import { isOverdue, type Cancellation } from './cancellation.ts';
import type { Endpoint } from './endpoint.ts';
import { TransportError, type Transport, type WireRequest, type WireResponse } from './transport.ts';

/** An agent whose connections are opened by an {@link Endpoint}, which handles TLS and proxies. */
class EndpointAgent extends Agent {
  readonly #endpoint: Endpoint;
  readonly #closing = new AbortController();
  readonly #generations = new WeakMap<Duplex, number>();

  constructor(endpoint: Endpoint, maxSockets: number) {
    super({ keepAlive: true, maxSockets, maxFreeSockets: 8, timeout: 0 });
    this.#endpoint = endpoint;
  }

  override createConnection(_options: object, done: (error: Error | null, socket: Duplex) => void): Duplex | null | undefined {
    this.#endpoint.open(['http/1.1'], this.#closing.signal).then(
      ({ socket, generation }) => {
        this.#generations.set(socket, generation);
        done(null, socket);
      },
      // Node accepts no socket with an error, but its type requires one.
      (error: unknown) => done(new TransportError('NotSent', asError(error)), undefined as unknown as Duplex),
    );
    return undefined;
  }

  /** Returns whether the connection presented the current certificate. */
  isFresh(socket: Duplex): boolean {
    return this.#generations.get(socket) === this.#endpoint.generation;
  }

  /** Closes the idle connections that match. */
  dropIdle(fits: (socket: Duplex) => boolean): void {
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) if (fits(socket)) socket.destroy();
  }

  close(): void {
    this.#closing.abort(new Error('the client is closed'));
    this.destroy();
  }
}

export class Http1Transport implements Transport {
  readonly #agent: EndpointAgent;
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint, maxSockets: number) {
    this.#endpoint = endpoint;
    this.#agent = new EndpointAgent(endpoint, maxSockets);
  }

  async send(request: WireRequest, cancel: Cancellation): Promise<WireResponse> {
    for (;;) {
      this.#agent.dropIdle((socket) => !this.#agent.isFresh(socket));
      const answer = await this.#sendOnce(request, cancel);
      if (answer !== 'StaleConnection') return answer;
    }
  }

  /**
   * Sends a request once. A connection that was in use while the certificate was replaced may be given to a waiting request, which then uses another.
   */
  #sendOnce(request: WireRequest, cancel: Cancellation): Promise<WireResponse | 'StaleConnection'> {
    return new Promise((resolve, reject) => {
      const { host } = this.#endpoint.url;
      const headers = { ...request.headers, host } as Record<string, string | string[]>;
      const sent = sendRequest({ agent: this.#agent, host, method: request.method, path: request.path, headers });
      cancel.onCancel((reason) => {
        sent.destroy(asError(reason));
        // When one connection is silent, others that were open before may be dead as well. HTTP/1.1 has no PING to check them.
        if (isOverdue(reason)) this.#agent.dropIdle(() => true);
      });
      // Nothing is written before: not even the head, which would be sent with the first byte that the connection accepts.
      sent.once('socket', (socket) => {
        try {
          if (!this.#agent.isFresh(socket)) resolve('StaleConnection');
          else {
            request.beforeSend();
            sent.end(request.body);
            return;
          }
        } catch (error) {
          reject(asError(error));
        }
        sent.destroy();
      });
      sent.once('response', (response) => resolve(responseOf(response)));
      sent.on('error', (error) => reject(error instanceof TransportError ? error : new TransportError(reachOf(sent), error)));
    });
  }

  close(): void {
    this.#agent.close();
  }
}

/** Returns how far the request got. Without a socket nothing can have been written. */
const reachOf = (sent: ClientRequest): 'NotSent' | 'Unknown' => (sent.socket === null || sent.socket.connecting ? 'NotSent' : 'Unknown');

const responseOf = (response: IncomingMessage): WireResponse => ({
  status: response.statusCode ?? 0,
  retryAfter: response.headers['retry-after'],
  body: response,
  isWhole: () => response.complete,
});
