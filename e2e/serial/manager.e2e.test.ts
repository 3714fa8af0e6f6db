import { urlPath } from '@kruise/kube';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  customResourceDefinitions,
  leases,
  mutatingWebhookConfigurations,
  namespaces,
  type Pod,
  pods,
  secrets,
  validatingWebhookConfigurations,
  type KubeObject,
} from '@kruise/objects';
import { comesToRest } from '@kruise/testing';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { killProcessesOf, processesOf } from '../support/container-processes.ts';
import { Managers, managerNamespace as system } from '../support/managers.ts';
import { imageOf, restartsOf } from '../support/pod-facts.ts';
import { closeFixture, images, openFixture } from '../support/fixture.ts';

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig: { readonly caBundle?: string } }[];
}
interface Crd extends KubeObject {
  readonly spec?: {
    readonly group: string;
    readonly conversion?: { readonly strategy: string; readonly webhook?: { readonly clientConfig?: { readonly caBundle?: string } } };
  };
}

const mutating = { namespace: '', name: 'kruise-mutating-webhook-configuration' };
const validating = { namespace: '', name: 'kruise-validating-webhook-configuration' };

describe('the manager', () => {
  let fixture: CloneSetFixture;
  let managers: Managers;

  const isLeader = async (pod: Pod): Promise<boolean> => {
    const text = await fixture.client
      .raw(urlPath`/api/v1/namespaces/${system}/pods/${pod.metadata.name}:8080/proxy/metrics`)
      .catch(() => '');
    return /^kruise_manager_is_leader 1$/m.test(String(text));
  };
  const leaders = async (): Promise<readonly Pod[]> => {
    const all = await managers.replicas();
    const flags = await Promise.all(all.map(isLeader));
    return all.filter((_, index) => flags[index]);
  };
  const bothReady = (): Promise<boolean> => managers.bothReady();
  /** The only one, once there is one. */
  const untilOneLeads = async (): Promise<Pod> => {
    let found: readonly Pod[] = [];
    await fixture.eventually(async () => (found = await leaders()).length === 1, 'one leader');
    const [leader] = found;
    if (leader === undefined) throw new Error('no replica leads');
    return leader;
  };
  /** Ends every process of the Pod at once; containers are started again, the Pod stays. @returns once none of them is left */
  const killAll = async (pod: Pod): Promise<void> => {
    const ids = killProcessesOf(pod);
    await fixture.eventually(
      async () => processesOf(pod).every((id) => !ids.includes(id)),
      `the processes of ${pod.metadata.name} are gone`,
    );
  };
  const ca = async (): Promise<string> => {
    const { data } = await fixture.client.get(secrets, { namespace: system, name: 'kruise-webhook-certs' });
    return data?.['ca-cert.pem'] ?? '';
  };

  beforeAll(async () => {
    fixture = await openFixture('manager');
    managers = new Managers(fixture.client);
  });
  afterAll(() => closeFixture(fixture));

  it('runs in a namespace that enforces Pod Security "restricted", on different nodes', async () => {
    const namespace = await fixture.client.get(namespaces, { namespace: '', name: system });
    expect(namespace.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted', 'control-plane': 'openkruise' });
    await fixture.eventually(bothReady, 'two ready replicas');
    expect(new Set((await managers.replicas()).map((pod) => pod.spec.nodeName)).size).toBe(2);
  });

  it('fills the Secret with six keys and puts its CA wherever the API server needs it', async () => {
    const secret = await fixture.client.get(secrets, { namespace: system, name: 'kruise-webhook-certs' });
    expect(Object.keys(secret.data ?? {}).toSorted()).toEqual(['ca-cert.pem', 'ca-key.pem', 'cert.pem', 'key.pem', 'tls.crt', 'tls.key']);
    const expected = await ca();
    expect(Buffer.from(expected, 'base64').toString()).toMatch(/^-----BEGIN CERTIFICATE-----/);
    const configurations = [
      await fixture.client.get<WebhookConfiguration>(mutatingWebhookConfigurations, mutating),
      await fixture.client.get<WebhookConfiguration>(validatingWebhookConfigurations, validating),
    ];
    for (const { webhooks = [], metadata } of configurations) {
      expect(webhooks.length).toBeGreaterThan(0);
      for (const webhook of webhooks) expect(webhook.clientConfig.caBundle).toBe(expected);
      const template = JSON.parse(metadata.annotations?.['template'] ?? '[]') as readonly { readonly name: string }[];
      // A Pod webhook is in parts there, each named after the installed one.
      const installedNames = webhooks.map(({ name }) => name.replace(/^[^.]+\.(?=[^.]+\.kb\.io$)/, ''));
      expect(template.map(({ name }) => name)).toEqual(expect.arrayContaining(installedNames));
    }
    const { items } = await fixture.client.list<Crd>(customResourceDefinitions);
    const converted = items.filter(({ spec }) => spec?.group.endsWith('kruise.io') === true && spec.conversion?.strategy === 'Webhook');
    expect(converted.length).toBeGreaterThan(0);
    for (const { spec } of converted) expect(spec?.conversion?.webhook?.clientConfig?.caBundle).toBe(expected);
  });

  it('puts a webhook back that was removed, and a CA that was taken out, by hand', async () => {
    const present = async (): Promise<unknown> =>
      (await fixture.client.get<WebhookConfiguration>(validatingWebhookConfigurations, validating)).webhooks ?? [];
    // They change with what other tests have left and Kubernetes still deletes.
    const before = await comesToRest('the webhooks', present, 3_000);
    const restored = async (): Promise<boolean> => isDeepStrictEqual(await present(), before);
    const edit = async (operations: readonly object[]): Promise<unknown> => {
      const answer = await fixture.client.patch(validatingWebhookConfigurations, validating, operations, { type: 'json' });
      return (answer as WebhookConfiguration).webhooks ?? [];
    };

    expect(await edit([{ op: 'remove', path: '/webhooks/0' }])).not.toEqual(before);
    await fixture.eventually(restored, 'the webhook is back');
    expect(await edit([{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }])).not.toEqual(before);
    await fixture.eventually(restored, 'the CA is back');
  });

  it('has exactly one leader, and another one at the latest when the lease of 15 s is over; a rollout of 20 Pods continues, each updated once', async () => {
    const rollingUpdate = { maxUnavailable: 4, partition: 8 };
    await fixture.apply({ name: 'many', replicas: 20, image: images.first, rollingUpdate });
    await fixture.untilRolledOut('many');
    const before = await fixture.pods('many');
    const leader = await untilOneLeads();
    await fixture.setImage('many', images.second);
    await fixture.untilUpdated('many', 4);

    await fixture.client.delete(pods, { namespace: system, name: leader.metadata.name }, { gracePeriodSeconds: 0 });
    await fixture.eventually(async () => (await leaders()).some((pod) => pod.metadata.name !== leader.metadata.name), 'another leader');
    const lease = await fixture.client.get(leases, { namespace: system, name: 'kruise-manager' });
    expect(lease.spec?.leaseDurationSeconds).toBe(15);
    // Without grace the API server does not wait for calls in progress: one may be lost until the processes have ended.
    await fixture.eventually(async () => processesOf(leader).length === 0, 'the old leader is gone');
    await fixture.eventually(bothReady, 'two ready replicas');
    await fixture.untilUpdated('many', 12);

    const next = await untilOneLeads();
    await fixture.patch('many', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await fixture.untilUpdated('many', 13);
    await killAll(next);
    // The rollout continues only when another replica leads, so this is what the killed one has left.
    expect((await fixture.pods('many')).filter((pod) => imageOf(pod) === images.first)).not.toEqual([]);
    await fixture.untilRolledOut('many');
    const after = await fixture.pods('many');
    expect(after).toHaveLength(20);
    expect(after.map((pod) => pod.metadata.uid)).toEqual(before.map((pod) => pod.metadata.uid));
    expect(after.map(imageOf)).toEqual(Array.from({ length: 20 }, () => images.second));
    expect(after.map(restartsOf)).toEqual(Array.from({ length: 20 }, () => 1));
    expect(await fixture.revisions('many')).toHaveLength(2);
    await fixture.eventually(bothReady, 'two ready replicas');
    await untilOneLeads();
  });
});
