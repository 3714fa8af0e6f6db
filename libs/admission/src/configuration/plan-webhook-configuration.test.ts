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

  describe('with narrowing', () => {
    const nowMs = Date.parse('2026-01-01T00:00:00Z');
    const narrowing = { a: { needs: [{ reason: 'first', condition: 'A' }] } };
    const namesOf = (configuration: WebhookConfiguration): readonly string[] => (configuration.webhooks ?? []).map(({ name }) => name);
    const narrow = (configuration: WebhookConfiguration, change = {}): WebhookConfiguration =>
      sync(configuration, { narrowing, nowMs, ...change });

    it('splits the webhook by reasons, and keeps the template as installed', () => {
      const result = narrow(installed);
      expect(namesOf(result)).toEqual(['a', 'first.a']);
      expect(result.webhooks?.map(({ clientConfig }) => clientConfig?.caBundle)).toEqual(['Q0E=', 'Q0E=']);
      expect(JSON.parse(result.metadata.annotations?.['template'] ?? '')).toEqual(installed.webhooks);
      expect(planWebhookConfiguration(result, { ...wiring, narrowing, nowMs }).update).toBeUndefined();
    });

    it('is undone completely when nothing is narrowed any more', () => {
      expect(sync(narrow(installed))).toEqual(sync(installed));
    });

    it('leaves out what narrows when the installer emptied the template and left our entries behind', () => {
      const left = narrow(installed);
      const reset = { ...left, metadata: { ...left.metadata, annotations: { template: '' } } };
      const template = JSON.parse(
        sync(reset, { narrowing: 'AsItIs', nowMs }).metadata.annotations?.['template'] ?? '',
      ) as readonly object[];
      expect(template).toEqual([{ ...installed.webhooks?.[0], clientConfig: left.webhooks?.[0]?.clientConfig }]);
    });

    it('stays as it is while the needs are unknown, whatever it is', () => {
      expect(narrow(narrow(installed), { narrowing: 'AsItIs' })).toEqual(narrow(installed));
      expect(narrow(installed, { narrowing: 'AsItIs' })).toEqual(sync(installed));
    });

    it('keeps second chances while the needs are unknown', () => {
      const named = { metadata: { name: 'c' }, webhooks: [entry('a.kb.io', '/a')] };
      const twice = narrow(named, { narrowing: { 'a.kb.io': { needs: [{ reason: 'reason', condition: 'A' }], answered: 'B' } } });
      expect(twice.webhooks?.map(({ name, failurePolicy }) => [name, failurePolicy])).toEqual([
        ['a.kb.io', 'Fail'],
        ['first.a.kb.io', 'Ignore'],
        ['reason.a.kb.io', 'Fail'],
      ]);
      expect(narrow(twice, { narrowing: 'AsItIs' })).toEqual(twice);
      expect(sync(twice)).toEqual(sync(named));
    });

    it('wires what is narrowed to a new CA while the needs are unknown', () => {
      const result = narrow(narrow(installed), { narrowing: 'AsItIs', caBundle: 'TkVX' });
      expect(result.webhooks?.map(({ name, clientConfig }) => [name, clientConfig?.caBundle])).toEqual([
        ['a', 'TkVX'],
        ['first.a', 'TkVX'],
      ]);
    });

    const ahead = [{ webhook: 'a', need: { reason: 'second', condition: 'B' } }];

    it('is widened ahead, for every replica and for some seconds', () => {
      const widened = narrow(narrow(installed), { ahead });
      expect(namesOf(widened)).toEqual(['a', 'first.a', 'second.a']);
      expect(planWebhookConfiguration(widened, { ...wiring, narrowing, nowMs: nowMs + 4_999 })).toEqual({
        ignored: ['gone'],
        lookAgainAtMs: nowMs + 5_000,
      });
      expect(narrow(widened, { nowMs: nowMs + 5_001 })).toEqual(narrow(installed));
    });

    it('is the installer’s when it is widened ahead of the needs', () => {
      const widened = narrow(narrow(installed), { narrowing: 'AsItIs', ahead });
      expect(namesOf(widened)).toEqual(['a']);
      expect(widened.webhooks?.[0]).not.toHaveProperty('matchConditions');
    });

    it('notes nothing ahead for webhooks of another configuration', () => {
      expect(
        planWebhookConfiguration(narrow(installed), { ...wiring, narrowing, nowMs, ahead: [{ webhook: 'z', need: { reason: 'r' } }] })
          .update,
      ).toBeUndefined();
    });

    it.each([
      ['{'],
      ['{}'],
      ['[1,null,{}]'],
      ['[{"webhook":"a","until":"9999-01-01T00:00:00Z","need":{"reason":"x"}}]'],
      ['[{"webhook":"a","until":"2026-01-01T00:00:05Z","need":{"reason":"NOT A NAME"}}]'],
    ])('takes no notice of a note like %s, and removes it', (text) => {
      const right = narrow(installed);
      const noted = {
        ...right,
        metadata: { ...right.metadata, annotations: { ...right.metadata.annotations, 'kruise.io/webhook-needs-ahead': text } },
      };
      expect(narrow(noted)).toEqual(right);
    });

    it('removes a condition that somebody added to a webhook that is not narrowed', () => {
      const right = sync(installed);
      const edited = {
        ...right,
        webhooks: right.webhooks?.map((webhook) => ({ ...webhook, matchConditions: [{ name: 'x', expression: 'false' }] })),
      };
      expect(sync(edited as WebhookConfiguration)).toEqual(right);
    });
  });

  it('leaves a bundle with a retiring authority where it is found, and writes the new one elsewhere', () => {
    const both = sync(installed, { caBundle: 'Qk9USA==' });
    expect(planWebhookConfiguration(both, { ...wiring, toleratedBundle: 'Qk9USA==' }).update).toBeUndefined();
    expect(sync(sync(installed, { caBundle: 'T0xE' }), { toleratedBundle: 'Qk9USA==' }).webhooks?.[0]?.clientConfig?.caBundle).toBe('Q0E=');
  });

  it('only checks the bundle when certificates come from outside', () => {
    expect(checkWebhookConfiguration(sync(installed), wiring)).toEqual([]);
    expect(checkWebhookConfiguration(installed, wiring)).toEqual(['caBundle of webhook a in c does not match the external caBundle']);
  });
});
