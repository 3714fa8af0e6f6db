/**
 * Generates the CA and the server certificate: RSA 2048, SHA-256, ten years, private keys as PKCS#1 PEM.
 * @see spec/manager.md 4.6
 */
import { createPrivateKey, generateKeyPair, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { promisify } from 'node:util';
import type { Instant } from '@kruise/objects';
import type * as x509Types from '@peculiar/x509';
import { canSign, type KeyMaterial } from './key-material.ts';

type X509 = typeof x509Types;

const tenYearsMs = 3650 * 24 * 3600 * 1000;
/**
 * Certificates are valid since a day ago: the API server's clock may be behind ours, and refuses what is not valid yet. Server certificates begin
 * with their CA.
 */
const backdatedMs = 24 * 60 * 60 * 1000;
const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const caName = 'webhook-cert-ca';

interface Keys {
  /** PKCS#1 PEM. */
  readonly pem: string;
  readonly private: webcrypto.CryptoKey;
  readonly public: webcrypto.CryptoKey;
}

async function importKeys(pem: string): Promise<Keys> {
  const key = createPrivateKey(pem);
  const jwk = key.export({ format: 'jwk' }) as webcrypto.JsonWebKey;
  const { kty, n, e } = jwk;
  return {
    pem: key.export({ type: 'pkcs1', format: 'pem' }) as string,
    private: await webcrypto.subtle.importKey('jwk', jwk, algorithm, true, ['sign']),
    public: await webcrypto.subtle.importKey('jwk', { kty, n, e } as webcrypto.JsonWebKey, algorithm, true, ['verify']),
  };
}

async function newKeys(): Promise<Keys> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return importKeys(privateKey);
}

/** Returns a positive number of at most 63 bits. */
function serialNumber(): string {
  const bytes = randomBytes(8);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

/** Loads the certificate library only when something must be generated: most starts find valid material. */
async function loadX509(): Promise<X509> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  return x509;
}

async function newAuthority(now: Instant): Promise<{ readonly caKey: string; readonly caCert: string }> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${caName}`,
    notBefore: new Date(now - backdatedMs),
    notAfter: new Date(now + tenYearsMs),
    signingAlgorithm: algorithm,
    keys: { privateKey: keys.private, publicKey: keys.public },
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment | x509.KeyUsageFlags.keyCertSign,
        true,
      ),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: caName }]),
      await x509.SubjectKeyIdentifierExtension.create(keys.public),
    ],
  });
  return { caKey: keys.pem, caCert: `${certificate.toString('pem')}\n` };
}

/**
 * Generates a server key and certificate for `host`, signed by the authority of `previous` if that may still sign (so that a renewal keeps the
 * caBundle), otherwise by a new one.
 */
export async function generateKeyMaterial(host: string, now: Instant, previous?: KeyMaterial): Promise<KeyMaterial> {
  const x509 = await loadX509();
  const authority =
    previous !== undefined && canSign(previous, now) ? { caKey: previous.caKey, caCert: previous.caCert } : await newAuthority(now);
  const signer = await importKeys(authority.caKey);
  const ca = new X509Certificate(authority.caCert);
  const keys = await newKeys();
  const names = isIPv4(host)
    ? [
        { type: 'dns' as const, value: 'localhost' },
        { type: 'ip' as const, value: host },
      ]
    : ['localhost', host].map((value) => ({ type: 'dns' as const, value }));
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: `CN=${host}`,
    issuer: `CN=${caName}`,
    notBefore: new Date(ca.validFrom),
    notAfter: new Date(now + tenYearsMs),
    signingAlgorithm: algorithm,
    publicKey: keys.public,
    signingKey: signer.private,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names),
      await x509.AuthorityKeyIdentifierExtension.create(signer.public),
    ],
  });
  return { ...authority, key: keys.pem, cert: `${certificate.toString('pem')}\n` };
}
