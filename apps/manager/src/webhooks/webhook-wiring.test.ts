import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { events, secrets } from '@kruise/objects';
import { createAuthority, issueCertificate } from '@kruise/testing';
import { Registry } from 'prom-client';
import { createProcessMetrics } from '../metrics/process-metrics.ts';
import { readOptions } from '../options/options.ts';
import { WebhookWiring } from './webhook-wiring.ts';

const key = { namespace: 'kruise-system', name: 'kruise-webhook-certs' };
const authority = createAuthority('outside');
const [first, second] = ['first', 'second'].map((commonName) => issueCertificate(authority, { commonName }));

describe('certificates from outside that no server can show', () => {
  let api: FakeApi;
  let clock: FakeClock;
  let registry: Registry;
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    [api, clock, registry, stop] = [new FakeApi(), new FakeClock(), new Registry(), new AbortController()];
    const read = readOptions(['--feature-gates=EnableExternalCerts=true'], {});
    if (read.kind === 'End') throw new Error(read.output);
    const texts = { 'ca.crt': authority.certificatePem, 'tls.crt': first?.certificatePem, 'tls.key': second?.keyPem };
    const data = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text ?? '').toString('base64')]));
    api.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key, data });
    const wiring = new WebhookWiring({
      modules: [],
      options: read.options,
      cluster: { server: 'https://127.0.0.1', user: {}, namespace: 'default' },
      client: api,
      eventClient: api,
      clock,
      logger: silentLogger(),
      metrics: createProcessMetrics(registry, 'kruise-manager'),
      installedKinds: [] as never,
      onCrd: () => undefined,
      gitVersion: 'v1.34.4',
    });
    running = wiring.run(stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await clock.step(10_000);
    await running;
  });

  it('are reported in one event at their Secret and counted as failed reads', async () => {
    await clock.step(120_000);
    const { items } = await api.list(events, { namespace: key.namespace });
    expect(items).toMatchObject([
      {
        type: 'Warning',
        reason: 'WebhookCertificateUnusable',
        message: 'the private key does not belong to the certificate',
        involvedObject: { apiVersion: 'v1', kind: 'Secret', ...key, uid: api.peek(secrets, key)?.metadata.uid },
        source: { component: 'webhook-controller' },
        count: 1,
      },
    ]);
    expect(await registry.metrics()).toMatch(/^certwatcher_read_certificate_errors_total 1$/m);
  });
});
