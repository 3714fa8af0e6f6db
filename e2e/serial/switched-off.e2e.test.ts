/** Deletion protection and ResourceDistribution without their gates, and without a manager. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { labels, resourceDistributions } from '@kruise/api';
import {
  customResourceDefinitions,
  namespaces,
  validatingWebhookConfigurations,
  type KubeObject,
  type ResourceType,
} from '@kruise/objects';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/cloneset-world.testing.ts';
import { withGates } from '../support/manager-gates.ts';
import { kubectl } from '../support/programs.ts';
import { closeWorld, openWorld } from '../support/world.ts';

const services: ResourceType = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true };
const deployment = 'deployment/kruise-controller-manager';

describe('with gates off', () => {
  let world: CloneSetWorld;
  beforeAll(async () => {
    world = await openWorld('switched-off');
  });
  afterAll(() => closeWorld(world));

  /** Whatever comes of it, the managers are as before at its end. */
  async function meanwhile(restore: () => Promise<unknown>, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } finally {
      await restore();
    }
  }

  const refusal = (done: Promise<unknown>): Promise<string> =>
    done.then(
      () => 'none',
      (error: Error) => error.message,
    );
  const makeService = (name: string, metadata: object = {}): Promise<KubeObject> =>
    world.client.create(services, {
      metadata: { name, namespace: world.namespace, ...metadata },
      spec: { ports: [{ port: 80 }] },
    } as KubeObject);
  const remove = (name: string): Promise<string> => refusal(world.client.delete(services, { namespace: world.namespace, name }));
  const labelled = { labels: { [labels.deleteProtection]: 'Always' } };
  const webhooks = async (): Promise<readonly string[]> => {
    const held = await world.client.get(validatingWebhookConfigurations, {
      namespace: '',
      name: 'kruise-validating-webhook-configuration',
    });
    return (held as KubeObject & { readonly webhooks: readonly { readonly name: string }[] }).webhooks.map(({ name }) => name);
  };

  it('for CRDs alone, one that is labelled Cascading stays, and the message names the gate (deletion protection 4)', async () => {
    const name = 'toys.switched-off.example.org';
    const schema = { openAPIV3Schema: { type: 'object' } };
    const crd = {
      metadata: { name, labels: { [labels.deleteProtection]: 'Cascading' } },
      spec: {
        group: 'switched-off.example.org',
        scope: 'Namespaced',
        names: { plural: 'toys', singular: 'toy', kind: 'Toy' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    const key = { namespace: '', name };
    const restore = await withGates({ DeletionProtectionForCRDCascadingGate: false });
    await meanwhile(restore, async () => {
      await world.client.create(customResourceDefinitions, crd);
      const message = 'feature-gate DeletionProtectionForCRDCascadingGate is not enabled';
      expect(await refusal(world.client.delete(customResourceDefinitions, key))).toContain(message);
      await world.client.patch(customResourceDefinitions, key, { metadata: { labels: null } }, { type: 'merge' });
      expect(await refusal(world.client.delete(customResourceDefinitions, key))).toBe('none');
    });
  });

  it('all may go, two webhooks are not there, and no ResourceDistribution is made (deletion protection 8, resourcedistribution 1)', async () => {
    const restore = await withGates({ ResourcesDeletionProtection: false, ResourceDistributionGate: false });
    await meanwhile(restore, async () => {
      await world.eventually(
        async () => !(await webhooks()).some((name) => name === 'vservice.kb.io' || name === 'vingress.kb.io'),
        'they are gone',
      );
      expect(await webhooks()).toContain('vnamespace.kb.io');
      await makeService('free', labelled);
      expect(await remove('free')).toBe('none');
      await world.client.create(namespaces, { metadata: { name: 'switched-off-inner', ...labelled } });
      expect(await refusal(world.client.delete(namespaces, { namespace: '', name: 'switched-off-inner' }))).toBe('none');
      const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
      const made = world.client.create(resourceDistributions, { metadata: { name: 'switched-off' }, spec: { resource, targets: {} } });
      expect(await refusal(made)).toContain('feature-gate ResourceDistributionGate is not enabled');
    });
    await world.eventually(async () => (await webhooks()).includes('vservice.kb.io'), 'the webhooks are back');
  });

  it('and with no manager at all labelled objects and others may go, as the chart has it (deletion protection 9)', async () => {
    await makeService('labelled', labelled);
    await makeService('plain');
    const { replicas } = (
      JSON.parse(await kubectl('-n', 'kruise-system', 'get', deployment, '-o', 'json')) as { readonly spec: { readonly replicas: number } }
    ).spec;
    const restore = async (): Promise<void> => {
      await kubectl('-n', 'kruise-system', 'scale', deployment, `--replicas=${replicas}`);
      await kubectl('-n', 'kruise-system', 'rollout', 'status', deployment, '--timeout=180s');
    };
    await meanwhile(restore, async () => {
      await kubectl('-n', 'kruise-system', 'scale', deployment, '--replicas=0');
      await kubectl('-n', 'kruise-system', 'wait', 'pod', '-l', 'control-plane=controller-manager', '--for=delete', '--timeout=120s');
      expect([await remove('labelled'), await remove('plain')]).toEqual(['none', 'none']);
    });
  });
});
