/** Reads the certificates of the webhooks. */
import { X509Certificate } from 'node:crypto';
import { memberAt, stringAt } from '@kruise/objects';
import type { CertificateFact, CertificatesFact } from '../../check/facts.ts';
import { type Untyped } from '../../objects/untyped.ts';

const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');

function parse(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

const factOf = (certificate: X509Certificate): CertificateFact => ({
  notBefore: certificate.validFromDate.getTime(),
  notAfter: certificate.validToDate.getTime(),
  hosts: (certificate.subjectAltName ?? '').split(', ').flatMap((name) => /^DNS:(.*)$/.exec(name)?.[1] ?? []),
});

/** @returns undefined when the Secret does not exist or has no certificates */
export function certificatesOf(secret: Untyped | undefined): CertificatesFact | undefined {
  const data = (name: string): string => stringAt(memberAt(secret, 'data'), name) ?? '';
  const [authority, serving] = [data('ca-cert.pem'), data('cert.pem') === '' ? data('tls.crt') : data('cert.pem')];
  if (authority === '' || serving === '') return undefined;
  const [issuer, leaf] = [parse(textOf(authority)), parse(textOf(serving))];
  return {
    authority,
    serving: leaf === undefined ? undefined : factOf(leaf),
    signedByAuthority: issuer !== undefined && leaf?.verify(issuer.publicKey) === true,
  };
}

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The newest authority of each distinct `caBundle`: a bundle may keep one that retires beside it. */
export const bundleCertificates = (entries: readonly object[]): readonly CertificateFact[] =>
  [...new Set(entries.map((entry) => stringAt(entry, 'clientConfig', 'caBundle') ?? ''))].flatMap((bundle) => {
    const facts = (textOf(bundle).match(block) ?? []).flatMap((text) => {
      const certificate = parse(text);
      return certificate === undefined ? [] : [factOf(certificate)];
    });
    return facts.toSorted((a, b) => b.notAfter - a.notAfter).slice(0, 1);
  });
