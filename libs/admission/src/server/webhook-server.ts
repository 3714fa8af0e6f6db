/**
 * The HTTPS server of the webhooks: HTTP/2 and HTTP/1.1 on one port, certificates replaced on the live server, nothing except the request itself kept
 * in memory.
 * @see spec/manager.md 4.1
 */
import { createSecureServer, type Http2SecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { ConnectionShare, orAborted, type ConnectionLimits, type Logger } from '@kruise/kube';
import { admissionLimits } from '@kruise/objects';
import { formatAdmissionReview, parseAdmissionReview, tooLarge } from '../review/admission-review.ts';
import { answerConversionReview, type Convert } from '../review/conversion-review.ts';
import type { AdmissionHandler, Decision } from '../review/decision.ts';
import { answerText, endConnectionAfter, endWithoutDecision, isUndecided, refuseForNow, refuseUnknown } from './answers.ts';
import { callerOf, send, Stopping, type Caller } from './caller.ts';
import { EventLoopTurns } from './event-loop-turns.ts';
import { KnownCallers } from './known-callers.ts';
import { MemoryShare, type Holding, type ShareLimits } from './memory-share.ts';
import { abandonBody, readBody, type Body, type BodyLimits } from './read-body.ts';
import { timeLimitOf } from './time-limit.ts';

/** The metrics of the server. The label value `path` is the URL path. */
export interface WebhookMetrics {
  started(path: string): void;
  /**
   * Reports an answer. `code` is the HTTP status: 200 for any decision, 401 for an unknown caller, 500 when the handler threw, or did not decide
   * while the caller waited.
   */
  finished(path: string, code: 200 | 401 | 500, seconds: number): void;
  panicked(): void;
}

/** The certificate and key of a TLS server. */
export interface KeyPair {
  /** PEM. */
  readonly key: string;
  /** PEM, leaf first. */
  readonly cert: string;
}

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
}

const defaultBodyLimit = admissionLimits.reviewBytes.value;

/** A list of thousands of objects. It and its answer are in memory as a whole. */
const defaultConversionLimit = admissionLimits.conversionBytes.value;

/** This many small ones are converted beside any large ones. */
const smallConversions = { smallBytes: 256 * 1024, requests: 256, holderRequests: 128 };

/** Limits of reviews, including those that are still being sent: any client that reaches the port may send them. */
const reviewShare: ShareLimits = {
  bytes: admissionLimits.reviewShareBytes.value,
  holderBytes: admissionLimits.addressShareBytes.value,
  smallBytes: admissionLimits.smallReviewBytes.value,
  requests: admissionLimits.reviews.value,
  holderRequests: admissionLimits.reviews.value / 2,
};
const connectionLimits: ConnectionLimits = {
  all: admissionLimits.connections.value,
  perAddress: admissionLimits.addressConnections.value,
  closes: 'Idle',
};

const defaultRequestTimeoutMs = 30_000;

const minVersion = 'TLSv1.2';

/** How long no request must have arrived before a draining server closes its port. */
const quietMs = 500;

/** How long the answers to aborted requests may take to be written. */
const cutOffMs = 100;

/** Longer than the 90 s for which the API server keeps a connection: a review on a connection that is being closed is lost. */
const idleConnectionMs = 120_000;

/** Resolves with `done`, or after `milliseconds`. */
async function within(milliseconds: number, done: Promise<void>): Promise<void> {
  const late = new AbortController();
  await Promise.race([done, sleep(Math.max(milliseconds, 0), undefined, { signal: late.signal, ref: false }).catch(() => undefined)]);
  late.abort();
}

const addressOf = (request: Http2ServerRequest): string => request.socket.remoteAddress ?? '';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Answers AdmissionReview and ConversionReview over TLS. Handlers and key pair can be replaced while it serves. */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  #routes: ReadonlyMap<string, AdmissionHandler> = new Map();
  readonly #server: Http2SecureServer;
  readonly #stopping = new AbortController();
  readonly #turns = new EventLoopTurns();
  readonly #conversions: MemoryShare;
  readonly #reviews: MemoryShare;
  #keyPair: KeyPair;
  /** Undefined when any caller may ask. */
  #callers: KnownCallers | undefined;
  #authorities: string | undefined;
  /** The context for callers with a server name: an authority that another one has signed is sufficient. Undefined when any caller may ask. */
  #named: SecureContext | undefined;
  #hasWarned = false;
  #inFlight = 0;
  #draining = false;
  /** When the last request other than a probe arrived, on the clock of `performance`. */
  #lastRequest = -Infinity;
  #drained: (() => void) | undefined;

  constructor(options: WebhookServerOptions) {
    const logger = options.logger.child({ logger: 'webhook-server' });
    this.#options = { ...options, logger };
    this.#conversions = new MemoryShare({ bytes: 2 * this.#conversionLimit, ...smallConversions });
    this.#reviews = new MemoryShare({ ...reviewShare, ...options.reviewShare });
    this.replaceHandlers(options.handlers);
    this.#keyPair = options.keyPair;
    this.#know(options.clientAuthorities);
    this.#named = this.#contextOf(this.#shown);
    // The handshake admits every caller: probes and conversions have no certificate.
    const asking = { requestCert: this.#callers !== undefined, rejectUnauthorized: false };
    // A server ignores the option that lets a chain end before a self-signed authority, but accepts a context that was created with it.
    const byName = this.#named === undefined ? {} : { SNICallback: this.#answerName };
    const connections = new ConnectionShare(options.connections ?? connectionLimits);
    const settings = { maxConcurrentStreams: admissionLimits.streams.value };
    const serving = { allowHTTP1: true, minVersion, settings, ...asking, ...byName, ...this.#shown } as const;
    this.#server = createSecureServer(serving, (request, response) => {
      const end = connections.begin(request.socket);
      this.#handle(request, response)
        .catch((error: unknown) => {
          logger.debug({ error, path: request.url }, 'Failed to answer a webhook request');
          response.destroy();
          request.socket.destroy();
        })
        .finally(end);
    });
    // The second is for connections that the API server has opened and not yet used. Without it they are closed after 60 to 90 s.
    Object.assign(this.#server, { keepAliveTimeout: idleConnectionMs, headersTimeout: idleConnectionMs });
    // In the turn in which its handshake begins.
    this.#server.on('connection', (socket: Socket) => this.#callers?.begin(socket));
    this.#server.on('connection', (socket: Socket) => connections.take(socket));
    this.#server.on('tlsClientError', (error: Error) => logger.debug({ error }, 'TLS handshake failed'));
    this.#server.on('sessionError', (error: Error) => logger.debug({ error }, 'Webhook connection broke'));
  }

  /** The node server, for listening. */
  get server(): Http2SecureServer {
    return this.#server;
  }

  /** Whether no request is in progress. */
  get isIdle(): boolean {
    return this.#inFlight === 0;
  }

  /** Replaces the handlers for new requests. Requests in progress keep theirs. */
  replaceHandlers(handlers: readonly AdmissionHandler[]): void {
    this.#routes = new Map(
      handlers.flatMap((handler) => [handler.path, ...(handler.aliases ?? [])].map((path) => [path, handler] as const)),
    );
  }

  /**
   * Replaces the certificate for new connections; open ones keep theirs. A certificate that cannot be presented is logged, and the previous one
   * stays.
   */
  replaceKeyPair(keyPair: KeyPair): void {
    try {
      this.#show({ ...this.#shown, ...keyPair });
      this.#keyPair = keyPair;
    } catch (error) {
      this.#options.logger.error({ error }, 'Failed to present the new certificate, keeping the previous one');
    }
  }

  /**
   * Replaces the authorities that identify callers, also for open connections. Only for a server that was created with authorities.
   *
   * @throws Error when they cannot be used: the previous ones stay in use
   */
  replaceClientAuthorities(pem: string): void {
    if (this.#callers === undefined) throw new Error('this server was created to answer every caller');
    this.#know(pem);
    this.#show(this.#shown);
  }

  /**
   * Makes every answer end its connection from now on, so that the API server opens its next one to another replica. A connection that is closed just
   * when the API server sends would lose a review, which cannot be sent again.
   */
  drain(): void {
    this.#draining = true;
  }

  /**
   * Accepts no new connection, answers the received requests, then closes. Requests that are not answered after `graceMs` are aborted. A draining
   * server continues to serve while requests arrive, for half of that time at most: their senders have not noticed yet that this one ends.
   */
  async stop(graceMs: number): Promise<void> {
    const until = performance.now() + graceMs;
    if (this.#draining) await this.#untilQuiet(until - graceMs / 2);
    const closed = new Promise<void>((done) => this.#server.close(() => done()));
    await this.#untilIdle(until - performance.now());
    this.#stopping.abort(new Stopping('the webhook server stops'));
    // The answers to aborted requests are sent first.
    await this.#untilIdle(cutOffMs);
    (this.#server as unknown as { closeAllConnections?: () => void }).closeAllConnections?.();
    await within(100, closed);
  }

  /** Waits for at most `milliseconds`. */
  async #untilIdle(milliseconds: number): Promise<void> {
    if (!this.isIdle) await within(milliseconds, new Promise<void>((done) => (this.#drained = done)));
  }

  /** Waits until no request arrived for a while. @param until on the clock of `performance` */
  async #untilQuiet(until: number): Promise<void> {
    for (;;) {
      const now = performance.now();
      const left = Math.min(this.#lastRequest + quietMs, until) - now;
      if (left <= 0) return;
      await sleep(left);
    }
  }

  #know(authorities: string | undefined): void {
    this.#callers = authorities === undefined ? undefined : new KnownCallers(authorities, this.#callers);
    this.#authorities = authorities;
    this.#hasWarned = false;
  }

  /** The options for new connections. */
  get #shown(): SecureContextOptions {
    return this.#authorities === undefined ? this.#keyPair : { ...this.#keyPair, ca: this.#authorities };
  }

  /** Sets the options for new connections. @throws when they cannot be presented; the previous ones stay then */
  #show(shown: SecureContextOptions): void {
    const named = this.#contextOf(shown);
    this.#server.setSecureContext(shown);
    this.#named = named;
  }

  #contextOf(shown: SecureContextOptions): SecureContext | undefined {
    return shown.ca === undefined ? undefined : createSecureContext({ ...shown, minVersion, allowPartialTrustChain: true });
  }

  readonly #answerName = (_name: string, answer: (error: Error | null, context?: SecureContext) => void): void => answer(null, this.#named);

  get #times(): Pick<BodyLimits, 'timeoutMs' | 'paceMs'> {
    const { requestTimeoutMs: timeoutMs = defaultRequestTimeoutMs, bodyPaceMs: paceMs } = this.#options;
    return paceMs === undefined ? { timeoutMs } : { timeoutMs, paceMs };
  }

  get #conversionLimit(): number {
    return this.#options.conversionLimit ?? defaultConversionLimit;
  }

  #callerOf({ url }: Http2ServerRequest, response: Http2ServerResponse): Caller {
    return callerOf(response, timeLimitOf(url ?? ''), this.#stopping.signal);
  }

  async #handle(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    if (this.#draining) endConnectionAfter(request, response);
    const path = (request.url ?? '/').split('?', 1)[0] as string;
    if (path === '/healthz') {
      response.writeHead(200).end();
      return;
    }
    this.#lastRequest = performance.now();
    const handler = this.#routes.get(path);
    if (handler === undefined && path !== '/convert') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
      return;
    }
    this.#inFlight++;
    try {
      if (handler === undefined) await this.#convert(request, response);
      else if (this.#callers?.includes(request) === false) this.#refuse(handler, request, response);
      else await this.#review(handler, request, response);
    } finally {
      if (--this.#inFlight === 0) this.#drained?.();
    }
  }

  #refuse({ path }: AdmissionHandler, request: Http2ServerRequest, response: Http2ServerResponse): void {
    const fields = { path, address: request.socket.remoteAddress };
    const message = 'A caller without a known client certificate was refused';
    if (this.#hasWarned) this.#options.logger.debug(fields, message);
    else this.#options.logger.warn(fields, `${message}; further ones are logged at a higher verbosity`);
    this.#hasWarned = true;
    this.#options.metrics.started(path);
    abandonBody(request, response);
    refuseUnknown(request, response);
    this.#options.metrics.finished(path, 401, 0);
  }

  async #convert(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const caller = this.#callerOf(request, response);
    const holding = this.#conversions.open(addressOf(request));
    try {
      if (holding === undefined) refuseForNow(response, 'conversions');
      else await this.#answerConversion(request, response, { caller, holding });
    } catch (error) {
      if (!isUndecided(error) || response.headersSent) throw error;
      endWithoutDecision(request, response, error);
    } finally {
      holding?.release();
      caller.end();
    }
  }

  async #answerConversion(
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    { caller: { signal }, holding }: { readonly caller: Caller; readonly holding: Holding },
  ): Promise<void> {
    const { convert, bodyLimit = defaultBodyLimit } = this.#options;
    const bytes = this.#conversionLimit;
    const body = await readBody(request, { bytes, ...this.#times, grow: (more) => holding.grow(more) });
    if (body.kind !== 'Read') abandonBody(request, response);
    if (body.kind === 'Refused') return refuseForNow(response, 'conversions');
    if (body.kind === 'TooLarge') return answerText(response, 413, `the ConversionReview is too large: it has more than ${bytes} bytes`);
    const turn = async (): Promise<void> => {
      await this.#turns.take();
      signal.throwIfAborted();
    };
    await turn();
    const answer = await answerConversionReview(body.bytes, { convert, objectLimit: bodyLimit, turn });
    if (answer.kind === 'Faulty') return answerText(response, 400, 'expected a ConversionReview with a request');
    if (answer.kind === 'TooLarge') return answerText(response, 413, `the ConversionReview is too large: ${answer.why}`);
    response.writeHead(200, { 'content-type': 'application/json' });
    await send(response, answer.pieces, signal);
  }

  async #review(handler: AdmissionHandler, request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const { metrics, bodyLimit = defaultBodyLimit } = this.#options;
    const began = performance.now();
    const caller = this.#callerOf(request, response);
    metrics.started(handler.path);
    let code: 200 | 500 = 500;
    const holding = this.#reviews.open(addressOf(request));
    try {
      const grow = (more: number): boolean => holding?.grow(more) === true;
      const body: Body = holding === undefined ? { kind: 'Refused' } : await readBody(request, { bytes: bodyLimit, ...this.#times, grow });
      if (body.kind !== 'Read') abandonBody(request, response);
      if (body.kind === 'Refused') return refuseForNow(response, 'reviews');
      const answer = await this.#answerReview(handler, body, { contentType: request.headers['content-type'], caller });
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer.text);
      code = answer.code;
    } catch (error) {
      if (!isUndecided(error)) throw error;
      endWithoutDecision(request, response, error);
    } finally {
      holding?.release();
      caller.end();
      metrics.finished(handler.path, code, (performance.now() - began) / 1000);
    }
  }

  /**
   * Answers one review.
   * @throws CallerGone when the caller no longer waits for the answer; OutOfTime or Stopping when there was no decision in time
   */
  async #answerReview(
    handler: AdmissionHandler,
    body: Exclude<Body, { kind: 'Refused' }>,
    { contentType, caller: { signal } }: { readonly contentType: string | undefined; readonly caller: Caller },
  ): Promise<{ readonly code: 200 | 500; readonly text: string }> {
    if (body.kind !== 'Read') return { code: 200, text: tooLarge(this.#options.bodyLimit ?? defaultBodyLimit) };
    // When reviews have piled up, the loop first notices which callers have disconnected.
    await this.#turns.take();
    signal.throwIfAborted();
    const review = parseAdmissionReview(body.bytes, contentType);
    if (review.kind === 'Faulty')
      return {
        code: 200,
        text: formatAdmissionReview(review.apiVersion, review.uid, { kind: 'Failed', code: 400, message: review.message }),
      };
    const { apiVersion, request } = review;
    try {
      const decision = await orAborted((async () => handler.decide(request, signal))(), signal);
      return { code: 200, text: formatAdmissionReview(apiVersion, request.uid, decision, request) };
    } catch (error) {
      // A handler that gives up with an error of its own has reached no decision either.
      signal.throwIfAborted();
      const decision: Decision = { kind: 'Failed', code: 500, message: this.#failureOf(handler, error) };
      return { code: 500, text: formatAdmissionReview(apiVersion, request.uid, decision, request) };
    }
  }

  #failureOf({ path }: AdmissionHandler, error: unknown): string {
    this.#options.metrics.panicked();
    this.#options.logger.error({ error, path, stack: error instanceof Error ? error.stack : undefined }, 'Admission handler threw');
    return `panic: ${messageOf(error)} [recovered]`;
  }
}
