/** The proxy's connection to the real API server: one HTTP/2 session, opened again when it breaks. */
import { type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders, connect } from 'node:http2';
import type { Access } from '../cluster/credentials/kubeconfig.ts';

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly stream: ClientHttp2Stream;
}

/** Headers that belong to one connection. */
const NOT_PASSED_ON = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection']);

export class Upstream {
  readonly #access: Access;
  #session: ClientHttp2Session | undefined;

  constructor(access: Access) {
    this.#access = access;
  }

  /** Sends the request. Rejects when no answer begins. */
  send(request: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
  }): Promise<UpstreamAnswer> {
    const passed = Object.entries(request.headers).filter(([name]) => !name.startsWith(':') && !NOT_PASSED_ON.has(name));
    const headers = { ':method': request.method, ':path': request.path, ...Object.fromEntries(passed) };
    const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
    const stream = this.#connected().request(headers, { endStream: request.body.length === 0 });
    if (request.body.length > 0) stream.end(request.body);
    stream.once('response', (answer) => resolve({ status: answer[':status'] ?? 502, headers: answer, stream }));
    stream.on('error', reject);
    stream.once('close', () => reject(new Error('the API server reset the stream')));
    return promise;
  }

  close(): void {
    this.#session?.destroy();
  }

  #connected(): ClientHttp2Session {
    const open = this.#session;
    if (open !== undefined && !open.closed && !open.destroyed) return open;
    const { server, certificateAuthorityPem: ca, credentials } = this.#access;
    const session = connect(server, {
      ca,
      cert: credentials.certificatePem,
      key: credentials.keyPem,
      settings: { initialWindowSize: 4 * 1024 * 1024 },
    });
    session.on('error', () => session.destroy());
    session.once('connect', () => session.setLocalWindowSize(16 * 1024 * 1024));
    this.#session = session;
    return session;
  }
}
