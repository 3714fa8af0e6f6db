/**
 * Whom the server presents itself as, and by which authorities it knows its callers. Both can be replaced while it serves; what cannot be presented
 * leaves the previous ones in use.
 */
import type { Http2SecureServer, Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';
import { KnownCallers } from './known-callers.ts';

/** The certificate and key of a TLS server. */
export interface KeyPair {
  /** PEM. */
  readonly key: string;
  /** PEM, leaf first. */
  readonly cert: string;
}

const minVersion = 'TLSv1.2';

const contextOf = (shown: SecureContextOptions): SecureContext | undefined =>
  shown.ca === undefined ? undefined : createSecureContext({ ...shown, minVersion, allowPartialTrustChain: true });

export class TlsIdentity {
  #keyPair: KeyPair;
  /** Undefined when any caller may ask. */
  #callers: KnownCallers | undefined;
  #authorities: string | undefined;
  /** The context for callers with a server name: an authority that another one has signed is sufficient. Undefined when any caller may ask. */
  #named: SecureContext | undefined;
  #server: Http2SecureServer | undefined;

  /**
   * Creates an identity.
   *
   * @param clientAuthorities PEM; any caller may ask when undefined
   * @throws Error when they or the key pair cannot be used
   */
  constructor(keyPair: KeyPair, clientAuthorities: string | undefined) {
    this.#keyPair = keyPair;
    this.#know(clientAuthorities);
    this.#named = contextOf(this.#shown);
  }

  /** The options to create the server with. The handshake admits every caller: probes and conversions have no certificate. */
  get options(): TlsOptions {
    const asking = { requestCert: this.#callers !== undefined, rejectUnauthorized: false };
    // A server ignores the option that lets a chain end before a self-signed authority, but accepts a context that was created with it.
    const byName = this.#named === undefined ? {} : { SNICallback: this.#answerName };
    return { minVersion, ...asking, ...byName, ...this.#shown };
  }

  /** Uses a server that was created with {@link options}: notes its connections, and presents replacements there. */
  attach(server: Http2SecureServer): void {
    this.#server = server;
    // In the turn in which the handshake of the connection begins.
    server.on('connection', (socket: Socket) => this.#callers?.begin(socket));
  }

  /** Returns whether the caller may not request a review. */
  isUnknown(request: Http2ServerRequest): boolean {
    return this.#callers?.includes(request) === false;
  }

  /**
   * Replaces the certificate for new connections; open ones keep theirs.
   *
   * @throws Error when it cannot be presented: the previous one stays in use
   */
  replaceKeyPair(keyPair: KeyPair): void {
    this.#show({ ...this.#shown, ...keyPair });
    this.#keyPair = keyPair;
  }

  /**
   * Replaces the authorities that identify callers, also for open connections.
   *
   * @throws Error when they cannot be used, or when the server was created to answer every caller
   */
  replaceClientAuthorities(pem: string): void {
    if (this.#callers === undefined) throw new Error('this server was created to answer every caller');
    this.#know(pem);
    this.#show(this.#shown);
  }

  #know(authorities: string | undefined): void {
    this.#callers = authorities === undefined ? undefined : new KnownCallers(authorities, this.#callers);
    this.#authorities = authorities;
  }

  /** The options for new connections. */
  get #shown(): SecureContextOptions {
    return this.#authorities === undefined ? this.#keyPair : { ...this.#keyPair, ca: this.#authorities };
  }

  /** Sets the options for new connections. @throws when they cannot be presented; the previous ones stay then */
  #show(shown: SecureContextOptions): void {
    const named = contextOf(shown);
    this.#server?.setSecureContext(shown);
    this.#named = named;
  }

  readonly #answerName = (_name: string, answer: (error: Error | null, context?: SecureContext) => void): void => answer(null, this.#named);
}
