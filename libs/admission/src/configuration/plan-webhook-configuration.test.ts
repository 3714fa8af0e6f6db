import { describe, expect, it } from '@jest/globals';
import {
  checkWebhookConfiguration,
  planWebhookConfiguration,
  type Webhook,
  type WebhookConfiguration,
} from './plan-webhook-configuration.ts';

const entry = (name: string, path: string): Webhook => ({
  name,
  clientConfig: { service: { namespace: 'system', name: 'webhook-service', path } },
  failurePolicy: 'Fail',
});
const installed: WebhookConfiguration = { metadata: { name: 'c' }, webhooks: [entry('a', '/a'), entry('gone', '/gone')] };
const wiring = {
  target: { kind: 'Service', namespace: 'kruise-system', name: 'kruise-webhook-service' },
  caBundle: 'Q0E=',
  paths: new Set(['/a', '/b']),
} as const;
const sync = (configuration: WebhookConfiguration, change = {}): WebhookConfiguration =>
  planWebhookConfiguration(configuration, { ...wiring, ...change }).update ?? configuration;

describe('webhook configuration', () => {
  it('keeps what the installer wrote as the template, drops entries without a handler and sets service and CA', () => {
    const { update, ignored } = planWebhookConfiguration(installed, wiring);
    expect(ignored).toEqual(['gone']);
    expect(JSON.parse(update?.metadata.annotations?.['template'] ?? '')).toEqual(installed.webhooks);
    expect(update?.webhooks).toEqual([
      {
        name: 'a',
        failurePolicy: 'Fail',
        clientConfig: { caBundle: 'Q0E=', service: { namespace: 'kruise-system', name: 'kruise-webhook-service', path: '/a' } },
      },
    ]);
  });

  it('is left alone once it is right, with or without the defaults of the API server', () => {
    const synced = sync(installed);
    const served = synced.webhooks?.map((webhook) => ({
      ...webhook,
      matchPolicy: 'Equivalent',
      clientConfig: { ...webhook.clientConfig, service: { ...webhook.clientConfig?.service, port: 443 } },
    }));
    expect(planWebhookConfiguration(synced, wiring).update).toBeUndefined();
    expect(planWebhookConfiguration({ ...synced, webhooks: served as Webhook[] }, wiring).update).toBeUndefined();
  });

  it('brings an entry back from the template: deleted by hand, or when its handler appears', () => {
    const synced = sync(installed);
    expect(sync({ ...synced, webhooks: [] }).webhooks).toHaveLength(1);
    expect(sync(synced, { paths: new Set(['/a', '/gone']) }).webhooks?.map(({ name }) => name)).toEqual(['a', 'gone']);
  });

  it('starts anew when the installer empties the template', () => {
    const reset: WebhookConfiguration = { metadata: { name: 'c', annotations: { template: '' } }, webhooks: [entry('b', '/b')] };
    expect(sync(reset).webhooks?.map(({ name }) => name)).toEqual(['b']);
  });

  it('survives a template that is no JSON', () => {
    expect(sync({ ...installed, metadata: { name: 'c', annotations: { template: '{' } } }).webhooks).toHaveLength(1);
  });

  it('restores a wiped CA bundle and follows a new one', () => {
    const wiped = { ...sync(installed), webhooks: [entry('a', '/a')] };
    expect(sync(wiped).webhooks?.[0]?.clientConfig?.caBundle).toBe('Q0E=');
    expect(sync(sync(installed), { caBundle: 'TkVX' }).webhooks?.[0]?.clientConfig?.caBundle).toBe('TkVX');
  });

  it('uses a URL when the manager is outside of the cluster', () => {
    const url = sync(installed, { target: { kind: 'Url', host: '10.0.0.5', port: 9443 } });
    expect(url.webhooks?.[0]?.clientConfig).toEqual({ caBundle: 'Q0E=', url: 'https://10.0.0.5:9443/a' });
  });

  it('only checks the bundle when certificates come from outside', () => {
    expect(checkWebhookConfiguration(sync(installed), wiring)).toEqual([]);
    expect(checkWebhookConfiguration(installed, wiring)).toEqual(['caBundle of webhook a in c does not match the external caBundle']);
  });
});
