/** What is said of Pods that came past the webhook, and of which nothing may be said. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mutatingConfigurationName } from '@kruise/admission';
import { sidecarSets } from '@kruise/api';
import type { FakeApi, FakeClock } from '@kruise/kube/testing';
import { formatTime, instant, mutatingWebhookConfigurations, namespaces, pods } from '@kruise/objects';
import { InMemoryCluster } from '../../../module/in-memory-cluster.testing.ts';
import { missedPodsController } from './controller.ts';

let cluster: InMemoryCluster;
let clock: FakeClock;
let api: FakeApi;

beforeEach(async () => {
  cluster = new InMemoryCluster(missedPodsController);
  ({ api, clock } = cluster);
  const configuration = { metadata: { name: mutatingConfigurationName }, webhooks: [{ name: 'mpod.kb.io' }] };
  api.seed(mutatingWebhookConfigurations, configuration);
  api.seed(namespaces, { metadata: { name: 'shop' } });
  api.rawAnswers.set('/api/v1/namespaces/shop', { metadata: { name: 'shop' } });
  api.seed(sidecarSets, { metadata: { name: 'mesh' }, spec: { selector: { matchLabels: { app: 'web' } } } });
  await clock.step(60_000);
});
afterEach(() => cluster.stop());

/** A Pod whose label was written some seconds after it. */
function seedPod(name: string, labelledAfter: number): void {
  const metadata = { name, namespace: 'shop', labels: { app: 'web' } };
  api.seed(pods, { metadata, spec: { containers: [] } });
  const time = formatTime(instant(clock.now() + labelledAfter * 1000));
  const managedFields = [{ manager: 'x', operation: 'Update', time, fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } } }];
  api.rawAnswers.set(`/api/v1/namespaces/shop/pods/${name}`, { metadata: { ...metadata, managedFields } });
}

it('reports a Pod that lacks sidecars, once, and not one that got the label later', async () => {
  seedPod('missed', 0);
  seedPod('labelled', 30);
  await clock.step(60_000);
  const manager = cluster.begin();
  await clock.step(5_000);
  await clock.settle(50);
  expect(manager.events.map(({ about, reason }) => [about, reason])).toEqual([['missed', 'PodWebhookMissed']]);
  await clock.step(60_000);
  expect(manager.events).toHaveLength(1);
});

it('reports none that is deleted in the meantime', async () => {
  seedPod('gone', 0);
  api.rawAnswers.delete('/api/v1/namespaces/shop/pods/gone');
  await clock.step(60_000);
  const manager = cluster.begin();
  await clock.step(5_000);
  await clock.settle(50);
  expect(manager.events).toEqual([]);
});
