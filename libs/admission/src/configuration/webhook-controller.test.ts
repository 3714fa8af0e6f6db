import { afterEach, describe, expect, it } from '@jest/globals';
import { ApiError, SystemClock } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { customResourceDefinitions, instant, mutatingWebhookConfigurations, validatingWebhookConfigurations } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { generateKeyMaterial } from '../certificates/generate.ts';
import type { KeyMaterial } from '../certificates/key-material.ts';
import type { CustomResourceDefinition } from './plan-crd-conversion.ts';
import type { WebhookConfiguration } from '../webhook-configuration.ts';
import { WebhookController, type WebhookControllerOptions } from './webhook-controller.ts';
import { mutatingConfigurationName, validatingConfigurationName } from './webhook-objects.ts';

const crdName = 'clonesets.apps.kruise.io';
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

const configuration = (name: string, path: string): WebhookConfiguration => ({
  metadata: { name },
  webhooks: [{ name: 'a', clientConfig: { service: { namespace: 'system', name: 'placeholder', path } } }],
});
const crd: CustomResourceDefinition = {
  metadata: { name: crdName },
  spec: { group: 'apps.kruise.io', names: { kind: 'CloneSet', plural: 'clonesets' }, conversion: { strategy: 'Webhook' } },
};

function install(api: FakeApi): void {
  api.seed(mutatingWebhookConfigurations, configuration(mutatingConfigurationName, '/mutate'));
  api.seed(validatingWebhookConfigurations, configuration(validatingConfigurationName, '/validate'));
  api.seed(customResourceDefinitions, crd);
}

let material: KeyMaterial | undefined;

async function start(
  api: FakeApi,
  change: Partial<WebhookControllerOptions> = {},
): Promise<{ controller: WebhookController; installed: KeyMaterial[]; caBundle: string }> {
  material ??= await generateKeyMaterial('svc', instant(Date.now()));
  const made = material;
  const installed: KeyMaterial[] = [];
  const stop = new AbortController();
  stops.push(stop);
  const controller = new WebhookController({
    client: api,
    source: { ensure: () => Promise.resolve(made) },
    external: false,
    fieldManager: 'kruise-manager',
    target: { kind: 'Service', namespace: 'kruise-system', name: 'kruise-webhook-service' },
    paths: new Set(['/mutate', '/validate']),
    crdNames: [crdName, 'absent.apps.kruise.io'],
    isConvertible: () => true,
    install: async (given) => void installed.push(given),
    clock: new SystemClock(),
    logger: silentLogger(),
    ...change,
  });
  void controller.run(stop.signal);
  return { controller, installed, caBundle: Buffer.from(made.caCert).toString('base64') };
}

const bundleOf = (api: FakeApi): string | undefined =>
  (api.peek(mutatingWebhookConfigurations, { namespace: '', name: mutatingConfigurationName }) as WebhookConfiguration | undefined)
    ?.webhooks?.[0]?.clientConfig?.caBundle;

const readsOf = (api: FakeApi, plural: string): number =>
  api.calls.filter(({ verb, type }) => verb === 'get' && type?.plural === plural).length;

const within = (): AbortSignal => AbortSignal.timeout(5000);

describe('webhook controller', () => {
  it('installs the certificates, then wires configurations and CRDs', async () => {
    const api = new FakeApi();
    install(api);
    const { controller, installed, caBundle } = await start(api);
    await controller.waitForInitialisation(within());
    expect(installed).toHaveLength(1);
    expect(bundleOf(api)).toBe(caBundle);
    const converted = api.peek(customResourceDefinitions, { namespace: '', name: crdName }) as CustomResourceDefinition;
    expect(converted.spec.conversion?.webhook?.clientConfig?.caBundle).toBe(caBundle);
  });

  it('waits for a configuration that does not exist yet', async () => {
    const api = new FakeApi();
    const { controller } = await start(api);
    await eventually(() => controller.lastError !== undefined);
    expect(controller.initialised).toBe(false);
    install(api);
    await controller.waitForInitialisation(within());
  });

  it('restores what was removed as soon as a change is reported', async () => {
    const api = new FakeApi();
    install(api);
    const { controller, caBundle } = await start(api);
    await controller.waitForInitialisation(within());
    const held = api.peek(mutatingWebhookConfigurations, { namespace: '', name: mutatingConfigurationName }) as WebhookConfiguration;
    const wiped = { ...configuration(mutatingConfigurationName, '/mutate'), metadata: { ...held.metadata, annotations: { template: '' } } };
    api.seed(mutatingWebhookConfigurations, wiped);
    expect(bundleOf(api)).toBeUndefined();
    const before = readsOf(api, 'customresourcedefinitions');
    controller.triggerConfigurations();
    await eventually(() => bundleOf(api) === caBundle);
    // CRDs are large, and are not what has changed.
    expect(readsOf(api, 'customresourcedefinitions')).toBe(before);
    controller.trigger();
    await eventually(() => readsOf(api, 'customresourcedefinitions') > before);
  });

  it('writes nothing with certificates from outside, and names what does not match', async () => {
    const api = new FakeApi();
    install(api);
    const { controller } = await start(api, { external: true });
    await eventually(() => controller.lastError !== undefined);
    expect(controller.lastError?.message).toContain(`caBundle of CRD ${crdName} does not match the external caBundle`);
    expect(controller.lastError?.message).toContain(`caBundle of webhook a in ${mutatingConfigurationName}`);
    expect(api.calls.filter(({ verb }) => verb === 'update')).toEqual([]);
    await expect(controller.waitForInitialisation(AbortSignal.timeout(50))).rejects.toThrow('does not match');
  });

  describe('narrowing', () => {
    const need = { reason: 'first', condition: 'A' };
    const other = { reason: 'second', condition: 'B' };
    const mutating = { namespace: '', name: mutatingConfigurationName };
    const peeked = (api: FakeApi): WebhookConfiguration => api.peek(mutatingWebhookConfigurations, mutating) as WebhookConfiguration;
    const seedWith = (api: FakeApi, webhooks: WebhookConfiguration['webhooks'] = []): void => {
      const edited: WebhookConfiguration = { ...peeked(api), webhooks };
      api.seed(mutatingWebhookConfigurations, edited);
    };
    const namesIn = (api: FakeApi): readonly string[] => (peeked(api).webhooks ?? []).map(({ name }) => name);
    /** Lets time pass until there are that many webhooks. */
    const untilNamed = (api: FakeApi, clock: FakeClock, count: number): Promise<void> =>
      eventually(async () => {
        await clock.step(5);
        return namesIn(api).length === count;
      });
    /** Starts a controller whose webhooks are narrowed to one need. */
    const startNarrow = async (): Promise<{ readonly api: FakeApi; readonly clock: FakeClock; readonly controller: WebhookController }> => {
      const api = new FakeApi();
      install(api);
      const clock = new FakeClock();
      const { controller } = await start(api, { narrows: true, clock });
      await controller.waitForInitialisation(within());
      controller.narrowTo({ a: { needs: [need] } });
      await untilNamed(api, clock, 2);
      return { api, clock, controller };
    };
    const writesOf = (api: FakeApi): number =>
      api.calls.filter(({ verb, type }) => verb === 'update' && type === mutatingWebhookConfigurations).length;

    it('follows the needs', async () => {
      const api = new FakeApi();
      install(api);
      const { controller } = await start(api, { narrows: true });
      await controller.waitForInitialisation(within());
      expect(namesIn(api)).toEqual(['a']);
      controller.narrowTo({ a: { needs: [need] } });
      await eventually(() => namesIn(api).length === 2);
      controller.narrowTo({ a: { needs: [] } });
      await eventually(() => namesIn(api).length === 1);
    });

    it('widens before it returns, and writes nothing for what is covered already', async () => {
      const api = new FakeApi();
      install(api);
      const { controller } = await start(api, { narrows: true });
      await controller.waitForInitialisation(within());
      controller.narrowTo({ a: { needs: [need] } });
      await eventually(() => namesIn(api).length === 2);
      const before = writesOf(api);
      await controller.widen([{ webhook: 'a', need }], within());
      expect(writesOf(api)).toBe(before);
      await controller.widen([{ webhook: 'a', need: other }], within());
      expect(namesIn(api)).toEqual(['again.a', 'first.a', 'second.a']);
    });

    it('is written a few times however much it must be widened, and never grows beyond bounds', async () => {
      const api = new FakeApi();
      install(api);
      const { controller } = await start(api, { narrows: true });
      await controller.waitForInitialisation(within());
      controller.narrowTo({ a: { needs: [need] } });
      await eventually(() => namesIn(api).length === 2);
      const before = writesOf(api);
      let longest = 0;
      for (let time = 0; time < 100; time++) {
        const selector = { matchLabels: { [`l${time}`]: 'x'.repeat(time % 2 === 0 ? 60 : 5000) } };
        await controller.widen([{ webhook: 'a', need: { reason: 'forged', objectSelector: selector } }], within());
        longest = Math.max(longest, JSON.stringify(peeked(api)).length);
      }
      expect(writesOf(api) - before).toBeLessThan(7);
      expect(longest).toBeLessThan(10_000);
      // Every request is covered: it is the installer's rule.
      expect(peeked(api).webhooks).toEqual([expect.not.objectContaining({ matchConditions: expect.anything() })]);
    });

    it('is neither narrowed nor widened unless it is enabled', async () => {
      const api = new FakeApi();
      install(api);
      const { controller } = await start(api);
      await controller.waitForInitialisation(within());
      controller.narrowTo({ a: { needs: [need] } });
      await controller.widen([{ webhook: 'a', need: other }], within());
      controller.trigger();
      await eventually(() => api.calls.filter(({ verb }) => verb === 'get').length > 4);
      expect(namesIn(api)).toEqual(['a']);
      expect(peeked(api).webhooks?.[0]).not.toHaveProperty('matchConditions');
    });

    it("uses the installer's rules when the API server does not accept the conditions", async () => {
      const api = new FakeApi();
      install(api);
      const { controller } = await start(api, { narrows: true });
      await controller.waitForInitialisation(within());
      const update = api.update.bind(api);
      let refused = 0;
      api.update = (type: never, object: WebhookConfiguration, options: never) => {
        if (!JSON.stringify(object).includes('needed.kruise.io')) return update(type, object as never, options);
        refused += 1;
        return Promise.reject(new ApiError('no such function', { kind: 'Invalid', causes: [] }));
      };
      seedWith(api, []);
      controller.narrowTo({ a: { needs: [need] } });
      await eventually(() => namesIn(api).length === 1);
      expect(refused).toBe(2); // one for each configuration, both in the same sync
      expect(controller.lastError).toBeUndefined();
    });

    it('delays increasingly its answers to a writer that undoes it repeatedly', async () => {
      const { api, clock, controller } = await startNarrow();
      const began = writesOf(api);
      for (let passed = 0; passed < 1000; passed += 5) {
        if (namesIn(api).length === 2) seedWith(api, peeked(api).webhooks?.slice(0, 1));
        controller.trigger();
        await clock.step(5);
      }
      expect(writesOf(api)).toBeGreaterThan(began);
      expect(writesOf(api) - began).toBeLessThan(9);
    });

    it('is never kept narrow by another replica that knows of fewer needs: what is wider is written immediately', async () => {
      const { api, clock, controller } = await startNarrow();
      const narrower = peeked(api).webhooks;
      controller.narrowTo({ a: { needs: [need, other] } });
      await untilNamed(api, clock, 3);
      const isAskedAboutAll = (): boolean =>
        namesIn(api).includes('second.a') || peeked(api).webhooks?.every((webhook) => !('matchConditions' in webhook)) === true;
      for (let time = 0; time < 20; time++) {
        seedWith(api, narrower);
        controller.triggerConfigurations();
        await clock.step(5);
        expect([time, isAskedAboutAll()]).toEqual([time, true]);
      }
      // Without other writes, it is narrowed again as soon as that is allowed.
      const before = writesOf(api);
      await clock.step(29_000);
      expect(writesOf(api)).toBe(before);
      await clock.step(2000);
      expect(namesIn(api)).toEqual(['again.a', 'first.a', 'second.a']);
    });
  });

  it('lets the API server trust both authorities before the server presents a certificate of the new one', async () => {
    const api = new FakeApi();
    install(api);
    const [first, second] = await Promise.all([
      generateKeyMaterial('svc', instant(Date.now())),
      generateKeyMaterial('svc', instant(Date.now())),
    ]);
    let current = first;
    const trusted: string[] = [];
    const text = (): string => Buffer.from(bundleOf(api) ?? '', 'base64').toString();
    const { controller } = await start(api, {
      source: { ensure: () => Promise.resolve(current) },
      install: async (given) =>
        void trusted.push(
          `${given === first ? 'first' : 'second'}: ${[first, second].filter(({ caCert }) => text().includes(caCert.trim())).length}`,
        ),
    });
    await controller.waitForInitialisation(within());
    current = second;
    controller.trigger();
    await eventually(() => trusted.length === 2);
    expect(trusted).toEqual(['first: 0', 'second: 2']);
    controller.trigger();
    await eventually(() => trusted.length === 3);
    expect(text()).toContain(first.caCert.trim());
  });
});
