/**
 * The HTTPS server of the webhooks: HTTP/2 and HTTP/1.1 on one port, certificates replaced on the live server, nothing but
 * the request itself kept in memory.
 * @see spec/manager.md 4.1
 */
import { createSecureServer, type Http2SecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Logger } from '@kruise/kube';
import { formatAdmissionReview, parseAdmissionReview, tooLarge } from '../review/admission-review.ts';
import { answerConversionReview, type Convert } from '../review/conversion-review.ts';
import type { AdmissionHandler, Decision } from '../review/decision.ts';

/** Where the server's numbers go; the label value `path` is the URL path. */
export interface WebhookMetrics {
  started(path: string): void;
  /** `code` is the HTTP status: 200 whatever was decided, 500 when the handler threw. */
  finished(path: string, code: 200 | 500, seconds: number): void;
  panicked(): void;
}

/** What a TLS server shows and proves itself with. */
export interface KeyPair {
  /** PEM. */
  readonly key: string;
  /** PEM, leaf first. */
  readonly cert: string;
}

/** Who answers, with which key pair, and within which limits. */
export interface WebhookServerOptions {
  readonly handlers: readonly AdmissionHandler[];
  readonly convert: Convert;
  readonly metrics: WebhookMetrics;
  readonly logger: Logger;
  readonly keyPair: KeyPair;
  /** Bodies above this many bytes are refused with 413; 7 MiB when absent. */
  readonly bodyLimit?: number;
  /** How long a client may take to send a request, in milliseconds; 30 s when absent. */
  readonly requestTimeoutMs?: number;
}

const defaultBodyLimit = 7 * 1024 * 1024;

const defaultRequestTimeoutMs = 30_000;

/** Longer than the 90 s for which the API server keeps a connection: a review that meets a connection that is being closed is lost. */
const idleConnectionMs = 120_000;

type Body = { readonly kind: 'Read'; readonly bytes: Buffer } | { readonly kind: 'TooLarge' };

interface Limits {
  readonly bytes: number;
  readonly timeoutMs: number;
}

/**
 * @remarks The time is kept by a timer and not by the socket: over HTTP/1.1 the socket's timeout would outlive the request and close an idle
 * connection just when the API server, which keeps it for 90 s, sends its next review.
 */
async function readBody(request: Http2ServerRequest, limits: Limits): Promise<Body> {
  const late = setTimeout(() => request.destroy(new Error('the request did not come in time')), limits.timeoutMs);
  try {
    return await collect(request, limits.bytes);
  } finally {
    clearTimeout(late);
  }
}

async function collect(stream: AsyncIterable<Buffer>, limit: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > limit) return { kind: 'TooLarge' };
    chunks.push(chunk);
  }
  return { kind: 'Read', bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) };
}

/** HTTP/1.1 is told by a header, HTTP/2 by a GOAWAY frame; both let this answer pass. */
function endConnectionAfter(request: Http2ServerRequest, response: Http2ServerResponse): void {
  if (request.httpVersionMajor === 1) response.setHeader('connection', 'close');
  else request.stream.session?.close();
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Answers AdmissionReview and ConversionReview over TLS. Handlers and key pair can be replaced while it serves. */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  #routes: ReadonlyMap<string, AdmissionHandler> = new Map();
  readonly #server: Http2SecureServer;
  readonly #stopping = new AbortController();
  #inFlight = 0;
  #draining = false;
  #drained: (() => void) | undefined;

  constructor(options: WebhookServerOptions) {
    const logger = options.logger.child({ logger: 'webhook-server' });
    this.#options = { ...options, logger };
    this.replaceHandlers(options.handlers);
    this.#server = createSecureServer({ allowHTTP1: true, minVersion: 'TLSv1.2', ...options.keyPair }, (request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        logger.debug({ error, path: request.url }, 'Webhook request was not answered');
        response.destroy();
        request.socket.destroy();
      });
    });
    // The second is for connections that the API server has opened and not yet used: without it they are ended after 60 to 90 s.
    Object.assign(this.#server, { keepAliveTimeout: idleConnectionMs, headersTimeout: idleConnectionMs });
    this.#server.on('tlsClientError', (error: Error) => logger.debug({ error }, 'TLS handshake failed'));
    this.#server.on('sessionError', (error: Error) => logger.debug({ error }, 'Webhook connection broke'));
  }

  /** The node server, for listening. */
  get server(): Http2SecureServer {
    return this.#server;
  }

  /** Requests that come from now on go to these; those that are being answered keep theirs. */
  replaceHandlers(handlers: readonly AdmissionHandler[]): void {
    this.#routes = new Map(
      handlers.flatMap((handler) => [handler.path, ...(handler.aliases ?? [])].map((path) => [path, handler] as const)),
    );
  }

  /** New connections get this certificate; those open keep theirs. */
  replaceKeyPair(keyPair: KeyPair): void {
    this.#server.setSecureContext(keyPair);
  }

  /**
   * From now on every answer ends its connection, so that the API server opens its next one to another replica, and does not find it closed
   * just when it sends: a review that was sent cannot be sent again.
   */
  drain(): void {
    this.#draining = true;
  }

  /** Takes no new connection, answers what came in, then closes; what is not done after `graceMs` is cut off. */
  async stop(graceMs: number): Promise<void> {
    const closed = new Promise<void>((done) => this.#server.close(() => done()));
    if (this.#inFlight > 0) {
      const timer = new AbortController();
      const grace = new Promise<void>((done) => {
        const handle = setTimeout(done, graceMs);
        timer.signal.addEventListener('abort', () => clearTimeout(handle));
      });
      await Promise.race([new Promise<void>((done) => (this.#drained = done)), grace]);
      timer.abort();
    }
    this.#stopping.abort(new Error('the webhook server stops'));
    (this.#server as unknown as { closeAllConnections?: () => void }).closeAllConnections?.();
    await Promise.race([closed, new Promise((done) => setTimeout(done, 100).unref())]);
  }

  get #timeoutMs(): number {
    return this.#options.requestTimeoutMs ?? defaultRequestTimeoutMs;
  }

  async #handle(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    if (this.#draining) endConnectionAfter(request, response);
    const path = (request.url ?? '/').split('?', 1)[0] as string;
    if (path === '/healthz') {
      response.writeHead(200).end();
      return;
    }
    const handler = this.#routes.get(path);
    if (handler === undefined && path !== '/convert') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
      return;
    }
    this.#inFlight++;
    try {
      if (handler === undefined) await this.#convert(request, response);
      else await this.#review(handler, request, response);
    } finally {
      if (--this.#inFlight === 0) this.#drained?.();
    }
  }

  async #convert(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const body = await readBody(request, { bytes: 64 * defaultBodyLimit, timeoutMs: this.#timeoutMs });
    const answer = body.kind === 'TooLarge' ? undefined : answerConversionReview(body.bytes, this.#options.convert);
    if (answer === undefined) response.writeHead(400, { 'content-type': 'text/plain' }).end('expected a ConversionReview with a request\n');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  }

  async #review(handler: AdmissionHandler, request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const { metrics, bodyLimit = defaultBodyLimit } = this.#options;
    const began = performance.now();
    metrics.started(handler.path);
    let code: 200 | 500 = 200;
    try {
      const body = await readBody(request, { bytes: bodyLimit, timeoutMs: this.#timeoutMs });
      const answer =
        body.kind === 'TooLarge'
          ? { code, text: tooLarge(bodyLimit) }
          : await this.#decide(handler, body.bytes, request.headers['content-type']);
      code = answer.code;
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer.text);
    } finally {
      metrics.finished(handler.path, code, (performance.now() - began) / 1000);
    }
  }

  async #decide(
    handler: AdmissionHandler,
    body: Buffer,
    contentType: string | undefined,
  ): Promise<{ readonly code: 200 | 500; readonly text: string }> {
    const review = parseAdmissionReview(body, contentType);
    if (review.kind === 'Faulty')
      return {
        code: 200,
        text: formatAdmissionReview(review.apiVersion, review.uid, { kind: 'Failed', code: 400, message: review.message }),
      };
    const { apiVersion, request } = review;
    try {
      const decision = await handler.decide(request, this.#stopping.signal);
      return { code: 200, text: formatAdmissionReview(apiVersion, request.uid, decision, request) };
    } catch (error) {
      this.#options.metrics.panicked();
      this.#options.logger.error(
        { error, path: handler.path, stack: error instanceof Error ? error.stack : undefined },
        'Admission handler threw',
      );
      const decision: Decision = { kind: 'Failed', code: 500, message: `panic: ${messageOf(error)} [recovered]` };
      return { code: 500, text: formatAdmissionReview(apiVersion, request.uid, decision, request) };
    }
  }
}
