/** Deletion protection and ResourceDistribution without their gates. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { labels, resourceDistributions } from '@kruise/api';
import { namespaces, type KubeObject, type ResourceType } from '@kruise/objects';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { validatingWebhookNames } from '../support/webhooks.ts';
import { closeFixture, openFixture } from '../support/fixture.ts';

const services: ResourceType = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true };

describe('with gates off', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('gates-switched-off');
  });
  afterAll(() => closeFixture(fixture));

  const refusal = (done: Promise<unknown>): Promise<string> =>
    done.then(
      () => 'none',
      (error: Error) => error.message,
    );
  const labelled = { labels: { [labels.deleteProtection]: 'Always' } };

  it('all may go, two webhooks are not there, and no ResourceDistribution is made (deletion protection 8, resourcedistribution 1)', async () => {
    await fixture.eventually(
      async () => !(await validatingWebhookNames(fixture.client)).some((name) => name === 'vservice.kb.io' || name === 'vingress.kb.io'),
      'they are not there',
    );
    expect(await validatingWebhookNames(fixture.client)).toContain('vnamespace.kb.io');
    const { namespace } = fixture;
    const metadata = { name: 'free', namespace, ...labelled };
    await fixture.client.create(services, { metadata, spec: { ports: [{ port: 80 }] } } as KubeObject);
    expect(await refusal(fixture.client.delete(services, { namespace, name: 'free' }))).toBe('none');
    await fixture.client.create(namespaces, { metadata: { name: 'switched-off-inner', ...labelled } });
    expect(await refusal(fixture.client.delete(namespaces, { namespace: '', name: 'switched-off-inner' }))).toBe('none');
    const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
    const made = fixture.client.create(resourceDistributions, {
      metadata: { name: 'gates-switched-off' },
      spec: { resource, targets: {} },
    });
    expect(await refusal(made)).toContain('feature-gate ResourceDistributionGate is not enabled');
  });
});
