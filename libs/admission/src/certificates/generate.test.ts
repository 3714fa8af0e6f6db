import { describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { instant, milliseconds } from '@kruise/objects';
import { generateKeyMaterial } from './generate.ts';
import { canSign, faultOf } from './key-material.ts';

const day = 24 * 3600 * 1000;
const now = instant(Date.now());
const renewBefore = milliseconds(180 * day);
const host = 'kruise-webhook-service.kruise-system.svc';

describe('generated certificates', () => {
  it('serve the host and localhost, chained to a CA of ten years, with PKCS#1 keys', async () => {
    const material = await generateKeyMaterial(host, now);
    const [leaf, ca] = [new X509Certificate(material.cert), new X509Certificate(material.caCert)];
    expect(faultOf(material, host, now, renewBefore)).toBeUndefined();
    expect(faultOf(material, 'localhost', now, renewBefore)).toBeUndefined();
    expect({ subject: leaf.subject, issuer: leaf.issuer, san: leaf.subjectAltName, eku: leaf.keyUsage }).toEqual({
      subject: `CN=${host}`,
      issuer: 'CN=webhook-cert-ca',
      san: `DNS:localhost, DNS:${host}`,
      eku: ['1.3.6.1.5.5.7.3.1'],
    });
    expect(leaf.validFrom).toBe(ca.validFrom);
    expect(Math.round((Date.parse(ca.validTo) - now) / day)).toBe(3650);
    expect(Math.round((now - Date.parse(ca.validFrom)) / day)).toBe(1);
    expect([material.key, material.caKey].every((key) => key?.startsWith('-----BEGIN RSA PRIVATE KEY-----'))).toBe(true);
    expect(BigInt(`0x${leaf.serialNumber}`) < 2n ** 63n).toBe(true);
  });

  it('for an IPv4 address contain it as IP SAN', async () => {
    const material = await generateKeyMaterial('10.0.0.5', now);
    expect(new X509Certificate(material.cert).subjectAltName).toBe('DNS:localhost, IP Address:10.0.0.5');
    expect(faultOf(material, '10.0.0.5', now, renewBefore)).toBeUndefined();
  });

  it('keep the CA at a renewal, and replace it in its last year', async () => {
    const first = await generateKeyMaterial(host, now);
    const renewed = await generateKeyMaterial(host, now, first);
    const late = instant(now + 3600 * day);
    expect(renewed.caCert).toBe(first.caCert);
    expect(renewed.cert).not.toBe(first.cert);
    expect(canSign(first, late)).toBe(false);
    expect((await generateKeyMaterial(host, late, first)).caCert).not.toBe(first.caCert);
  });

  it('are faulty for another host, another key, another CA, near their end and when unreadable', async () => {
    const [material, other] = [await generateKeyMaterial(host, now), await generateKeyMaterial(host, now)];
    const fault = (change: object, at = now): string | undefined => faultOf({ ...material, ...change }, host, at, renewBefore);
    expect(faultOf(material, 'elsewhere.svc', now, renewBefore)).toBe('the certificate is not for elsewhere.svc');
    expect(fault({ key: other.key })).toBe('the private key does not belong to the certificate');
    expect(fault({ caCert: other.caCert })).toBe('the certificate is not signed by the CA');
    expect(fault({}, instant(now + 3500 * day))).toBe('the certificate is about to expire');
    expect(fault({ cert: 'nonsense' })).toMatch(/^unreadable: /);
  });
});
