/** Opens connections to one API server, and looks up everything that TLS needs for each of them. */
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { readAuthority, type Credentials } from '../../config/credentials.ts';
import type { ClusterConfig } from '../../config/cluster-config.ts';
import { orAborted } from '../../until-aborted.ts';
import { destinationOf, dial, startTls } from '../../connections/dial.ts';

export interface Connection {
  readonly socket: Socket;
  readonly protocol: 'h2' | 'http/1.1';
  /** The {@link Endpoint.generation} of the certificate that the connection presented. */
  readonly generation: number;
}

export class Endpoint {
  readonly url: URL;
  readonly #config: ClusterConfig;
  readonly #credentials: Credentials;
  readonly #proxyUrl: string | undefined;
  readonly #connectTimeoutMs: number;

  constructor(
    config: ClusterConfig,
    credentials: Credentials,
    options: { readonly proxyUrl: string | undefined; readonly connectTimeoutMs: number },
  ) {
    this.url = new URL(config.server);
    this.#config = config;
    this.#credentials = credentials;
    this.#proxyUrl = options.proxyUrl;
    this.#connectTimeoutMs = options.connectTimeoutMs;
  }

  /** Increases when open connections presented a certificate that was replaced. */
  get generation(): number {
    return this.#credentials.certificateGeneration;
  }

  /**
   * Opens a connection within the connect timeout, which includes fetching the client certificate.
   *
   * @param protocols offered by ALPN, the preferred one first
   */
  async open(protocols: readonly ('h2' | 'http/1.1')[], signal: AbortSignal): Promise<Connection> {
    // A separate controller, which can no longer abort once the connection is open: sockets listen to it as long as they exist.
    const opening = new AbortController();
    const giveUp = (): void => opening.abort(signal.reason);
    const late = new Error(`no connection to ${this.url.host} within ${this.#connectTimeoutMs} ms`);
    const timer = setTimeout(() => opening.abort(late), this.#connectTimeoutMs);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp);
    try {
      return await this.#connect(protocols, opening.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }

  async #connect(protocols: readonly ('h2' | 'http/1.1')[], opening: AbortSignal): Promise<Connection> {
    const secure = this.url.protocol === 'https:';
    const options = secure ? await orAborted(this.#tlsOptions(protocols), opening) : {};
    const { generation } = this;
    const to = destinationOf(this.url);
    const plain = await dial(to, this.#proxyUrl, opening);
    if (!secure) return { socket: plain, protocol: 'http/1.1', generation };
    const socket = await startTls(plain, to.host, options, opening);
    return { socket, protocol: socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1', generation };
  }

  async #tlsOptions(protocols: readonly string[]): Promise<ConnectionOptions> {
    const authority = await readAuthority(this.#config);
    const certificate = await this.#credentials.clientCertificate();
    const { tlsServerName, insecureSkipTlsVerify } = this.#config;
    return {
      ALPNProtocols: [...protocols],
      minVersion: 'TLSv1.2',
      rejectUnauthorized: insecureSkipTlsVerify !== true,
      ...(authority === undefined ? {} : { ca: authority }),
      ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
      ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    };
  }
}
