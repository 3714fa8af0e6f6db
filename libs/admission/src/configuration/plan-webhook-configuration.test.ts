import { describe, expect, it } from '@jest/globals';
import { checkWebhookConfiguration, planWebhookConfiguration } from './plan-webhook-configuration.ts';
import type { Webhook, WebhookConfiguration } from '../webhook-configuration.ts';

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

  it('is unchanged once it is right, with or without the defaults of the API server', () => {
    const synced = sync(installed);
    const served = synced.webhooks?.map((webhook) => ({
      ...webhook,
      matchPolicy: 'Equivalent',
      clientConfig: { ...webhook.clientConfig, service: { ...webhook.clientConfig?.service, port: 443 } },
    }));
    expect(planWebhookConfiguration(synced, wiring).update).toBeUndefined();
    expect(planWebhookConfiguration({ ...synced, webhooks: served as Webhook[] }, wiring).update).toBeUndefined();
  });

  it('restores an entry from the template: deleted by hand, or when its handler appears', () => {
    const synced = sync(installed);
    expect(sync({ ...synced, webhooks: [] }).webhooks).toHaveLength(1);
    expect(sync(synced, { paths: new Set(['/a', '/gone']) }).webhooks?.map(({ name }) => name)).toEqual(['a', 'gone']);
  });

  it('starts over when the installer empties the template', () => {
    const reset: WebhookConfiguration = { metadata: { name: 'c', annotations: { template: '' } }, webhooks: [entry('b', '/b')] };
    expect(sync(reset).webhooks?.map(({ name }) => name)).toEqual(['b']);
  });

  it.each([['{'], ['{}'], ['null'], ['"a"']])('survives a template like %s', (template) => {
    expect(sync({ ...installed, metadata: { name: 'c', annotations: { template } } })).toEqual(sync(installed));
  });

  it('is empty when nothing is installed, and stays so', () => {
    const synced = sync({ metadata: { name: 'c' } });
    expect(synced).toEqual({ metadata: { name: 'c', annotations: { template: '[]' } }, webhooks: [] });
    expect(planWebhookConfiguration({ metadata: synced.metadata }, wiring).update).toBeUndefined();
  });

  it.each<{ clientConfig: Webhook['clientConfig']; path: string }>([
    { clientConfig: { url: 'https://elsewhere:1/a?timeout=1s' }, path: '/a' },
    { clientConfig: { url: 'elsewhere' }, path: '/' },
    { clientConfig: { service: { namespace: 'system', name: 'webhook-service' } }, path: '/' },
    { clientConfig: {}, path: '/' },
    { clientConfig: undefined, path: '/' },
  ])('serves the entry of $clientConfig at $path', ({ clientConfig, path }) => {
    const webhooks = [{ name: 'a', ...(clientConfig === undefined ? {} : { clientConfig }) }];
    const plan = (paths: readonly string[]): ReturnType<typeof planWebhookConfiguration> =>
      planWebhookConfiguration({ metadata: { name: 'c' }, webhooks }, { ...wiring, paths: new Set(paths) });
    expect(plan([path]).update?.webhooks?.[0]?.clientConfig).toEqual({
      caBundle: 'Q0E=',
      service: { namespace: 'kruise-system', name: 'kruise-webhook-service', path },
    });
    expect(plan(['/other']).ignored).toEqual(['a']);
  });

  it('keeps the port of the installer, whatever the live entry has', () => {
    const webhooks = [{ ...entry('a', '/a'), clientConfig: { service: { path: '/a', port: 8443 } } }];
    const synced = sync({ metadata: { name: 'c' }, webhooks });
    expect(synced.webhooks?.[0]?.clientConfig?.service?.port).toBe(8443);
    const edited = synced.webhooks?.map((webhook) => ({ ...webhook, clientConfig: { service: { path: '/a', port: 1 } } }));
    expect(sync({ ...synced, webhooks: edited as Webhook[] })).toEqual(synced);
  });

  it('is unchanged with fields that are null', () => {
    const synced = sync({ metadata: { name: 'c' }, webhooks: [{ ...entry('a', '/a'), objectSelector: null }] });
    expect(planWebhookConfiguration(synced, wiring).update).toBeUndefined();
  });

  it('restores a wiped CA bundle and follows a new one', () => {
    const wiped = { ...sync(installed), webhooks: [entry('a', '/a')] };
    expect(sync(wiped).webhooks?.[0]?.clientConfig?.caBundle).toBe('Q0E=');
    expect(sync({ ...wiped, webhooks: [{ name: 'a' }] }).webhooks?.[0]?.clientConfig?.caBundle).toBe('Q0E=');
    expect(sync(sync(installed), { caBundle: 'TkVX' }).webhooks?.[0]?.clientConfig?.caBundle).toBe('TkVX');
  });

  it('uses a URL when the manager is outside the cluster', () => {
    const url = sync(installed, { target: { kind: 'Url', host: '10.0.0.5', port: 9443 } });
    expect(url.webhooks?.[0]?.clientConfig).toEqual({ caBundle: 'Q0E=', url: 'https://10.0.0.5:9443/a' });
    expect(sync(url)).toEqual(sync(installed));
  });

  describe('with narrowing', () => {
    const nowMs = Date.parse('2026-01-01T00:00:00Z');
    const narrowing = { a: { needs: [{ reason: 'first', condition: 'A' }] } };
    const namesOf = (configuration: WebhookConfiguration): readonly string[] => (configuration.webhooks ?? []).map(({ name }) => name);
    const narrow = (configuration: WebhookConfiguration, change = {}): WebhookConfiguration =>
      sync(configuration, { narrowing, nowMs, ...change });

    it('splits the webhook by reasons, and keeps the template as installed', () => {
      const result = narrow(installed);
      expect(namesOf(result)).toEqual(['again.a', 'first.a']);
      expect(result.webhooks?.map(({ clientConfig }) => clientConfig?.caBundle)).toEqual(['Q0E=', 'Q0E=']);
      expect(JSON.parse(result.metadata.annotations?.['template'] ?? '')).toEqual(installed.webhooks);
      expect(planWebhookConfiguration(result, { ...wiring, narrowing, nowMs }).update).toBeUndefined();
    });

    it('is undone completely when nothing is narrowed any more', () => {
      expect(sync(narrow(installed))).toEqual(sync(installed));
    });

    it('removes narrowed entries when the installer emptied the template and left our entries', () => {
      const left = narrow(installed);
      const reset = { ...left, metadata: { ...left.metadata, annotations: { template: '' } } };
      const template = JSON.parse(
        sync(reset, { narrowing: 'AsItIs', nowMs }).metadata.annotations?.['template'] ?? '',
      ) as readonly object[];
      expect(template).toEqual([{ ...installed.webhooks?.[0], clientConfig: left.webhooks?.[0]?.clientConfig }]);
    });

    describe('when the installer’s webhook was applied beside the parts', () => {
      const applied = (configuration: WebhookConfiguration): WebhookConfiguration => ({
        ...configuration,
        webhooks: [...(configuration.webhooks ?? []), { ...entry('a', '/a'), applied: 'again' }],
      });

      it('it is narrowed again by a manager that knows the needs', () => {
        expect(narrow(applied(narrow(installed)))).toEqual(narrow(installed));
      });

      it('it stays, and the parts are removed, while the needs are unknown', () => {
        const { webhooks } = narrow(applied(narrow(installed)), { narrowing: 'AsItIs' });
        expect(webhooks?.map(({ name, applied: by }) => [name, by])).toEqual([['a', 'again']]);
      });

      it('it is what the installer wrote, whatever is beside it, when the template was emptied', () => {
        const left = applied(narrow(installed));
        const reset = { ...left, metadata: { ...left.metadata, annotations: { template: '' } } };
        expect(JSON.parse(narrow(reset).metadata.annotations?.['template'] ?? '')).toEqual([{ ...entry('a', '/a'), applied: 'again' }]);
      });

      it('it is removed from a template that another manager copied as a whole', () => {
        const left = applied(narrow(installed));
        const taken = { ...left, metadata: { ...left.metadata, annotations: { template: JSON.stringify(left.webhooks) } } };
        expect(JSON.parse(narrow(taken).metadata.annotations?.['template'] ?? '')).toEqual([{ ...entry('a', '/a'), applied: 'again' }]);
        expect(namesOf(narrow(taken))).toEqual(['again.a', 'first.a']);
      });
    });

    it('stays unchanged while the needs are unknown, whatever it is', () => {
      expect(narrow(narrow(installed), { narrowing: 'AsItIs' })).toEqual(narrow(installed));
      expect(narrow(installed, { narrowing: 'AsItIs' })).toEqual(sync(installed));
    });

    it('keeps second chances while the needs are unknown', () => {
      const named = { metadata: { name: 'c' }, webhooks: [entry('a.kb.io', '/a')] };
      const twice = narrow(named, { narrowing: { 'a.kb.io': { needs: [{ reason: 'reason', condition: 'A' }], answered: 'B' } } });
      expect(twice.webhooks?.map(({ name, failurePolicy }) => [name, failurePolicy])).toEqual([
        ['again.a.kb.io', 'Fail'],
        ['first.a.kb.io', 'Ignore'],
        ['reason.a.kb.io', 'Fail'],
      ]);
      expect(narrow(twice, { narrowing: 'AsItIs' })).toEqual(twice);
      expect(sync(twice)).toEqual(sync(named));
    });

    const inject = { key: 'inject', operator: 'In', values: ['yes'] };

    it('keeps all fields of a part while the needs are unknown', () => {
      const named = { metadata: { name: 'c' }, webhooks: [{ ...entry('a', '/a'), timeoutSeconds: 30, namespaceSelector: {} }] };
      const local = { reason: 'reason', namespaceSelector: { matchExpressions: [inject] } };
      const twice = narrow(named, { narrowing: { a: { needs: [local], answered: 'B' } } });
      expect(twice.webhooks?.slice(1)).toMatchObject(
        [30, 3, 30].map((timeoutSeconds) => ({ timeoutSeconds, namespaceSelector: { matchExpressions: [inject] } })),
      );
      expect(narrow(twice, { narrowing: 'AsItIs' })).toEqual(twice);
    });

    it('restores from the installer what a part has lost while the needs are unknown', () => {
      const right = narrow({ metadata: { name: 'c' }, webhooks: [{ ...entry('a', '/a'), timeoutSeconds: 30 }] });
      const webhooks = right.webhooks?.map(({ timeoutSeconds: _lost, ...webhook }) => webhook) as Webhook[];
      expect(narrow({ ...right, webhooks }, { narrowing: 'AsItIs' })).toEqual(right);
    });

    describe('of two webhooks', () => {
      const two = { metadata: { name: 'c' }, webhooks: [entry('a', '/a'), entry('b', '/b')] };
      const needs = [{ reason: 'first', condition: 'A' }];
      const both = narrow(two, { narrowing: { a: { needs }, b: { needs } } });

      it('keeps each unchanged while the needs are unknown', () => {
        expect(namesOf(both)).toEqual(['again.a', 'first.a', 'again.b', 'first.b']);
        expect(narrow(both, { narrowing: 'AsItIs' })).toEqual(both);
        expect(narrow(narrow(two), { narrowing: 'AsItIs' })).toEqual(narrow(two));
      });

      it('widens only the named one', () => {
        const change = { ahead: [{ webhook: 'b', need: { reason: 'second', condition: 'B' } }] };
        expect(namesOf(narrow(both, { ...change, narrowing: { a: { needs }, b: { needs } } }))).toEqual([
          'again.a',
          'first.a',
          'again.b',
          'first.b',
          'second.b',
        ]);
        expect(namesOf(narrow(both, { ...change, narrowing: 'AsItIs' }))).toEqual(['again.a', 'first.a', 'b']);
      });
    });

    it('is the installer’s when parts exist without it, or are missing, while the needs are unknown', () => {
      const right = narrow(installed);
      for (const webhooks of [right.webhooks?.slice(1), undefined])
        expect(narrow({ metadata: right.metadata, ...(webhooks === undefined ? {} : { webhooks }) }, { narrowing: 'AsItIs' })).toEqual(
          sync(installed),
        );
    });

    it('does not confuse a webhook of the installer with a part of another', () => {
      const named = { metadata: { name: 'c' }, webhooks: [entry('a', '/a'), entry('x.a', '/b')] };
      expect(narrow(named, { narrowing: 'AsItIs' })).toEqual(sync(named));
    });

    it('sets a new CA in narrowed entries while the needs are unknown', () => {
      const result = narrow(narrow(installed), { narrowing: 'AsItIs', caBundle: 'TkVX' });
      expect(result.webhooks?.map(({ name, clientConfig }) => [name, clientConfig?.caBundle])).toEqual([
        ['again.a', 'TkVX'],
        ['first.a', 'TkVX'],
      ]);
    });

    const ahead = [{ webhook: 'a', need: { reason: 'second', condition: 'B' } }];

    it('is widened ahead, for every replica and for some seconds', () => {
      const widened = narrow(narrow(installed), { ahead });
      expect(namesOf(widened)).toEqual(['again.a', 'first.a', 'second.a']);
      expect(planWebhookConfiguration(widened, { ...wiring, narrowing, nowMs: nowMs + 4_999 })).toEqual({
        ignored: ['gone'],
        requeueAtMs: nowMs + 5_000,
      });
      expect(narrow(widened, { nowMs: nowMs + 5_001 })).toEqual(narrow(installed));
      expect(sync(widened, { nowMs })).toEqual(sync(installed));
    });

    it('is the installer’s when it is widened before the needs are known', () => {
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
    ])('ignores a note like %s, and removes it', (text) => {
      const right = narrow(installed);
      const noted = {
        ...right,
        metadata: { ...right.metadata, annotations: { ...right.metadata.annotations, 'kruise.io/webhook-needs-ahead': text } },
      };
      expect(narrow(noted)).toEqual(right);
    });

    it('removes a condition that a user added to a webhook that is not narrowed', () => {
      const right = sync(installed);
      const edited = {
        ...right,
        webhooks: right.webhooks?.map((webhook) => ({ ...webhook, matchConditions: [{ name: 'x', expression: 'false' }] })),
      };
      expect(sync(edited as WebhookConfiguration)).toEqual(right);
    });
  });

  it('keeps a bundle with a retiring authority where it is, and writes the new one elsewhere', () => {
    const both = sync(installed, { caBundle: 'Qk9USA==' });
    expect(planWebhookConfiguration(both, { ...wiring, toleratedBundle: 'Qk9USA==' }).update).toBeUndefined();
    expect(sync(sync(installed, { caBundle: 'T0xE' }), { toleratedBundle: 'Qk9USA==' }).webhooks?.[0]?.clientConfig?.caBundle).toBe('Q0E=');
  });

  it('only checks the bundle when certificates come from outside', () => {
    expect(checkWebhookConfiguration(sync(installed), wiring)).toEqual([]);
    expect(checkWebhookConfiguration(installed, wiring)).toEqual(['caBundle of webhook a in c does not match the external caBundle']);
    const root = { ...wiring, paths: new Set(['/']) };
    expect(checkWebhookConfiguration({ metadata: { name: 'c' }, webhooks: [{ name: 'a' }] }, root)).toHaveLength(1);
    expect(checkWebhookConfiguration({ metadata: { name: 'c' } }, root)).toEqual([]);
  });
});
