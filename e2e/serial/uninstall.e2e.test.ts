/** `helm uninstall` takes no workload with it, whatever `crds.keep` is, leaves nothing stuck, and the chart can be installed again. */
import { urlPath } from '@kruise/kube';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { labels } from '@kruise/api';
import { customResourceDefinitions, namespaces, type KubeObject } from '@kruise/objects';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { helm, kubectl } from '../support/programs.ts';
import { untilWebhooksAnswer } from '../support/webhooks.ts';
import { images, openFixture } from '../support/fixture.ts';

const chart = join(import.meta.dirname, '../../charts/kruise');
const markerName = 'podprobemarkers.apps.kruise.io';
/** Off from the first install of this test to the second, so that the test of it needs no start of managers of its own. */
const crdGate = 'DeletionProtectionForCRDCascadingGate';

interface Values {
  readonly featureGates: string;
  readonly manager: object;
  readonly crds?: object;
}

describe('an uninstall', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-uninstall-'));
  const valuesFile = join(dir, 'values.json');
  const withoutCrdGate = join(dir, 'without-crd-gate.json');
  let fixture: CloneSetFixture;
  let isInstalled = true;

  const install = async (values: string): Promise<void> => {
    await helm('install', 'kruise', chart, '--namespace', 'default', '-f', values, '--wait', '--timeout', '300s');
    isInstalled = true;
  };
  const crds = async (): Promise<readonly string[]> =>
    (await kubectl('get', 'crd', '-o', 'name')).split('\n').filter((name) => name.endsWith('.kruise.io'));

  beforeAll(async () => {
    fixture = await openFixture('uninstall');
    const found = JSON.parse(await helm('get', 'values', 'kruise', '--namespace', 'default', '-o', 'json')) as Values;
    const values: Values = { ...found, crds: { ...found.crds, keep: false }, manager: { ...found.manager, extraArgs: [] } };
    const featureGates = values.featureGates.replace(`${crdGate}=true`, `${crdGate}=false`);
    writeFileSync(valuesFile, JSON.stringify(values));
    writeFileSync(withoutCrdGate, JSON.stringify({ ...values, featureGates }));
    await fixture.apply({ name: 'web', replicas: 1, image: images.first });
    await fixture.untilRolledOut('web');
    const marker = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'PodProbeMarker',
      metadata: { name: 'marker', namespace: 'uninstall' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        probes: [{ name: 'up', containerName: 'main', probe: { exec: { command: ['true'] } }, podConditionType: 'example.org/up' }],
      },
    };
    await fixture.client.raw(urlPath`/apis/apps.kruise.io/v1alpha1/namespaces/uninstall/podprobemarkers`, { method: 'POST', body: marker });
  });
  afterAll(async () => {
    if (!isInstalled) await install(valuesFile);
    await fixture.client.delete(namespaces, { namespace: '', name: 'uninstall' }, { propagationPolicy: 'Background' });
    fixture.client.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('leaves CRDs, CloneSets and their containers, and the next install takes them over as they are', async () => {
    const seen = async (): Promise<readonly unknown[]> =>
      (await fixture.pods('web')).map(({ metadata, status }) => [
        metadata.uid,
        status?.containerStatuses?.map(({ containerID, restartCount }) => [containerID, restartCount]),
      ]);
    const before = [await seen(), await fixture.revisions('web')];
    await helm('uninstall', 'kruise', '--namespace', 'default', '--wait', '--timeout', '300s');
    isInstalled = false;
    for (const name of ['kruise-system', 'kruise-daemon-config', 'kruise-daemon'])
      await kubectl('wait', '--for=delete', `namespace/${name}`, '--timeout=180s');
    expect(await crds()).toHaveLength(18);
    expect([await seen(), await fixture.revisions('web')]).toEqual(before);
    await install(withoutCrdGate);
    await untilWebhooksAnswer(fixture);
    await fixture.apply({ name: 'next', replicas: 1, image: images.first });
    await fixture.untilRolledOut('next');
    expect([await seen(), await fixture.revisions('web')]).toEqual(before);
    await fixture.remove('next');
  });

  it('is refused without crds.keep while there are CloneSets, and nothing is deleted', async () => {
    const [pod] = await fixture.pods('web');
    await expect(helm('uninstall', 'kruise', '--namespace', 'default')).rejects.toThrow(/kruise-finalizer not ready\. status: Failed/);
    expect(await kubectl('-n', 'kruise-system', 'logs', 'job/kruise-finalizer')).toContain(
      'there still exists some clonesets in the cluster',
    );
    expect(await crds()).toHaveLength(18);
    expect((await fixture.pods('web')).map(({ metadata }) => metadata.uid)).toEqual([pod?.metadata.uid]);
    expect(await kubectl('-n', 'kruise-system', 'get', 'deployment/kruise-controller-manager', '-o', 'name')).toContain('deployment');
  });

  it('with the gate for CRDs alone off, one that is labelled Cascading stays, and the message names the gate (deletion protection 4)', async () => {
    const name = 'toys.uninstall.example.org';
    const key = { namespace: '', name };
    const schema = { openAPIV3Schema: { type: 'object' } };
    await fixture.client.create(customResourceDefinitions, {
      metadata: { name, labels: { [labels.deleteProtection]: 'Cascading' } },
      spec: {
        group: 'uninstall.example.org',
        scope: 'Namespaced',
        names: { plural: 'toys', singular: 'toy', kind: 'Toy' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    } as KubeObject);
    const refusal = (): Promise<string> =>
      fixture.client.delete(customResourceDefinitions, key).then(
        () => 'none',
        (error: Error) => error.message,
      );
    expect(await refusal()).toContain(`feature-gate ${crdGate} is not enabled`);
    await fixture.client.patch(customResourceDefinitions, key, { metadata: { labels: null } }, { type: 'merge' });
    expect(await refusal()).toBe('none');
  });

  it('takes everything away once there are none, what has a finalizer included', async () => {
    await fixture.remove('web');
    // Those of other tests may still be terminating.
    await fixture.eventually(
      async () =>
        (await kubectl('get', 'clonesets,statefulsets.apps.kruise.io,daemonsets.apps.kruise.io', '-A', '-o', 'name')).trim() === '',
      'no workload of ours is left',
    );
    const held = await kubectl('get', 'podprobemarkers', '-A', '-o', 'jsonpath={.items[*].metadata.finalizers}');
    expect(held).toContain('kruise.io/node-pod-probe-cleanup');
    await helm('uninstall', 'kruise', '--namespace', 'default', '--wait', '--timeout', '300s');
    isInstalled = false;
    await fixture.eventually(async () => (await crds()).length === 0, `the CRDs are gone, ${markerName} too`);
    for (const name of ['kruise-system', 'kruise-daemon-config', 'kruise-daemon'])
      await kubectl('wait', '--for=delete', `namespace/${name}`, '--timeout=180s');
    expect(await kubectl('get', 'clusterrole,clusterrolebinding,mutatingwebhookconfiguration', '-o', 'name')).not.toContain('kruise');
  });

  it('can be followed by an install', async () => {
    await install(valuesFile);
    await untilWebhooksAnswer(fixture);
    await fixture.apply({ name: 'again', replicas: 1, image: images.first });
    await fixture.untilRolledOut('again');
    await fixture.remove('again');
  });
});
