import { X509Certificate, createPrivateKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createAuthority, issueCertificate } from './certificates.ts';

describe('issueCertificate', () => {
  const authority = createAuthority('test authority');
  const issued = issueCertificate(authority, {
    commonName: 'node1',
    organizations: ['system:nodes', 'b'],
    dnsNames: ['localhost', 'a.b'],
    ipAddresses: ['127.0.0.1', '10.96.0.1'],
  });
  const certificate = new X509Certificate(issued.certificatePem);

  it('is signed by the authority, which signs itself', () => {
    const root = new X509Certificate(authority.certificatePem);
    expect(root.ca).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIssued(root)).toBe(true);
    expect(certificate.verify(root.publicKey)).toBe(true);
  });

  it('contains subject and names', () => {
    expect(certificate.subject).toBe('O=system:nodes\nO=b\nCN=node1');
    expect(certificate.subjectAltName).toBe('DNS:localhost, DNS:a.b, IP Address:127.0.0.1, IP Address:10.96.0.1');
    expect(certificate.checkIP('10.96.0.1')).toBe('10.96.0.1');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  });

  it('matches its key and is valid now for about a year', () => {
    expect(certificate.checkPrivateKey(createPrivateKey(issued.keyPem))).toBe(true);
    expect(certificate.validFromDate.getTime()).toBeLessThan(Date.now());
    expect(certificate.validToDate.getTime()).toBeGreaterThan(Date.now() + 364 * 24 * 3_600_000);
  });

  it('ends at the requested time', () => {
    const short = new X509Certificate(issueCertificate(authority, { commonName: 'node1' }, 10_000).certificatePem);
    expect(short.validToDate.getTime() - Date.now()).toBeLessThanOrEqual(10_000);
    expect(short.validToDate.getTime() - Date.now()).toBeGreaterThan(5_000);
  });

  it('has a serial number of its own', () => {
    const other = new X509Certificate(issueCertificate(authority, { commonName: 'node1' }).certificatePem);
    expect(other.serialNumber).not.toBe(certificate.serialNumber);
    expect(other.subjectAltName).toBeUndefined();
  });
});
