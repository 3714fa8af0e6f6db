/** Tells the callers that may ask from all others: by the certificate that they showed when they connected. */
import type { X509Certificate } from 'node:crypto';
import type { Http2ServerRequest } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { parseAuthorities } from '../certificates/client-authorities.ts';

export class KnownCallers {
  readonly #authorities: readonly X509Certificate[];
  /** By connection. */
  readonly #judged = new WeakMap<object, boolean>();

  /**
   * @param pem the authorities that callers are known by; new ones are a new object, so that open connections are judged anew
   * @throws Error when it cannot be used
   */
  constructor(pem: string) {
    this.#authorities = parseAuthorities(pem);
  }

  /** Whether the connection of the request was opened with a certificate that one of the authorities has signed itself. */
  includes(request: Http2ServerRequest): boolean {
    const connection: object = request.httpVersionMajor === 1 ? request.socket : (request.stream.session ?? request.stream);
    const known = this.#judged.get(connection) ?? this.#judge(request.socket as TLSSocket);
    this.#judged.set(connection, known);
    return known;
  }

  /** @remarks That the connection is authorized was judged when it was opened, perhaps by authorities that are no more. */
  #judge(socket: TLSSocket): boolean {
    const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
    if (certificate === undefined) return false;
    return this.#authorities.some((authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey));
  }
}
