/** The webhooks of the managers, as the API server has them. */
import { cloneSets } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { validatingWebhookConfigurations, type KubeObject } from '@kruise/objects';
import { succeeds } from '@kruise/testing';
import { cloneSetOf, type CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { images } from './fixture.ts';

/** After managers were started: that they are ready reaches the API server, which calls them, a moment later. */
export function untilWebhooksAnswer(fixture: Pick<CloneSetFixture, 'client' | 'namespace' | 'eventually'>): Promise<void> {
  const cloneSet = cloneSetOf(fixture.namespace, { name: 'dry-run', replicas: 0, image: images.first });
  const answers = (): Promise<boolean> => succeeds(fixture.client.create(cloneSets, cloneSet, { dryRun: true }));
  return fixture.eventually(answers, 'the webhooks answer');
}

/** Names of the webhooks that validate, as the managers have them at present. */
export async function validatingWebhookNames(client: Client): Promise<readonly string[]> {
  const key = { namespace: '', name: 'kruise-validating-webhook-configuration' };
  const held = await client.get<KubeObject & { readonly webhooks?: readonly { readonly name: string }[] }>(
    validatingWebhookConfigurations,
    key,
  );
  return (held.webhooks ?? []).map(({ name }) => name);
}
