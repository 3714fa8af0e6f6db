/** A validating webhook of another product, beside the cluster. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KubeObject } from '@kruise/objects';
import { createAuthority, issueCertificate } from '@kruise/testing';

/** Disposing stops it. */
export interface DenyingWebhook extends AsyncDisposable {
  /** Of a webhook configuration. */
  readonly clientConfig: object;
}

/**
 * Starts the webhook on loopback.
 *
 * @param denialOf returns why an object is denied; undefined for one that is allowed
 */
export async function startDenyingWebhook(denialOf: (object: KubeObject) => string | undefined): Promise<DenyingWebhook> {
  const authority = createAuthority('policy');
  const { certificatePem, keyPem } = issueCertificate(authority, { commonName: 'policy', ipAddresses: ['127.0.0.1'] });
  const server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { request: review } = JSON.parse(Buffer.concat(parts).toString()) as {
        readonly request: { readonly uid: string; readonly object: KubeObject };
      };
      const message = denialOf(review.object);
      const answer = { uid: review.uid, allowed: message === undefined, ...(message === undefined ? {} : { status: { message } }) };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(authority.certificatePem).toString('base64');
  return {
    clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle },
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // The API server keeps an idle connection for 90 s.
      server.closeAllConnections();
      await closed;
    },
  };
}
