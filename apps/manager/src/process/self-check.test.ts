import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createAuthority, issueCertificate } from '@kruise/testing';
import { checkWebhookServer } from './self-check.ts';

const authority = createAuthority('webhooks');

/** @param name for which the certificate of the server is issued */
async function check({ name = 'localhost', status = 200, trusted = authority }): Promise<void> {
  const { keyPem: key, certificatePem: cert } = issueCertificate(authority, { commonName: name, dnsNames: [name] });
  const server = createServer({ key, cert }, (_, response) => response.writeHead(status).end('an answer'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await checkWebhookServer((server.address() as AddressInfo).port, trusted.certificatePem);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('the check of the webhook server', () => {
  it.each([200, 404, 500])('accepts an answer with status %i', async (status) => {
    await expect(check({ status })).resolves.toBeUndefined();
  });

  it('refuses a certificate of another authority', async () => {
    await expect(check({ trusted: createAuthority('webhooks') })).rejects.toThrow(/certificate/);
  });

  it('refuses a certificate for another name', async () => {
    await expect(check({ name: 'elsewhere' })).rejects.toThrow(/does not match certificate/);
  });

  it('fails when no server listens', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    await expect(checkWebhookServer(port, authority.certificatePem)).rejects.toThrow(/ECONNREFUSED/);
  });
});
