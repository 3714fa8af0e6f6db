/** A validating webhook of another product, which denies every new Pod of a namespace. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueCertificate } from '@kruise/testing';
import { other } from './stuck-state.testing.ts';

/** What the webhook says. */
export const denial = 'label team is required';

/** Returns a webhook configuration for new Pods of a namespace. */
export const podWebhook = (namespace: string, clientConfig: object): object =>
  other('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', namespace, {
    webhooks: [
      {
        name: `${namespace}.example.com`,
        clientConfig,
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy: 'Fail',
      },
    ],
  });

export interface DenyingWebhook {
  readonly server: Server;
  /** Of a webhook configuration. */
  readonly clientConfig: object;
}

/** Starts the webhook on loopback. Close its server at the end. */
export async function startDenyingWebhook(): Promise<DenyingWebhook> {
  const authority = createAuthority('policy');
  const { certificatePem, keyPem } = issueCertificate(authority, { commonName: 'policy', ipAddresses: ['127.0.0.1'] });
  const server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { request: review } = JSON.parse(Buffer.concat(parts).toString()) as { readonly request: { readonly uid: string } };
      const answer = { uid: review.uid, allowed: false, status: { message: denial } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(authority.certificatePem).toString('base64');
  return { server, clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle } };
}
