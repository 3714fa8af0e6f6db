/** The way for servers and proxies without HTTP/2: keep-alive connections, one request each at a time. */
import { Agent, request as sendRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { asError, isOverdue, type Cancellation } from './cancellation.ts';
import type { Endpoint } from './endpoint.ts';
import { TransportError, type Transport, type WireRequest, type WireResponse } from './transport.ts';

/** An agent whose connections come from an {@link Endpoint}: TLS and proxies are its matter. */
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
      // Node takes no socket with an error, its type asks for one.
      (error: unknown) => done(new TransportError('NotSent', asError(error)), undefined as unknown as Duplex),
    );
    return undefined;
  }

  /** Whether it shows the certificate that is in force. */
  isFresh(socket: Duplex): boolean {
    return this.#generations.get(socket) === this.#endpoint.generation;
  }

  /** Ends the connections that wait for a request and fit. */
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

  /** A connection that was in use while the certificate was replaced may come back to a request that waits: that one takes another. */
  #sendOnce(request: WireRequest, cancel: Cancellation): Promise<WireResponse | 'StaleConnection'> {
    return new Promise((resolve, reject) => {
      const { host } = this.#endpoint.url;
      const headers = { ...request.headers, host } as Record<string, string | string[]>;
      const sent = sendRequest({ agent: this.#agent, host, method: request.method, path: request.path, headers });
      cancel.onCancel((reason) => {
        sent.destroy(asError(reason));
        // Where one connection is silent, others that were open before may lead nowhere as well. HTTP/1.1 has no PING to ask them.
        if (isOverdue(reason)) this.#agent.dropIdle(() => true);
      });
      // Nothing is written before: not even the head, which would leave with the first byte that the connection takes.
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

/** Without a socket nothing can have been written. */
const reachOf = (sent: ClientRequest): 'NotSent' | 'Unknown' => (sent.socket === null || sent.socket.connecting ? 'NotSent' : 'Unknown');

const responseOf = (response: IncomingMessage): WireResponse => ({
  status: response.statusCode ?? 0,
  retryAfter: response.headers['retry-after'],
  body: response,
  isWhole: () => response.complete,
});
