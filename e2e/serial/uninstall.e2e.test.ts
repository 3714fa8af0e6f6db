/** `helm uninstall` takes no workload with it, leaves nothing stuck, and the chart can be installed again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { namespaces } from '@kruise/objects';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/cloneset-world.testing.ts';
import { helm, kubectl } from '../support/programs.ts';
import { images, openWorld } from '../support/world.ts';

const chart = join(import.meta.dirname, '../../charts/kruise');
const markerName = 'podprobemarkers.apps.kruise.io';

describe('an uninstall', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-uninstall-'));
  const valuesFile = join(dir, 'values.json');
  let world: CloneSetWorld;
  let isInstalled = true;

  const install = async (): Promise<void> => {
    await helm('install', 'kruise', chart, '--namespace', 'default', '-f', valuesFile, '--wait', '--timeout', '150s');
    isInstalled = true;
  };
  const crds = async (): Promise<readonly string[]> =>
    (await kubectl('get', 'crd', '-o', 'name')).split('\n').filter((name) => name.endsWith('.kruise.io'));

  beforeAll(async () => {
    world = await openWorld('uninstall');
    writeFileSync(valuesFile, await helm('get', 'values', 'kruise', '--namespace', 'default', '-o', 'json'));
    await world.apply({ name: 'web', replicas: 1, image: images.first });
    await world.untilRolledOut('web');
    const marker = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'PodProbeMarker',
      metadata: { name: 'marker', namespace: 'uninstall' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        probes: [{ name: 'up', containerName: 'main', probe: { exec: { command: ['true'] } }, podConditionType: 'example.org/up' }],
      },
    };
    await world.client.raw('/apis/apps.kruise.io/v1alpha1/namespaces/uninstall/podprobemarkers', { method: 'POST', body: marker });
  });
  afterAll(async () => {
    if (!isInstalled) await install();
    await world.client.delete(namespaces, { namespace: '', name: 'uninstall' }, { propagationPolicy: 'Background' });
    world.client.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('is refused while there are CloneSets, and nothing is deleted', async () => {
    const [pod] = await world.pods('web');
    await expect(helm('uninstall', 'kruise', '--namespace', 'default')).rejects.toThrow(
      /job kruise-finalizer failed: BackoffLimitExceeded/,
    );
    expect(await kubectl('-n', 'kruise-system', 'logs', 'job/kruise-finalizer')).toContain(
      'there still exists some clonesets in the cluster',
    );
    expect(await crds()).toHaveLength(18);
    expect((await world.pods('web')).map(({ metadata }) => metadata.uid)).toEqual([pod?.metadata.uid]);
    expect(await kubectl('-n', 'kruise-system', 'get', 'deployment/kruise-controller-manager', '-o', 'name')).toContain('deployment');
  });

  it('takes everything away once there are none, what has a finalizer included', async () => {
    await world.remove('web');
    // Those of other tests may still be on their way out.
    await world.eventually(
      async () =>
        (await kubectl('get', 'clonesets,statefulsets.apps.kruise.io,daemonsets.apps.kruise.io', '-A', '-o', 'name')).trim() === '',
      'no workload of ours is left',
    );
    const held = await kubectl('get', 'podprobemarkers', '-A', '-o', 'jsonpath={.items[*].metadata.finalizers}');
    expect(held).toContain('kruise.io/node-pod-probe-cleanup');
    await helm('uninstall', 'kruise', '--namespace', 'default', '--wait', '--timeout', '120s');
    isInstalled = false;
    await world.eventually(async () => (await crds()).length === 0, `the CRDs are gone, ${markerName} too`);
    for (const name of ['kruise-system', 'kruise-daemon-config', 'kruise-daemon'])
      await kubectl('wait', '--for=delete', `namespace/${name}`, '--timeout=60s');
    expect(await kubectl('get', 'clusterrole,clusterrolebinding,mutatingwebhookconfiguration', '-o', 'name')).not.toContain('kruise');
  });

  it('can be followed by an install', async () => {
    await install();
    await world.apply({ name: 'again', replicas: 1, image: images.first });
    await world.untilRolledOut('again');
    await world.remove('again');
  });
});
