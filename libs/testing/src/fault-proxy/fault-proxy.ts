/**
 * A proxy between a program and a real API server that misbehaves on request (README.md beside this file shows how to use it).
 *
 * client <-TCP-> relay <-TCP-> inner TLS server (HTTP/2 or 1.1) -> rule? -> upstream session (HTTP/2) <-> API server
 *
 * It connects to the API server as the user of its kubeconfig, whatever its client is; an Authorization header is passed on.
 */
import {
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  constants,
  createSecureServer,
} from 'node:http2';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthority, issueCertificate } from '../cluster/credentials/certificates.ts';
import { parseKubeconfig, renderKubeconfig } from '../cluster/credentials/kubeconfig.ts';
import { ConnectionRelay } from './connection-relay.ts';
import { editWatch } from './edit-watch.ts';
import { type ActiveRule, type Fault, type FaultRule, type RequestMatch, type SeenRequest, RuleSet, matches } from './rules.ts';
import { type UpstreamAnswer, Upstream } from './upstream.ts';

/** One recorded request. */
export interface RecordedRequest extends SeenRequest {
  /** The code of the answer, undefined when (or as long as) there was none. */
  code: number | undefined;
  /** The fault that was applied to it. */
  readonly fault: Fault['kind'] | undefined;
  /** Whether it was passed on to the API server. */
  forwarded: boolean;
}

/** The API server behind the proxy. */
export interface FaultProxyOptions {
  /** An administrator's kubeconfig as `ControlPlane` writes it. */
  readonly kubeconfigPath: string;
}

/** Starts a proxy on a free port of loopback. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const access = parseKubeconfig(readFileSync(options.kubeconfigPath, 'utf8'));
  const authority = createAuthority('fault-proxy-authority');
  const server = issueCertificate(authority, { commonName: 'fault-proxy', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const inner = createSecureServer({
    cert: server.certificatePem,
    key: server.keyPem,
    allowHTTP1: true,
    settings: { initialWindowSize: 1024 * 1024 },
  });
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
  const relay = new ConnectionRelay((inner.address() as AddressInfo).port);
  await relay.listen();
  const kubeconfigPath = join(dirname(options.kubeconfigPath), `fault-proxy-${relay.port}.kubeconfig`);
  const url = `https://127.0.0.1:${relay.port}`;
  const text = renderKubeconfig({
    server: url,
    certificateAuthorityPem: authority.certificatePem,
    user: 'fault-proxy',
    credentials: access.credentials,
  });
  writeFileSync(kubeconfigPath, text, { mode: 0o600 });
  return new FaultProxy({ inner, relay, upstream: new Upstream(access), kubeconfigPath, url });
}

interface Exchange {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
  readonly record: RecordedRequest;
  readonly body: Buffer;
}

/** A proxy in front of an API server that breaks chosen requests. Requests that no rule matches pass unchanged, and all are recorded. */
export class FaultProxy implements AsyncDisposable {
  /** For the program under test. */
  readonly kubeconfigPath: string;
  /** e.g. `https://127.0.0.1:17124`. */
  readonly server: string;
  /** Every request so far, oldest first. Open ones have no code. */
  readonly requests: RecordedRequest[] = [];
  readonly #rules = new RuleSet();
  readonly #inner: Http2SecureServer;
  readonly #relay: ConnectionRelay;
  readonly #upstream: Upstream;
  readonly #sessions = new Set<ServerHttp2Session>();
  /** Below TLS. */
  readonly #sockets = new Set<Socket>();

  constructor(parts: { inner: Http2SecureServer; relay: ConnectionRelay; upstream: Upstream; kubeconfigPath: string; url: string }) {
    this.kubeconfigPath = parts.kubeconfigPath;
    this.server = parts.url;
    this.#inner = parts.inner;
    this.#relay = parts.relay;
    this.#upstream = parts.upstream;
    this.#inner.on('request', (request, response) => void this.#serve(request, response));
    this.#inner.on('sessionError', () => undefined);
    this.#inner.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#inner.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
  }

  /** Adds a rule. @returns a function that removes it */
  inject(rule: FaultRule): () => void {
    return this.#rules.add(rule);
  }

  /** Removes all rules. */
  heal(): void {
    this.#rules.clear();
  }

  /** Returns how many of the requests so far match. */
  count(match: RequestMatch = {}): number {
    return this.requests.filter((request) => matches(match, request)).length;
  }

  /** Number of connections that clients have opened so far. */
  get connections(): number {
    return this.#relay.accepted;
  }

  /** Breaks every connection of clients; new ones are accepted. */
  dropConnections(): void {
    this.#relay.dropAll();
  }

  /** Stops all bytes and closes nothing until {@link thaw}: a network that drops packets. */
  freeze(): void {
    this.#relay.freeze();
  }

  /** Does the same as {@link freeze} for the connections that are open now, until {@link thaw}; new ones work. */
  freezeOpen(): void {
    this.#relay.freezeOpen();
  }

  thaw(): void {
    this.#relay.thaw();
  }

  /** Breaks every connection and refuses new ones until {@link accept}. */
  async refuse(): Promise<void> {
    await this.#relay.refuse();
  }

  async accept(): Promise<void> {
    await this.#relay.listen();
  }

  /** Breaks all open connections. Does not wait for the inner server: Node may never report the end of a session whose client was killed. */
  async stop(): Promise<void> {
    await this.#relay.refuse();
    this.#upstream.close();
    this.#inner.close();
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Serves a request. Never rejects: any failure on the way to the server breaks the client's stream. */
  async #serve(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const seen = seenRequest(request);
    const active = this.#rules.take(seen);
    const record: RecordedRequest = { ...seen, code: undefined, fault: active?.rule.fault.kind, forwarded: false };
    this.requests.push(record);
    try {
      const exchange = { request, response, record, body: await bodyOf(request) };
      if (active === undefined) await this.#forward(exchange);
      else await this.#misbehave(exchange, active);
    } catch {
      reset(response, constants.NGHTTP2_INTERNAL_ERROR);
    }
  }

  async #misbehave(exchange: Exchange, active: ActiveRule): Promise<void> {
    const { fault } = active.rule;
    const { response, request } = exchange;
    switch (fault.kind) {
      case 'Delay':
        await sleep(fault.delayMs);
        return await this.#forward(exchange);
      case 'Hang':
        return;
      case 'DropConnection':
        return this.#drop(request);
      case 'ResetBefore':
        return reset(response, fault.refused === true ? constants.NGHTTP2_REFUSED_STREAM : constants.NGHTTP2_INTERNAL_ERROR);
      case 'ResetAfterCommit':
        await this.#commit(exchange);
        return reset(response, constants.NGHTTP2_INTERNAL_ERROR);
      case 'DropAfterCommit':
        await this.#commit(exchange);
        return this.#drop(request);
      case 'Answer':
        return answer(exchange, fault);
      case 'Truncate':
        return await this.#truncate(exchange, fault.bytes);
      case 'Stale':
        return await this.#stale(exchange, active);
      case 'WatchEvents':
        return await this.#editWatch(exchange, fault);
    }
  }

  #drop(request: Http2ServerRequest): void {
    // The HTTP/2 proxy of the socket refuses some members; its remote port can be read.
    this.#relay.dropOf(request.socket.remotePort);
  }

  async #send({ request, record, body }: Exchange): Promise<UpstreamAnswer> {
    record.forwarded = true;
    const answered = await this.#upstream.send({ method: record.method, path: record.path, headers: request.headers, body });
    request.once('close', () => answered.stream.destroy());
    return answered;
  }

  async #commit(exchange: Exchange): Promise<void> {
    await readAll((await this.#send(exchange)).stream);
  }

  async #begin(exchange: Exchange): Promise<UpstreamAnswer> {
    const upstream = await this.#send(exchange);
    begin(exchange, upstream.status, upstream.headers);
    return upstream;
  }

  async #forward(exchange: Exchange): Promise<void> {
    const { stream } = await this.#begin(exchange);
    for await (const chunk of stream) await write(exchange.response, chunk as Buffer);
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) reset(exchange.response, constants.NGHTTP2_INTERNAL_ERROR);
    else exchange.response.end();
  }

  async #truncate(exchange: Exchange, bytes: number): Promise<void> {
    const { stream } = await this.#begin(exchange);
    const whole = await readAll(stream);
    await write(exchange.response, whole.subarray(0, bytes));
    // Lets the bytes out before the reset overtakes them.
    await sleep(20);
    reset(exchange.response, constants.NGHTTP2_INTERNAL_ERROR);
  }

  async #stale(exchange: Exchange, { kept }: ActiveRule): Promise<void> {
    let held = kept.get(exchange.record.path);
    if (held === undefined) {
      const { status, headers, stream } = await this.#send(exchange);
      held = { status, contentType: headers['content-type'] ?? 'application/json', body: await readAll(stream) };
      kept.set(exchange.record.path, held);
    }
    begin(exchange, held.status, { 'content-type': held.contentType });
    exchange.response.end(held.body);
  }

  async #editWatch(exchange: Exchange, fault: Extract<Fault, { kind: 'WatchEvents' }>): Promise<void> {
    const { stream } = await this.#begin(exchange);
    const how = await editWatch(stream, exchange.response.stream ?? exchange.response, fault.edit);
    stream.destroy();
    if (how === 'end') exchange.response.end();
    else reset(exchange.response, constants.NGHTTP2_INTERNAL_ERROR);
  }
}

function seenRequest(request: Http2ServerRequest): SeenRequest {
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  const watch = ['true', '1'].includes(query.get('watch') ?? '');
  return { method: request.method, path: request.url, watch, userAgent: request.headers['user-agent'] ?? '' };
}

async function bodyOf(request: Http2ServerRequest): Promise<Buffer> {
  return request.method === 'GET' ? Buffer.alloc(0) : await readAll(request);
}

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function begin({ response, record }: Exchange, status: number, headers: object): void {
  for (const [name, value] of Object.entries(headers as Record<string, string>)) {
    if (!name.startsWith(':') && name !== 'content-length') response.setHeader(name, value);
  }
  response.writeHead(status);
  record.code = status;
  // A watch may be silent for long: its head must not wait for its first event.
  const out = response as Http2ServerResponse & { flushHeaders?: () => void };
  out.flushHeaders?.();
}

function answer(exchange: Exchange, fault: Extract<Fault, { kind: 'Answer' }>): void {
  const { status, reason, message = `the fault proxy answers ${status}`, retryAfterSeconds } = fault;
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const made = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...details,
    code: status,
  };
  begin(exchange, status, {
    'content-type': fault.contentType ?? 'application/json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  exchange.response.end(fault.body ?? JSON.stringify(made));
}

/** Writes a chunk, and waits while the client reads more slowly than the server writes. */
async function write(response: Http2ServerResponse, chunk: Buffer): Promise<void> {
  if (chunk.length === 0 || response.write(chunk)) return;
  await new Promise<void>((resolve) => {
    const goOn = (): void => {
      response.off('drain', goOn).off('close', goOn);
      resolve();
    };
    response.on('drain', goOn).on('close', goOn);
  });
}

/** Resets a stream. HTTP/2: RST_STREAM; HTTP/1.1: the connection breaks. */
function reset(response: Http2ServerResponse, code: number): void {
  const stream = response.stream as Http2ServerResponse['stream'] | undefined;
  if (stream !== undefined) stream.close(code);
  else (response.socket as Socket | null)?.destroy();
}
