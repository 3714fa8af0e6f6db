/** The lease over a half-open connection, against a real API server behind the fault proxy. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { leases, milliseconds, namespaces, seconds } from '@kruise/objects';
import { eventually, startControlPlane, startFaultProxy, type ControlPlane, type FaultProxy } from '@kruise/testing';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { loadClusterConfig } from '../config/load-config.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { LeaderElector } from './leader-elector.ts';

const lease = { namespace: 'half-open', name: 'lease' };
/** Half of it passes before the silent connection is given up. The other half leaves a slow machine time to open another one. */
const renewDeadline = seconds(24);

let plane: ControlPlane;
let proxy: FaultProxy;
let truth: Client;
let client: Client;

beforeAll(async () => {
  plane = await startControlPlane();
  proxy = await startFaultProxy({ kubeconfigPath: plane.kubeconfigPath });
  truth = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'truth' });
  client = createClient(loadClusterConfig({ path: proxy.kubeconfigPath }), { userAgent: 'leader' });
  await truth.create(namespaces, { metadata: { name: lease.namespace } });
});

afterAll(async () => {
  client.close();
  truth.close();
  proxy.dropConnections();
  await proxy.stop();
  await plane.stop();
});

const renewTime = async (): Promise<string> => (await truth.get(leases, lease)).spec?.renewTime ?? '';

it.each([
  { name: 'the connection of the lease', others: 0 },
  { name: 'every open connection', others: 600 },
])('the leadership is kept when $name becomes silent and new ones work', async ({ others }) => {
  const logger = silentLogger();
  const config = { lease, identity: 'me', leaseDuration: seconds(30), renewDeadline, retryPeriod: milliseconds(500) };
  const elector = new LeaderElector(config, { client, clock: new SystemClock(), logger });
  // Many calls at the same time use more than one connection.
  await Promise.all(Array.from({ length: others }, async () => await client.get(leases, lease)));
  const leadership = await elector.acquire(new AbortController().signal);
  const before = await renewTime();
  await eventually(async () => (await renewTime()) !== before);
  const { connections } = proxy;
  proxy.freezeOpen();
  const frozenAt = Date.now();
  await eventually(async () => {
    if (!leadership.isLeading()) throw new Error(`the leadership was lost: ${JSON.stringify(logger.lines)}`);
    return Date.parse(await renewTime()) > frozenAt;
  });
  expect(proxy.connections - connections).toBe(1);
  expect(leadership.isLeading()).toBe(true);
  await leadership.release();
  proxy.dropConnections();
  proxy.thaw();
});
