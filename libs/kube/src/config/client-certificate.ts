/** A client certificate and its private key, PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}
