/** Deletion protection and ResourceDistribution without their gates. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { labels, resourceDistributions } from '@kruise/api';
import { namespaces, type KubeObject, type ResourceType } from '@kruise/objects';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/fixtures/cloneset-world.testing.ts';
import { validatingWebhookNames } from '../support/webhooks.ts';
import { closeWorld, openWorld } from '../support/world.ts';

const services: ResourceType = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true };

describe('with gates off', () => {
  let world: CloneSetWorld;
  beforeAll(async () => {
    world = await openWorld('gates-switched-off');
  });
  afterAll(() => closeWorld(world));

  const refusal = (done: Promise<unknown>): Promise<string> =>
    done.then(
      () => 'none',
      (error: Error) => error.message,
    );
  const labelled = { labels: { [labels.deleteProtection]: 'Always' } };

  it('all may go, two webhooks are not there, and no ResourceDistribution is made (deletion protection 8, resourcedistribution 1)', async () => {
    await world.eventually(
      async () => !(await validatingWebhookNames(world.client)).some((name) => name === 'vservice.kb.io' || name === 'vingress.kb.io'),
      'they are not there',
    );
    expect(await validatingWebhookNames(world.client)).toContain('vnamespace.kb.io');
    const { namespace } = world;
    const metadata = { name: 'free', namespace, ...labelled };
    await world.client.create(services, { metadata, spec: { ports: [{ port: 80 }] } } as KubeObject);
    expect(await refusal(world.client.delete(services, { namespace, name: 'free' }))).toBe('none');
    await world.client.create(namespaces, { metadata: { name: 'switched-off-inner', ...labelled } });
    expect(await refusal(world.client.delete(namespaces, { namespace: '', name: 'switched-off-inner' }))).toBe('none');
    const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
    const made = world.client.create(resourceDistributions, { metadata: { name: 'gates-switched-off' }, spec: { resource, targets: {} } });
    expect(await refusal(made)).toContain('feature-gate ResourceDistributionGate is not enabled');
  });
});
