/** A TLS server of the tests over HTTP/2 or HTTP/1.1, for behaviour that a real API server does not show on demand. */
import { createSecureServer } from 'node:http2';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createAuthority, issueCertificate, type KeyPair } from '@kruise/testing';
import type { UserAuth } from '../../config/cluster-config.ts';
import type { Client } from '../client.ts';
import { createClient } from '../create-client.ts';

const authority = createAuthority('test-authority');
const ownPair = issueCertificate(authority, { commonName: 'server', ipAddresses: ['127.0.0.1'] });

/** Returns a client certificate that the server trusts. */
export const clientPair = (commonName: string): KeyPair => issueCertificate(authority, { commonName });

/** A request as it arrived: its method, and the common name of the certificate that its connection presented. */
export interface Arrival {
  readonly method: string;
  readonly shownBy: string | undefined;
}

export class TlsServer {
  readonly arrivals: Arrival[] = [];
  readonly authorityPem = authority.certificatePem;
  /** Returns the status of each answer. */
  answer: (arrival: Arrival, request: IncomingMessage) => number = () => 200;
  /** The body of every answer. */
  body = JSON.stringify({ metadata: { name: 'a', namespace: 'n' } });
  /** Returns how long an answer of that status is delayed. */
  delayMs: (status: number) => number = () => 0;
  /** Whether the server stops after the head of an answer. */
  stopsAfterHead = false;
  readonly #inner: Server;
  readonly #door: Server;
  readonly #sockets = new Set<Socket>();
  #held: (() => void)[] | undefined;
  #connections = 0;

  /**
   * Creates a server.
   *
   * @param wantsCertificate closes connections that present none
   */
  constructor(protocol: 'h2' | 'http/1.1', wantsCertificate = false) {
    const { certificatePem: cert, keyPem: key } = ownPair;
    const options = { cert, key, ca: authority.certificatePem, requestCert: true, rejectUnauthorized: wantsCertificate };
    const serve = (request: IncomingMessage, response: ServerResponse): void => this.#serve(request, response);
    this.#inner =
      protocol === 'h2'
        ? createSecureServer(options, serve as unknown as Parameters<typeof createSecureServer>[1])
        : createHttps(options, serve);
    this.#inner.on('sessionError', () => undefined);
    this.#inner.on('connection', (socket: Socket) => this.#sockets.add(socket));
    this.#door = createTcp((socket) => {
      this.#connections++;
      this.#sockets.add(socket.on('error', () => undefined));
      if (this.#held === undefined) this.#letIn(socket);
      else this.#held.push(() => this.#letIn(socket));
    });
  }

  /** Number of connections requested so far. */
  get connections(): number {
    return this.#connections;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#door.address() as AddressInfo).port}`;
  }

  async start(): Promise<this> {
    for (const server of [this.#inner, this.#door]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    return this;
  }

  /** Stops new connections after TCP. @returns a function that lets them continue */
  hold(): () => void {
    const held: (() => void)[] = (this.#held = []);
    return () => {
      this.#held = undefined;
      for (const letIn of held) letIn();
    };
  }

  stop(): void {
    for (const server of [this.#inner, this.#door]) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #letIn(socket: Socket): void {
    const inner = connect((this.#inner.address() as AddressInfo).port, '127.0.0.1', () => socket.pipe(inner).pipe(socket));
    this.#sockets.add(inner.on('error', () => undefined));
    socket.once('close', () => inner.destroy());
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const shown = (request.socket as TLSSocket).getPeerCertificate().subject as { CN?: string } | undefined;
    const arrival = { method: request.method ?? '', shownBy: shown?.CN };
    this.arrivals.push(arrival);
    request.resume().once('end', () => {
      const status = this.answer(arrival, request);
      setTimeout(() => {
        response.writeHead(status, { 'content-type': 'application/json' });
        if (this.stopsAfterHead) response.flushHeaders();
        else response.end(this.body);
      }, this.delayMs(status)).unref();
    });
  }
}

/** A server with a client that is connected to it. */
export interface TlsConnection {
  readonly server: TlsServer;
  readonly client: Client;
  /** Ends both. */
  readonly end: () => void;
}

/** Starts a server, and creates a client for it. */
export async function connectTo(server: TlsServer, user: UserAuth): Promise<TlsConnection> {
  await server.start();
  const config = { server: server.url, certificateAuthority: { data: server.authorityPem }, user, namespace: 'default' };
  const client = createClient(config, { userAgent: 'kruise-test', env: {} });
  const end = (): void => {
    client.close();
    server.stop();
  };
  return { server, client, end };
}
