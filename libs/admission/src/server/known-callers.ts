/**
 * Distinguishes the callers that may ask from all others, by the certificate that they presented when they connected.
 *
 * The handshake verifies the whole chain. A caller whose certificate an authority itself has signed is verified again whenever the authorities
 * change. Only the handshake knows intermediate certificates, so a caller with one of those is known as long as all the authorities of that moment
 * are still valid.
 */
import type { X509Certificate } from 'node:crypto';
import type { Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { placeOf } from '@kruise/kube';
import { parseAuthorities } from '../certificates/client-authorities.ts';

const isSignedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

export class KnownCallers {
  readonly #authorities: readonly X509Certificate[];
  /** Results by connection. */
  readonly #judged = new WeakMap<object, boolean>();
  /** The callers that were known when each open connection was begun. All successors share it. */
  readonly #begun: Map<string, KnownCallers>;

  /**
   * Creates the known callers.
   *
   * @param pem the authorities that identify callers; new ones need a new object, so that open connections are verified again
   * @param before the callers that were known until now
   * @throws Error when it cannot be used
   */
  constructor(pem: string, before?: KnownCallers) {
    this.#authorities = parseAuthorities(pem);
    this.#begun = before === undefined ? new Map<string, KnownCallers>() : before.#begun;
  }

  /** Notes a connection before its handshake, which uses the authorities of this moment. */
  begin(socket: Socket): void {
    const place = placeOf(socket);
    this.#begun.set(place, this);
    socket.once('close', () => {
      if (this.#begun.get(place) === this) this.#begun.delete(place);
    });
  }

  /** Returns whether the connection of the request was opened with a certificate that one of the authorities has signed, itself or through others. */
  includes(request: Http2ServerRequest): boolean {
    const connection: object = request.httpVersionMajor === 1 ? request.socket : (request.stream.session ?? request.stream);
    const known = this.#judged.get(connection) ?? this.#judge(request.socket as TLSSocket);
    this.#judged.set(connection, known);
    return known;
  }

  /**
   * Returns whether the caller is known.
   * @remarks Whether the connection is authorized was decided when it was opened, perhaps by authorities that no longer count.
   */
  #judge(socket: TLSSocket): boolean {
    const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
    if (certificate === undefined) return false;
    if (this.#authorities.some((authority) => isSignedBy(certificate, authority))) return true;
    const then = this.#begun.get(placeOf(socket));
    return then !== undefined && then.#countStill(this.#authorities);
  }

  /** Returns whether all of its authorities are among these. */
  #countStill(authorities: readonly X509Certificate[]): boolean {
    const held = new Set(authorities.map(({ fingerprint256 }) => fingerprint256));
    return this.#authorities.every(({ fingerprint256 }) => held.has(fingerprint256));
  }
}
