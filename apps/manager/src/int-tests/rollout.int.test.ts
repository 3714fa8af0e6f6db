/** The manager as a process, with its webhooks called by a real API server, rolls out workloads on simulated nodes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '@kruise/testing';
import { CloneSetFixture } from './fixtures/cloneset-fixture.testing.ts';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';
import { broadcastJobsOnNodes, daemonSetsOnNodes } from './node-scenarios.testing.ts';

const image = (tag: string): string => `registry.example/app:${tag}`;

describe('a manager process', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;

  beforeAll(async () => {
    plane = await startInstalledPlane();
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir });
    await manager.start();
  });
  afterAll(async () => {
    await manager.signal('SIGKILL');
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('creates, updates in place and scales to zero', async () => {
    const fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'rollout');
    await fixture.apply({ name: 'web', replicas: 5, image: image('1') });
    await fixture.untilRolledOut('web');
    const before = await fixture.pods('web');
    expect(before).toHaveLength(5);

    await fixture.setImage('web', image('2'));
    await fixture.untilRolledOut('web');
    const after = await fixture.pods('web');
    expect(after.map((pod) => pod.metadata.uid)).toEqual(before.map((pod) => pod.metadata.uid));
    expect(after.map((pod) => pod.spec.containers[0]?.image)).toEqual(Array.from({ length: 5 }, () => image('2')));
    expect(after.map((pod) => pod.status?.containerStatuses?.[0]?.restartCount)).toEqual([1, 1, 1, 1, 1]);

    await fixture.patch('web', { spec: { replicas: 0 } });
    await fixture.until('web', ({ status }) => status?.replicas === 0);
    expect(await fixture.pods('web')).toEqual([]);
    fixture.client.close();
  });

  daemonSetsOnNodes(() => plane.kubeconfigPath);
  broadcastJobsOnNodes(() => plane.kubeconfigPath);

  it('stops cleanly at SIGTERM', async () => {
    await manager.signal('SIGTERM');
    expect(manager.exits).toEqual(['code 0']);
  });
});
