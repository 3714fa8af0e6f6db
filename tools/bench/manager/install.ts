/** What an installer would put into a cluster before the manager starts: CRDs, namespace, webhook configurations. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@kruise/kube';
import {
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  namespaces,
  validatingWebhookConfigurations,
  type KubeObject,
  type ResourceType,
} from '@kruise/objects';
import { parse } from 'yaml';
import { plainConfigurations } from '../../generate/chart/webhooks.ts';

const crdFolder = join(import.meta.dirname, '../../../deploy/crds/generated');

const crds = (): readonly KubeObject[] =>
  readdirSync(crdFolder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => parse(readFileSync(join(crdFolder, file), 'utf8')) as KubeObject);

const typeOf = (configuration: KubeObject): ResourceType =>
  configuration.kind === 'MutatingWebhookConfiguration' ? mutatingWebhookConfigurations : validatingWebhookConfigurations;

interface Condition {
  readonly type: string;
  readonly status: string;
}

const isEstablished = (crd: KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } }): boolean =>
  crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true;

/** Returns when every kind is served; the webhooks work once a manager runs. */
export async function install(client: Client, signal: AbortSignal): Promise<void> {
  await client.create(namespaces, { metadata: { name: 'kruise-system', labels: { 'control-plane': 'openkruise' } } });
  await Promise.all(crds().map((crd) => client.create(customResourceDefinitions, crd, { signal })));
  for (let pending = true; pending;) {
    const { items } = await client.list(customResourceDefinitions, { signal });
    pending = !items.every(isEstablished);
  }
  for (const configuration of plainConfigurations() as readonly KubeObject[])
    await client.create(typeOf(configuration), configuration, { signal });
}
