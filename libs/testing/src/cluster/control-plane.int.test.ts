import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pod } from '@kruise/objects';
import { clusterFolderVariable } from './component-set.ts';
import { type ControlPlane, startControlPlane, withControlPlane } from './control-plane.ts';
import { processesMarked } from './host/process-identity.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('a control plane alone', () => {
  it('keeps objects through restarts and leaves nothing behind when it is stopped', async () => {
    const plane = await startControlPlane();
    await plane.api.request(configMaps, { method: 'POST', body: { metadata: { name: 'kept' }, data: { a: 'b' } } });
    await plane.killApiServer();
    await expect(plane.api.request('/readyz')).rejects.toThrow();
    await plane.startApiServer();
    await plane.restartEtcd();
    expect(await plane.api.request(`${configMaps}/kept`)).toMatchObject({ data: { a: 'b' } });
    await plane.stop();
    expect(existsSync(plane.dir)).toBe(false);
    expect(processesMarked(clusterFolderVariable, plane.dir)).toEqual([]);
  });

  it('starts with the objects of another one, before its controllers do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'etcd-data-'));
    const etcdData = join(folder, 'data');
    const body = { metadata: { name: 'handed-on' }, data: { a: 'b' } };
    await withControlPlane(async (first) => {
      await first.api.request(configMaps, { method: 'POST', body });
      first.copyEtcd(etcdData);
    });
    const found: unknown[] = [];
    const prepare = async (second: ControlPlane): Promise<void> => {
      found.push(await second.api.request(`${configMaps}/handed-on`), second.components.record('kube-scheduler'));
    };
    await withControlPlane(async () => undefined, { etcdData, prepare, controllers: true });
    expect(found).toEqual([expect.objectContaining({ data: { a: 'b' } }), undefined]);
    rmSync(folder, { recursive: true });
  });

  it('runs beside another one, and each is stopped when the work fails', async () => {
    let dirs: string[] = [];
    const work = withControlPlane((first) =>
      withControlPlane(async (second) => {
        dirs = [first.dir, second.dir];
        expect(first.server).not.toBe(second.server);
        throw new Error('work failed');
      }),
    );
    await expect(work).rejects.toThrow('work failed');
    expect(dirs.map((dir) => existsSync(dir))).toEqual([false, false]);
  });

  it('leaves nothing behind when it cannot start', async () => {
    await expect(startControlPlane({ apiServerFlags: ['--no-such-flag'] })).rejects.toThrow(
      /kube-apiserver has ended; its log [^]*no-such-flag/,
    );
  });
});

describe('simulated nodes', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ controllers: true, simulatedNodes: 2 });
  });
  afterAll(() => plane.stop());

  const pods = '/api/v1/namespaces/default/pods';
  const patch = 'application/strategic-merge-patch+json';
  const podIs = async (name: string, holds: (pod: Pod) => boolean): Promise<Pod> => {
    const deadline = performance.now() + 120_000;
    for (;;) {
      const pod = (await plane.api.request(`${pods}/${name}`)) as Pod;
      if (holds(pod)) return pod;
      if (performance.now() > deadline) throw new Error(`pod did not get there: ${JSON.stringify(pod.status)}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  };
  const isReady = (pod: Pod): boolean => pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;

  it('run a Pod, restart its container on a new image, follow its readiness gate and delete it', async () => {
    const spec = { containers: [{ name: 'main', image: 'nginx:1' }], readinessGates: [{ conditionType: 'example.org/gate' }] };
    await plane.api.request(pods, { method: 'POST', body: { metadata: { name: 'p' }, spec } });
    const running = await podIs('p', (pod) => pod.status?.phase === 'Running');
    expect(isReady(running)).toBe(false);

    const gate = { status: { conditions: [{ type: 'example.org/gate', status: 'True' }] } };
    await plane.api.request(`${pods}/p/status`, { method: 'PATCH', contentType: patch, body: gate });
    const before = (await podIs('p', isReady)).status?.containerStatuses?.[0];

    await plane.api.request(`${pods}/p`, {
      method: 'PATCH',
      contentType: patch,
      body: { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } },
    });
    const after = await podIs('p', (pod) => pod.status?.containerStatuses?.[0]?.restartCount === 1);
    expect(after.status?.containerStatuses?.[0]?.imageID).not.toBe(before?.imageID);
    expect(after.status?.podIP).toBe(running.status?.podIP);

    await plane.api.request(`${pods}/p`, { method: 'DELETE' });
    await expect(podIs('p', () => false)).rejects.toMatchObject({ status: 404 });
  });
});
