/** Lets Helm find what a manager in the cluster leaves, where a manager beside the cluster had to be reached by URL instead of its Service. */
import { unlessDeleted, type Client } from '@kruise/kube';
import {
  customResourceDefinitions,
  memberAt,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  type KubeObject,
} from '@kruise/objects';

const service = { namespace: 'kruise-system', name: 'kruise-webhook-service', path: '/convert', port: 443 };
const clientConfig = { url: null, service };

const isConverted = (crd: KubeObject): boolean => memberAt(crd, 'spec', 'conversion', 'webhook', 'clientConfig', 'url') !== undefined;

/** Has the CRDs name the Service, with the CA of the last manager, and removes the webhook configurations, which Helm creates again. Called while no manager runs. */
export async function forgetUrls(client: Client): Promise<void> {
  for (const crd of (await client.list(customResourceDefinitions)).items.filter(isConverted)) {
    const key = { namespace: '', name: crd.metadata.name };
    await client.patch(customResourceDefinitions, key, { spec: { conversion: { webhook: { clientConfig } } } }, { type: 'merge' });
  }
  const configurations = [
    [mutatingWebhookConfigurations, 'kruise-mutating-webhook-configuration'],
    [validatingWebhookConfigurations, 'kruise-validating-webhook-configuration'],
  ] as const;
  for (const [type, name] of configurations) await unlessDeleted(client.delete(type, { namespace: '', name }));
}
