/**
 * A hot upgrade with a real API server, simulated nodes, and a manager process that is killed at each of its writes to Pods: the server carries
 * out the write, and the process dies before it reads the answer.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sidecarSetAnnotations, sidecarSets, type SidecarSet, type SidecarSetStatus } from '@kruise/api';
import { pods, type Pod } from '@kruise/objects';
import { startFaultProxy, type ControlPlane, type FaultProxy } from '@kruise/testing';
import { CloneSetFixture } from '../../int-tests/fixtures/cloneset-fixture.testing.ts';
import { startInstalledPlane } from '../../int-tests/processes/installed-plane.testing.ts';
import { killAtWrite } from '../../int-tests/processes/kill-at-write.testing.ts';
import { patiently } from '../../int-tests/fixtures/patiently.testing.ts';
import { ManagerProcess } from '../../int-tests/processes/manager-process.testing.ts';
import { aHotSidecar, emptyImage } from '@kruise/kinds/sidecarset/testing';
import { imagesOf } from './cluster.testing.ts';

const app = { app: 'hot' };
const names = ['a', 'b'];

describe('the manager is killed', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
  const opened = new AsyncDisposableStack();
  let plane: ControlPlane;
  let proxy: FaultProxy;
  let manager: ManagerProcess;
  let fixture: CloneSetFixture;

  beforeAll(async () => {
    plane = await startInstalledPlane({ simulatedNodes: 1 });
    opened.defer(() => plane.stop());
    proxy = opened.use(await startFaultProxy({ kubeconfigPath: plane.kubeconfigPath }));
    manager = await ManagerProcess.create({ kubeconfigPath: proxy.kubeconfigPath, dir, flags: ['--enable-leader-election=false'] });
    opened.defer(() => manager.signal('SIGKILL'));
    await manager.start();
    fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'hot');
    opened.defer(() => fixture.client.close());
  });
  afterAll(async () => {
    await opened.disposeAsync();
    rmSync(dir, { recursive: true, force: true });
  });

  const podsOf = async (): Promise<readonly Pod[]> => (await fixture.client.list(pods, { namespace: fixture.namespace })).items;
  const status = async (): Promise<SidecarSetStatus | undefined> => {
    const held = await fixture.client.get(sidecarSets, { namespace: '', name: 'hot' });
    return held.status?.observedGeneration === held.metadata.generation ? held.status : undefined;
  };
  const all = { matchedPods: 2, updatedPods: 2, readyPods: 2, updatedReadyPods: 2 };
  const isDone = async (): Promise<boolean> => {
    const held = await status();
    return Object.entries(all).every(([name, count]) => held?.[name as keyof typeof all] === count);
  };
  const writes = (): number =>
    proxy.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('/namespaces/hot/pods/')).length;

  const path = /\/namespaces\/hot\/pods\//;
  const fault = { kind: 'ResetAfterCommit' } as const;
  const killAtNextWrite = (): Promise<boolean> => killAtWrite({ proxy, manager, path, method: 'PATCH', after: 0, fault, isDone });

  it('at every write of a hot upgrade, and nothing is lost or done twice', async () => {
    // Once this is created the API server has learned where the manager answers.
    await fixture.apply({ name: 'probe', replicas: 0, image: 'app:1' });
    const sidecarSet: SidecarSet = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'SidecarSet',
      metadata: { name: 'hot' },
      spec: { selector: { matchLabels: app }, containers: [aHotSidecar('mesh', 'mesh:1')], updateStrategy: { maxUnavailable: 1 } },
    };
    await patiently(() => fixture.client.create(sidecarSets, sidecarSet));
    const create = (name: string): Promise<Pod> =>
      fixture.client.create(pods, {
        metadata: { namespace: fixture.namespace, name, labels: app },
        spec: { containers: [{ name: 'main', image: 'app:1' }] },
      });
    await fixture.eventually(async () => {
      const tried = await fixture.client.create(
        pods,
        { metadata: { namespace: fixture.namespace, name: 'try', labels: app }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
        { dryRun: true },
      );
      return tried.spec.containers.length === 3;
    }, 'Pods are injected');
    for (const name of names) await create(name);
    await fixture.eventually(isDone, 'the Pods are ready');
    expect(writes()).toBe(0);

    const image = [{ op: 'replace', path: '/spec/containers/0/image', value: 'mesh:2' }];
    await fixture.client.patch(sidecarSets, { namespace: '', name: 'hot' }, image, { type: 'json' });
    let kills = 0;
    while (await killAtNextWrite()) {
      kills++;
      manager.startOnly();
    }
    // For each Pod: its condition, the new image, and the end of the old container.
    expect(kills).toBe(3 * names.length);
    expect(writes()).toBe(3 * names.length);
    const swapped = await podsOf();
    expect(swapped).toHaveLength(names.length);
    for (const pod of swapped) {
      expect(imagesOf(pod)).toEqual([emptyImage, 'mesh:2', 'app:1']);
      expect(pod.metadata.annotations?.[sidecarSetAnnotations.workingHotUpgradeContainer]).toBe('{"mesh":"mesh-2"}');
      expect(pod.status?.containerStatuses?.map(({ name, restartCount }) => [name, restartCount]).toSorted()).toEqual([
        ['main', 0],
        ['mesh-1', 1],
        ['mesh-2', 1],
      ]);
      expect(pod.status?.conditions?.find(({ type }) => type === 'SidecarSetUpgradable')).toMatchObject({
        status: 'True',
        message: '{"hot":true}',
      });
    }
  });
});
