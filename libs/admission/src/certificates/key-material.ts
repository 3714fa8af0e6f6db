/** Defines a set of webhook certificates and checks whether it can be used. Times are milliseconds since the epoch. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { createSecureContext } from 'node:tls';
import { belongTogether } from '@kruise/kube';
import type { Instant, Milliseconds } from '@kruise/objects';

/** PEM texts. `caKey` is absent when an outside authority keeps it. */
export interface KeyMaterial {
  readonly caKey?: string;
  readonly caCert: string;
  readonly key: string;
  readonly cert: string;
}

const foreignKey = 'the private key does not belong to the certificate';

const validAt = (certificate: X509Certificate, at: number): boolean =>
  Date.parse(certificate.validFrom) <= at && at < Date.parse(certificate.validTo);

function servesHost(certificate: X509Certificate, host: string): boolean {
  return isIPv4(host) ? certificate.checkIP(host) !== undefined : certificate.checkHost(host) !== undefined;
}

/**
 * Returns why this material cannot serve `host`, or undefined when it can: the key pair must match, and the chain to the CA must verify for the host
 * now and `renewBefore` from now.
 * @see spec/manager.md 4.6
 */
export function faultOf(material: KeyMaterial, host: string, now: Instant, renewBefore: Milliseconds): string | undefined {
  try {
    const ca = new X509Certificate(material.caCert);
    const leaf = new X509Certificate(material.cert);
    if (!belongTogether(material)) return foreignKey;
    if (!ca.ca) return 'the CA certificate is not one of an authority';
    if (!leaf.verify(ca.publicKey)) return 'the certificate is not signed by the CA';
    if (!servesHost(leaf, host)) return `the certificate is not for ${host}`;
    const atRenewal = now + renewBefore;
    return validAt(leaf, atRenewal) && validAt(ca, atRenewal) ? undefined : 'the certificate is about to expire';
  } catch (error) {
    return `unreadable: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Returns why no server can present this certificate, or undefined when one can: all texts must be readable, and the private key must be that of the
 * certificate. Its issuer, host and expiry are not checked.
 * @see spec/manager.md 4.6
 */
export function unusableBecause({ caCert, key, cert }: KeyMaterial): string | undefined {
  try {
    new X509Certificate(caCert);
    if (!belongTogether({ key, cert })) return foreignKey;
    // Only this call reads what follows the first certificate.
    createSecureContext({ key, cert });
    return undefined;
  } catch (error) {
    return `unreadable: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const yearMs = 365 * 24 * 3600 * 1000;

/** Returns whether a new server certificate may be signed with this CA: valid for another year, RSA, exactly one certificate. */
export function canSign(material: Pick<KeyMaterial, 'caKey' | 'caCert'>, now: Instant): material is { caKey: string; caCert: string } {
  if (material.caKey === undefined || (material.caCert.match(/-----BEGIN CERTIFICATE-----/g) ?? []).length !== 1) return false;
  try {
    const ca = new X509Certificate(material.caCert);
    const key = createPrivateKey(material.caKey);
    return ca.ca && key.asymmetricKeyType === 'rsa' && ca.checkPrivateKey(key) && validAt(ca, now) && validAt(ca, now + yearMs);
  } catch {
    return false;
  }
}
