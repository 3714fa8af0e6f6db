/**
 * The HTTPS server of the webhooks: HTTP/2 and HTTP/1.1 on one port, certificates replaced on the live server, nothing except the request itself kept
 * in memory. It connects its parts: TLS identity, routing, the endpoints for reviews and conversions, draining.
 * @see spec/manager.md 4.1
 */
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { ConnectionShare, SystemClock, type Clock, type ConnectionLimits, type Logger } from '@kruise/kube';
import { admissionLimits } from '@kruise/objects';
import type { Convert } from '../review/conversion-review.ts';
import type { AdmissionHandler } from '../review/decision.ts';
import { endConnectionAfter } from './answers.ts';
import { ConversionEndpoint } from './conversion-endpoint.ts';
import { Draining } from './draining.ts';
import { EventLoopTurns } from './event-loop-turns.ts';
import { bodyTimesOf, type Exchange } from './exchange.ts';
import type { ShareLimits } from './memory-share.ts';
import { ReviewEndpoint, type WebhookMetrics } from './review-endpoint.ts';
import { routeOf, routesOf, type Routes } from './routing.ts';
import { TlsIdentity, type KeyPair } from './tls-identity.ts';

/** The handlers, key pair and limits of a server. */
export interface WebhookServerOptions {
  readonly handlers: readonly AdmissionHandler[];
  readonly convert: Convert;
  readonly metrics: WebhookMetrics;
  readonly logger: Logger;
  readonly keyPair: KeyPair;
  /**
   * PEM. Reviews are answered only to callers with a client certificate that one of these authorities has signed, itself or through intermediate
   * certificates that the caller presents. Only for a caller without a server name (SNI) a self-signed authority must be among them. Any caller may
   * ask when absent.
   * Conversions are answered to every caller: an API server has no certificate to present for them, and they change nothing.
   */
  readonly clientAuthorities?: string;
  /** Bodies above this many bytes are refused with 413, and so are conversions that contain a larger object; 7 MiB when absent. */
  readonly bodyLimit?: number;
  /** Limit of one ConversionReview, in bytes. All in progress may have twice as many. 64 MiB when absent. */
  readonly conversionLimit?: number;
  /** How long a client may take to send a request, in milliseconds; 30 s when absent. */
  readonly requestTimeoutMs?: number;
  /** @see BodyLimits.paceMs */
  readonly bodyPaceMs?: number;
  /** Limits of all reviews in progress; those of `admissionLimits` where absent. */
  readonly reviewShare?: Partial<ShareLimits>;
  /** Limits of open connections; those of `admissionLimits` when absent. */
  readonly connections?: ConnectionLimits;
  /** Measures how long no request has arrived while the server drains; that of the system when absent. */
  readonly clock?: Pick<Clock, 'monotonic' | 'sleep'>;
}

const connectionLimits: ConnectionLimits = {
  all: admissionLimits.connections.value,
  perAddress: admissionLimits.addressConnections.value,
  closes: 'Idle',
};

/** Longer than the 90 s for which the API server keeps a connection: a review on a connection that is being closed is lost. */
const idleConnectionMs = 120_000;

/** Answers AdmissionReview and ConversionReview over TLS. Handlers and key pair can be replaced while it serves. */
export class WebhookServer {
  readonly #logger: Logger;
  #routes: Routes;
  readonly #server: Http2SecureServer;
  readonly #identity: TlsIdentity;
  readonly #draining: Draining;
  readonly #reviews: ReviewEndpoint;
  readonly #conversions: ConversionEndpoint;

  constructor(options: WebhookServerOptions) {
    const { metrics, convert, bodyLimit: bytes = admissionLimits.reviewBytes.value } = options;
    this.#draining = new Draining(options.clock ?? new SystemClock());
    const logger = options.logger.child({ logger: 'webhook-server' });
    this.#logger = logger;
    this.#routes = routesOf(options.handlers);
    this.#identity = new TlsIdentity(options.keyPair, options.clientAuthorities);
    const times = bodyTimesOf(options.requestTimeoutMs, options.bodyPaceMs);
    const shared = { times, turns: new EventLoopTurns(), stopping: this.#draining.stopping };
    this.#reviews = new ReviewEndpoint({ ...shared, metrics, logger, bytes, share: options.reviewShare });
    // A list of thousands of objects. It and its answer are in memory as a whole.
    const conversionBytes = options.conversionLimit ?? admissionLimits.conversionBytes.value;
    this.#conversions = new ConversionEndpoint({ ...shared, convert, bytes: conversionBytes, objectBytes: bytes });
    this.#server = this.#create(new ConnectionShare(options.connections ?? connectionLimits));
  }

  #create(connections: ConnectionShare): Http2SecureServer {
    const settings = { maxConcurrentStreams: admissionLimits.streams.value };
    const server = createSecureServer({ allowHTTP1: true, settings, ...this.#identity.options }, (request, response) => {
      const end = connections.begin(request.socket);
      this.#handle({ request, response })
        .catch((error: unknown) => {
          this.#logger.debug({ error, path: request.url }, 'Failed to answer a webhook request');
          response.destroy();
          request.socket.destroy();
        })
        .finally(end);
    });
    // The second is for connections that the API server has opened and not yet used. Without it they are closed after 60 to 90 s.
    Object.assign(server, { keepAliveTimeout: idleConnectionMs, headersTimeout: idleConnectionMs });
    this.#identity.attach(server);
    server.on('connection', (socket: Socket) => connections.take(socket));
    server.on('tlsClientError', (error: Error) => this.#logger.debug({ error }, 'TLS handshake failed'));
    server.on('sessionError', (error: Error) => this.#logger.debug({ error }, 'Webhook connection failed'));
    return server;
  }

  /** The node server, for listening. */
  get server(): Http2SecureServer {
    return this.#server;
  }

  /** Whether no request is in progress. */
  get isIdle(): boolean {
    return this.#draining.isIdle;
  }

  /** Replaces the handlers for new requests. Requests in progress keep theirs. */
  replaceHandlers(handlers: readonly AdmissionHandler[]): void {
    this.#routes = routesOf(handlers);
  }

  /**
   * Replaces the certificate for new connections; open ones keep theirs. A certificate that cannot be presented is logged, and the previous one
   * stays.
   */
  replaceKeyPair(keyPair: KeyPair): void {
    try {
      this.#identity.replaceKeyPair(keyPair);
    } catch (error) {
      this.#logger.error({ error }, 'Failed to present the new certificate; keeping the previous one');
    }
  }

  /**
   * Replaces the authorities that identify callers, also for open connections. Only for a server that was created with authorities.
   *
   * @throws Error when they cannot be used: the previous ones stay in use
   */
  replaceClientAuthorities(pem: string): void {
    this.#identity.replaceClientAuthorities(pem);
    this.#reviews.warnAgain();
  }

  /**
   * Makes every answer end its connection from now on, so that the API server opens its next one to another replica. A connection that is closed just
   * when the API server sends would lose a review, which cannot be sent again.
   */
  drain(): void {
    this.#draining.drain();
  }

  /**
   * Accepts no new connection, answers the received requests, then closes. Requests that are not answered after `graceMs` are aborted. A draining
   * server continues to serve while requests arrive, for half of that time at most: their senders have not noticed yet that this one ends.
   */
  stop(graceMs: number): Promise<void> {
    return this.#draining.stop(this.#server, graceMs);
  }

  async #handle(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    if (this.#draining.isDraining) endConnectionAfter(request, response);
    const route = routeOf(this.#routes, request.url);
    if (route.kind !== 'Health') this.#draining.arrived();
    switch (route.kind) {
      case 'Health':
        return void response.writeHead(200).end();
      case 'Unknown':
        return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
      case 'Conversion':
        return this.#draining.during(() => this.#conversions.answer(exchange));
      case 'Review':
        return this.#draining.during(() => this.#review(route.handler, exchange));
    }
  }

  async #review(handler: AdmissionHandler, exchange: Exchange): Promise<void> {
    if (this.#identity.isUnknown(exchange.request)) return this.#reviews.refuse(handler, exchange);
    await this.#reviews.answer(handler, exchange);
  }
}
