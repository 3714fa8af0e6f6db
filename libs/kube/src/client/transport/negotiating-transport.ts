/** Uses HTTP/2 when the server supports it, otherwise HTTP/1.1 from then on. */
import type { Cancellation } from './cancellation.ts';
import type { Endpoint } from './endpoint.ts';
import { Http1Transport } from './http1-transport.ts';
import { Http2Pool, NoHttp2, type PoolLimits } from './http2-pool.ts';
import { TransportError, type Transport, type WireRequest, type WireResponse } from './transport.ts';

export class NegotiatingTransport implements Transport {
  readonly #endpoint: Endpoint;
  readonly #maxSockets: number;
  #current: Transport;
  #closed = false;

  /**
   * Creates the transport.
   *
   * @param maxSockets maximum of HTTP/1.1 connections
   */
  constructor(endpoint: Endpoint, limits: PoolLimits, maxSockets: number) {
    this.#endpoint = endpoint;
    this.#maxSockets = maxSockets;
    this.#current = endpoint.url.protocol === 'https:' ? new Http2Pool(endpoint, limits) : new Http1Transport(endpoint, maxSockets);
  }

  async send(request: WireRequest, cancel: Cancellation): Promise<WireResponse> {
    try {
      return await this.#current.send(request, cancel);
    } catch (error) {
      if (this.#closed || !(error instanceof TransportError) || !(error.cause instanceof NoHttp2)) throw error;
    }
    if (this.#current instanceof Http2Pool) {
      this.#current.close();
      this.#current = new Http1Transport(this.#endpoint, this.#maxSockets);
    }
    return await this.#current.send(request, cancel);
  }

  close(): void {
    this.#closed = true;
    this.#current.close();
  }
}
