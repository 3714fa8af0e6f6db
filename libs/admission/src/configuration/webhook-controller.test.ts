import { afterEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '@kruise/kube';
import { FakeApi, silentLogger } from '@kruise/kube/testing';
import { customResourceDefinitions, instant, mutatingWebhookConfigurations, validatingWebhookConfigurations } from '@kruise/objects';
import { generateKeyMaterial } from '../certificates/generate.ts';
import type { KeyMaterial } from '../certificates/key-material.ts';
import type { CustomResourceDefinition } from './plan-crd-conversion.ts';
import type { WebhookConfiguration } from './plan-webhook-configuration.ts';
import {
  mutatingConfigurationName,
  validatingConfigurationName,
  WebhookController,
  type WebhookControllerOptions,
} from './webhook-controller.ts';

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

async function eventually(check: () => boolean): Promise<void> {
  const deadline = Date.now() + 5000;
  while (!check()) {
    if (Date.now() > deadline) throw new Error('the state was not reached in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
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

  it('waits for a configuration that is not there yet', async () => {
    const api = new FakeApi();
    const { controller } = await start(api);
    await eventually(() => controller.lastError !== undefined);
    expect(controller.initialised).toBe(false);
    install(api);
    await controller.waitForInitialisation(within());
  });

  it('restores what was wiped as soon as it is told of a change', async () => {
    const api = new FakeApi();
    install(api);
    const { controller, caBundle } = await start(api);
    await controller.waitForInitialisation(within());
    const held = api.peek(mutatingWebhookConfigurations, { namespace: '', name: mutatingConfigurationName }) as WebhookConfiguration;
    const wiped = { ...configuration(mutatingConfigurationName, '/mutate'), metadata: { ...held.metadata, annotations: { template: '' } } };
    api.seed(mutatingWebhookConfigurations, wiped);
    expect(bundleOf(api)).toBeUndefined();
    controller.trigger();
    await eventually(() => bundleOf(api) === caBundle);
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
});
