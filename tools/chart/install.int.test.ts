import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureBinaries, silent, startControlPlane, type ControlPlane } from '@kruise/testing';
import { chartFolder, helm, valueFlags, type Values } from './render.ts';

interface Configuration {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>>; readonly resourceVersion: string };
  readonly webhooks: readonly { readonly name: string; readonly clientConfig: { readonly caBundle?: string } }[];
}

const configurationPath = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/kruise-mutating-webhook-configuration';
const namespace = '/api/v1/namespaces/kruise-system';
const caBundle = Buffer.from('-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n').toString('base64');

describe('the chart on an API server', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    await ensureBinaries(['helm'], silent);
    plane = await startControlPlane();
    await run('install', { 'daemon.namespace': 'kruise-daemon' });
  });
  afterAll(() => plane.stop());

  const run = (command: 'install' | 'upgrade', values: Values): Promise<string> =>
    helm(
      [command, 'kruise', chartFolder, ...(command === 'upgrade' ? ['--reuse-values'] : []), ...valueFlags(values)],
      plane.kubeconfigPath,
    );
  const get = <T>(path: string): Promise<T> => plane.api.request(path) as Promise<T>;
  const merge = (path: string, body: object): Promise<unknown> =>
    plane.api.request(path, { method: 'PATCH', contentType: 'application/merge-patch+json', body });

  /** As the manager does: omits what it does not serve, sets the CA, keeps the whole list as the template. */
  async function fillAsManager(): Promise<void> {
    const { webhooks } = await get<Configuration>(configurationPath);
    const kept = webhooks
      .filter(({ name }) => name === 'mcloneset.kb.io')
      .map((webhook) => ({ ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } }));
    await merge(configurationPath, { metadata: { annotations: { template: JSON.stringify(webhooks) } }, webhooks: kept });
  }

  it('its manager is admitted where Pod Security "restricted" is enforced, its daemon is not', async () => {
    const template = async (path: string): Promise<object> => (await get<{ spec: { template: object } }>(path)).spec.template;
    const create = (name: string, pod: object): Promise<unknown> =>
      plane.api.request(`${namespace}/pods?dryRun=All`, {
        method: 'POST',
        body: { apiVersion: 'v1', kind: 'Pod', ...pod, metadata: { name } },
      });
    expect((await get<{ metadata: { labels: object } }>(namespace)).metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
    await create('manager', await template('/apis/apps/v1/namespaces/kruise-system/deployments/kruise-controller-manager'));
    await expect(create('daemon', await template('/apis/apps/v1/namespaces/kruise-daemon/daemonsets/kruise-daemon'))).rejects.toThrow(
      'violates PodSecurity "restricted',
    );
  });

  it('an upgrade keeps the addresses of the Service and what the manager wrote into the Secret', async () => {
    const service = `${namespace}/services/kruise-webhook-service`;
    const secret = `${namespace}/secrets/kruise-webhook-certs`;
    const data = { 'ca-cert.pem': caBundle };
    await merge(secret, { data });
    const { spec } = await get<{ spec: { clusterIP: string; clusterIPs: readonly string[]; ipFamilies: readonly string[] } }>(service);
    await run('upgrade', { 'manager.webhook.port': 9999 });
    expect((await get<{ spec: object }>(service)).spec).toMatchObject({
      clusterIP: spec.clusterIP,
      clusterIPs: spec.clusterIPs,
      ipFamilies: spec.ipFamilies,
      ports: [{ targetPort: 9999 }],
    });
    expect(await get(secret)).toMatchObject({ data });
  });

  it('an upgrade leaves the webhooks alone while their list is the same, and resets them when it changes', async () => {
    await fillAsManager();
    const filled = await get<Configuration>(configurationPath);
    await run('upgrade', { 'manager.log.level': '2' });
    expect(await get<Configuration>(configurationPath)).toMatchObject({
      webhooks: filled.webhooks,
      metadata: { annotations: filled.metadata.annotations },
    });
    await run('upgrade', { 'webhookConfiguration.timeoutSeconds': 20 });
    const reset = await get<Configuration>(configurationPath);
    expect(reset.metadata.annotations['template']).toBe('');
    expect(reset.webhooks).toHaveLength(12);
  });

  it('an upgrade from certificates of our own to external ones removes the Secret and the right to write', async () => {
    await run('upgrade', { featureGates: 'EnableExternalCerts=true' });
    await expect(get(`${namespace}/secrets/kruise-webhook-certs`)).rejects.toThrow('not found');
    await expect(get('/apis/rbac.authorization.k8s.io/v1/clusterroles/kruise-certs-role')).rejects.toThrow('not found');
  });
});
