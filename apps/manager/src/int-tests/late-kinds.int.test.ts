/** A manager that is there before its CRDs, and objects that hold integers beyond 2^53, on a real API server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '@kruise/testing';
import { controllerRevisions } from '@kruise/objects';
import { CloneSetFixture } from './fixtures/cloneset-fixture.testing.ts';
import { startInstalledPlane, type Manifest } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

const late = ['clonesets.apps.kruise.io', 'sidecarsets.apps.kruise.io'];
const crdsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const configurationPath = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/kruise-mutating-webhook-configuration';
const image = (tag: string): string => `registry.example/app:${tag}`;
const beyond = 9_007_199_254_740_993n;
/** What a double holds of it. */
const kept = Number(beyond);

/** HTTP status of a request target as it is; `fetch` would not send it. */
const statusOf = (port: number, path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });

describe('a manager whose CRDs come later', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
  const held: Manifest[] = [];
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let fixture: CloneSetFixture;

  const webhookNames = async (): Promise<readonly string[]> => {
    const { webhooks = [] } = (await plane.api.request(configurationPath)) as { readonly webhooks?: readonly { readonly name: string }[] };
    return webhooks.map(({ name }) => name);
  };

  beforeAll(async () => {
    plane = await startInstalledPlane({
      edit: (manifest) => {
        if (!late.includes(manifest.metadata.name)) return manifest;
        held.push(manifest);
        return undefined;
      },
    });
    fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'late');
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir });
    await manager.start();
  });
  afterAll(async () => {
    fixture.client.close();
    await manager.signal('SIGKILL');
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('starts, and serves the other kinds', async () => {
    const names = await webhookNames();
    expect(names).toContain('mnodeimage.kb.io');
    expect(names.filter((name) => name.endsWith('mpod.kb.io'))).toEqual([]);
  });

  it('begins with them as soon as they are there, webhooks included, without a restart', async () => {
    for (const manifest of held) await plane.api.request(crdsPath, { method: 'POST', body: manifest });
    await fixture.eventually(async () => (await webhookNames()).some((name) => name.endsWith('mpod.kb.io')), 'the Pod webhook is called');
    await fixture.apply({ name: 'web', replicas: 2, image: image('1') });
    await fixture.untilRolledOut('web');
    expect(await manager.metrics()).toContain('controller_runtime_reconcile_total{controller="cloneset-controller",result="success"}');
    expect(await manager.metrics()).toContain(
      'workqueue_unfinished_work_seconds{name="cloneset-controller",controller="cloneset-controller"}',
    );
    expect(manager.exits).toEqual([]);
  });

  it('keeps of integers beyond 2^53 what the original keeps, a double, in revisions and Pods, in an update in place and over a restart', async () => {
    const spec = {
      containers: [{ name: 'main', image: image('1') }],
      terminationGracePeriodSeconds: beyond,
      tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -beyond }],
    };
    await fixture.apply({
      name: 'long',
      replicas: 2,
      image: image('1'),
      spec: { template: { metadata: { labels: { app: 'long' } }, spec } },
    });
    await fixture.untilRolledOut('long');
    await fixture.setImage('long', image('2'));
    const { status } = await fixture.untilRolledOut('long');

    const pods = await fixture.pods('long');
    expect(pods.map((pod) => Number(pod.spec.terminationGracePeriodSeconds))).toEqual([kept, kept]);
    expect(pods.map((pod) => Number(pod.spec.tolerations?.find(({ key }) => key === 'k')?.tolerationSeconds))).toEqual([-kept, -kept]);
    expect(pods.map((pod) => pod.status?.containerStatuses?.[0]?.restartCount)).toEqual([1, 1]);
    const { items } = await fixture.client.list(controllerRevisions, { namespace: 'late', labelSelector: 'app=long' });
    expect(items).toHaveLength(2);
    for (const { data } of items) {
      const text = JSON.stringify(data, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
      expect(JSON.parse(text)).toMatchObject({
        spec: { template: { spec: { terminationGracePeriodSeconds: kept, tolerations: [{ tolerationSeconds: -kept }] } } },
      });
    }

    await manager.signal('SIGTERM');
    await manager.start();
    await fixture.patch('long', { spec: { replicas: 3 } });
    const after = await fixture.untilRolledOut('long');
    expect(after.status?.updateRevision).toBe(status?.updateRevision);
    expect((await fixture.pods('long')).map((pod) => pod.metadata.uid)).toEqual(
      expect.arrayContaining(pods.map((pod) => pod.metadata.uid)),
    );
  });

  it('answers request targets that are no URL, and keeps running', async () => {
    expect(await statusOf(manager.ports.health, '//')).toBe(404);
    expect(await manager.isReady()).toBe(true);
  });
});
