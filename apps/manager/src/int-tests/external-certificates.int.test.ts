/**
 * Certificates from outside are replaced while Pods that need the webhook are created. What cert-manager does in a cluster is done by the test: it
 * replaces the Secret, and then writes the new authority into webhook configurations and CRDs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultRenewBefore, fileSource, type KeyMaterial } from '@kruise/admission';
import { type Client, createClient, loadClusterConfig, SystemClock } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import {
  customResourceDefinitions,
  type KubeObject,
  memberAt,
  mutatingWebhookConfigurations,
  namespaces,
  type ResourceType,
  secrets,
  validatingWebhookConfigurations,
} from '@kruise/objects';
import { type ControlPlane, eventually } from '@kruise/testing';
import { refusals, report, stormDuring } from './fixtures/pod-storm.testing.ts';
import { type Manifest, startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';
import { WebhookBalancer } from './processes/webhook-balancer.testing.ts';

interface Webhook {
  readonly clientConfig: { readonly service?: object };
}

const namespace = 'storm';
const system = 'kruise-system';
const secretName = 'kruise-webhook-certs';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('certificates from outside', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-external-'));
  const managers: ManagerProcess[] = [];
  let plane: ControlPlane;
  let balancer: WebhookBalancer;
  let client: Client;
  let made = 0;

  /** Returns a certificate of a new authority. */
  function issue(): Promise<KeyMaterial> {
    const host = `kruise-webhook-service.${system}.svc`;
    const options = { host, renewBefore: defaultRenewBefore, clock: new SystemClock(), logger: silentLogger() };
    return fileSource(join(dir, `issued-${++made}`), options).ensure(AbortSignal.timeout(60_000));
  }

  const dataOf = ({ caCert, key, cert }: KeyMaterial): Readonly<Record<string, string>> => ({
    'ca.crt': base64(caCert),
    'tls.key': base64(key),
    'tls.crt': base64(cert),
  });

  /** Writes the authority into an object, as the injector of cert-manager does. */
  function injected<T>(object: T, { caCert }: KeyMaterial): T {
    const caBundle = base64(caCert);
    const webhooks = memberAt(object, 'webhooks') as readonly Webhook[] | undefined;
    if (webhooks !== undefined) {
      const at = ({ clientConfig }: Webhook): object => ({
        ...clientConfig,
        caBundle,
        service: { ...clientConfig.service, port: balancer.port },
      });
      return { ...object, webhooks: webhooks.map((webhook) => ({ ...webhook, timeoutSeconds: 15, clientConfig: at(webhook) })) };
    }
    const spec = memberAt(object, 'spec') as Readonly<Record<string, unknown>> | undefined;
    const webhook = memberAt(object, 'spec', 'conversion', 'webhook') as Webhook | undefined;
    if (webhook === undefined) return object;
    const conversion = { strategy: 'Webhook', webhook: { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } } };
    return { ...object, spec: { ...spec, conversion } };
  }

  async function inject(material: KeyMaterial): Promise<void> {
    const types: readonly ResourceType<KubeObject>[] = [
      mutatingWebhookConfigurations,
      validatingWebhookConfigurations,
      customResourceDefinitions,
    ];
    for (const type of types) for (const object of (await client.list(type)).items) await client.update(type, injected(object, material));
  }

  async function startReplica(name: string): Promise<void> {
    const flags = ['--feature-gates=EnableExternalCerts=true'];
    const manager = await ManagerProcess.create({
      kubeconfigPath: plane.kubeconfigPath,
      dir: join(dir, name),
      flags,
      env: { WEBHOOK_HOST: '' },
    });
    managers.push(manager);
    await manager.start();
    balancer.add(manager);
  }

  beforeAll(async () => {
    balancer = await WebhookBalancer.start();
    const first = await issue();
    plane = await startInstalledPlane({ simulatedNodes: 0, edit: (manifest: Manifest) => injected(manifest, first) });
    client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'integration-test' });
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const service = {
      metadata: { name: 'kruise-webhook-service' },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: balancer.port }] },
    };
    await plane.api.request(`/api/v1/namespaces/${system}/services`, { method: 'POST', body: service });
    await client.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secretName, namespace: system },
      data: dataOf(first),
    });
    await Promise.all(['one', 'two'].map(startReplica));
    await eventually(() => balancer.ready === 2);
  });
  afterAll(async () => {
    await Promise.all(managers.map((manager) => manager.signal('SIGKILL')));
    client?.close();
    await balancer.close();
    await plane?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /**
   * An injector replaces the authority at once. The API server and the managers learn of it by their own watches: while one of them is late, which
   * only a busy machine makes visible, the API server refuses the certificate that it is shown.
   */
  it('are replaced under load: at most Pods of one second are refused, and the new ones are used', async () => {
    const next = await issue();
    const perSecond = 20;
    const storm = await stormDuring({ client, namespace, perSecond }, async (created) => {
      await client.patch(secrets, { namespace: system, name: secretName }, { data: dataOf(next) }, { type: 'merge' });
      await sleep(1000);
      await inject(next);
      const before = created();
      await eventually(() => created() > before + 60);
    });
    report('external certificates are replaced', storm);
    expect(Object.keys(storm.refused).filter((why) => !why.includes('certificate signed by unknown authority'))).toEqual([]);
    expect(refusals(storm)).toBeLessThanOrEqual(perSecond);
    expect(storm.created).toBeGreaterThan(60);
  });
});
