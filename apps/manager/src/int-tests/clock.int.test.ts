/** The manager's clock is an hour off: its certificate must be taken, and whatever has to wait for that says so. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unlessDeleted } from '@kruise/kube';
import { secrets } from '@kruise/objects';
import type { ControlPlane } from '@kruise/testing';
import { CloneSetFixture } from './fixtures/cloneset-fixture.testing.ts';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';
import { withClock } from './processes/other-clock.testing.ts';

const image = (tag: string): string => `registry.example/app:${tag}`;
const hour = 3_600_000;

let dir: string;
let tests = 0;
let plane: ControlPlane;
let fixture: CloneSetFixture;
let manager: ManagerProcess | undefined;

/** Starts a manager whose clock is this much ahead, in place of the one before. */
async function startManager(offsetMs: number): Promise<void> {
  await manager?.signal('SIGKILL');
  const flags = ['--enable-leader-election=false'];
  manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags, env: withClock(dir, offsetMs) });
  await manager.start();
}

beforeAll(async () => void (plane = await startInstalledPlane()));
afterAll(() => plane.stop());
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kruise-clock-'));
  fixture = await CloneSetFixture.create(plane.kubeconfigPath, `clock-${++tests}`);
});
afterEach(async () => {
  await manager?.signal('SIGKILL');
  manager = undefined;
  // The next manager makes certificates by its own clock.
  await unlessDeleted(fixture.client.delete(secrets, { namespace: 'kruise-system', name: 'kruise-webhook-certs' }));
  fixture.client.close();
  rmSync(dir, { recursive: true, force: true });
});

const restarts = async (name: string): Promise<readonly (number | undefined)[]> =>
  (await fixture.pods(name)).map((pod) => pod.status?.containerStatuses?.[0]?.restartCount);

describe('a manager whose clock is an hour', () => {
  it.each([
    ['ahead', hour],
    ['behind', -hour],
  ])('%s creates Pods and updates them in place, with a grace period, once', async (_, offsetMs) => {
    await startManager(offsetMs);
    const rollingUpdate = { maxUnavailable: 2, inPlaceUpdateStrategy: { gracePeriodSeconds: 1 } };
    await fixture.apply({ name: 'web', replicas: 3, image: image('1'), rollingUpdate });
    await fixture.untilRolledOut('web');
    await fixture.setImage('web', image('2'));
    await fixture.untilRolledOut('web');
    expect(await restarts('web')).toEqual([1, 1, 1]);
    expect((await fixture.get('web')).status?.conditions ?? []).toEqual([]);
  });

  it('behind reports the clock if it has to wait for it, and one with the right clock continues', async () => {
    await startManager(-hour);
    await fixture.apply({ name: 'web', replicas: 2, image: image('1'), spec: { minReadySeconds: 1 } });
    const isSkewed = ({ reason }: { readonly reason?: string }): boolean => reason === 'ClockSkew';
    const { status } = await fixture.until('web', (seen) => seen.status?.replicas === 2 && seen.status.conditions?.some(isSkewed) === true);
    expect(status).toMatchObject({ availableReplicas: 0 });
    await startManager(0);
    const done = await fixture.untilRolledOut('web');
    expect(done.status?.conditions ?? []).toEqual([]);
  });
});
