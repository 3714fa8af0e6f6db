import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { silentLogger } from '@kruise/kube/testing';
import { instant, parseJsonText } from '@kruise/objects';
import { generateKeyMaterial } from './certificates/generate.ts';
import type { WebhookServer } from './index.ts';
import { newWebhookServer } from './readme.testing.ts';

describe('the example of the README', () => {
  let webhook: WebhookServer;
  let port: number;

  beforeEach(async () => {
    const { key, cert } = await generateKeyMaterial('webhooks.svc', instant(Date.now()));
    const metrics = { started: () => undefined, finished: () => undefined, panicked: () => undefined };
    webhook = newWebhookServer({ key, cert }, metrics, silentLogger());
    await new Promise<void>((done) => webhook.server.listen(0, '127.0.0.1', done));
    port = (webhook.server.address() as AddressInfo).port;
  });
  afterEach(() => webhook.stop(0));

  /** Returns the server's answer to the creation of a Namespace with these labels. */
  async function review(labels: Readonly<Record<string, string>>): Promise<unknown> {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', labels } };
    const kind = { group: '', version: 'v1', kind: 'Namespace' };
    const resource = { group: '', version: 'v1', resource: 'namespaces' };
    const asked = { uid: 'u', kind, resource, operation: 'CREATE', object };
    const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: asked };
    const headers = { 'content-type': 'application/json' };
    const answer = await new Promise<string>((resolve, reject) => {
      request({ port, host: '127.0.0.1', method: 'POST', path: '/mutate-namespaces', headers, agent: false, rejectUnauthorized: false })
        .on('response', (response) => void text(response).then(resolve, reject))
        .on('error', reject)
        .end(JSON.stringify(body));
    });
    return (parseJsonText(answer) as { response: unknown }).response;
  }

  it('completes, allows and refuses', async () => {
    const completed = (await review({})) as { allowed: boolean; patch: string };
    expect(completed.allowed).toBe(true);
    expect(Buffer.from(completed.patch, 'base64').toString()).toContain('nobody');
    expect(await review({ owner: 'a-team' })).toEqual({ uid: 'u', allowed: true, status: { code: 200 } });
    expect(await review({ owner: 'root' })).toMatchObject({ allowed: false, status: { code: 403, message: 'root owns no namespaces' } });
  });
});
