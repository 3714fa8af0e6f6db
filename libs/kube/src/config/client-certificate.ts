import { createPrivateKey, X509Certificate } from 'node:crypto';

/** A client certificate and its private key, PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Returns whether the private key is that of the certificate. @throws Error when one of them cannot be read */
export const belongTogether = ({ cert, key }: ClientCertificate): boolean =>
  new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
