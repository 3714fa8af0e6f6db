/** What an installer would put into a cluster before the manager starts: CRDs, namespace, webhook configurations. */
import { allKinds, customResourceDefinition } from '@kruise/api';
import type { Client } from '@kruise/kube';
import {
  customResourceDefinitions,
  isConditionTrue,
  mutatingWebhookConfigurations,
  namespaces,
  validatingWebhookConfigurations,
  type KubeObject,
  type ResourceType,
} from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { plainConfigurations } from '../../generate/chart/webhooks.ts';

const typeOf = (configuration: KubeObject): ResourceType =>
  configuration.kind === 'MutatingWebhookConfiguration' ? mutatingWebhookConfigurations : validatingWebhookConfigurations;

const isEstablished = (crd: KubeObject & { readonly status?: { readonly conditions?: Parameters<typeof isConditionTrue>[0] } }): boolean =>
  isConditionTrue(crd.status?.conditions, 'Established');

/** Returns when every kind is served; the webhooks work once a manager runs. */
export async function install(client: Client, signal: AbortSignal): Promise<void> {
  await client.create(namespaces, { metadata: { name: 'kruise-system', labels: { 'control-plane': 'openkruise' } } });
  await Promise.all(allKinds.map((kind) => client.create(customResourceDefinitions, customResourceDefinition(kind), { signal })));
  await eventually(async () => (await client.list(customResourceDefinitions, { signal })).items.every(isEstablished));
  for (const configuration of plainConfigurations() as readonly KubeObject[])
    await client.create(typeOf(configuration), configuration, { signal });
}
