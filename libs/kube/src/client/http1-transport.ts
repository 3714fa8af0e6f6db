/** The way for servers and proxies without HTTP/2: keep-alive connections, one request each at a time. */
import { Agent, request as sendRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { asError, type Cancellation } from './cancellation.ts';
import type { Endpoint } from './endpoint.ts';
import { TransportError, type Transport, type WireRequest, type WireResponse } from './transport.ts';

/** An agent whose connections come from an {@link Endpoint}: TLS and proxies are its matter. */
class EndpointAgent extends Agent {
  readonly #endpoint: Endpoint;
  readonly #closing = new AbortController();

  constructor(endpoint: Endpoint, maxSockets: number) {
    super({ keepAlive: true, maxSockets, maxFreeSockets: 8, timeout: 0 });
    this.#endpoint = endpoint;
  }

  override createConnection(_options: object, done: (error: Error | null, socket: Duplex) => void): Duplex | null | undefined {
    this.#endpoint.open(['http/1.1'], this.#closing.signal).then(
      ({ socket }) => done(null, socket),
      // Node takes no socket with an error, its type asks for one.
      (error: unknown) => done(new TransportError('NotSent', asError(error)), undefined as unknown as Duplex),
    );
    return undefined;
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

  send(request: WireRequest, cancel: Cancellation): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      const { host } = this.#endpoint.url;
      const headers = { ...request.headers, host } as Record<string, string | string[]>;
      const sent = sendRequest({ agent: this.#agent, host, method: request.method, path: request.path, headers });
      cancel.onCancel((reason) => sent.destroy(asError(reason)));
      sent.once('response', (response) => resolve(responseOf(response)));
      sent.on('error', (error) => reject(error instanceof TransportError ? error : new TransportError(reachOf(sent), error)));
      sent.end(request.body);
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
