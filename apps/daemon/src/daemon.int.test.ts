/** The whole program as a process, with a real API server and a scripted runtime. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptedRuntime } from '@kruise/cri/testing';
import { coreEvents, createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { pods, type Pod } from '@kruise/objects';
import { metadataEnvHash, runtimeMetaOf } from '@kruise/pods';
import { expositionFault, startControlPlane, staysTrue, type ControlPlane } from '@kruise/testing';
import { DaemonProcess, freePort, installKinds, until, type DaemonSetup } from './daemon-process.testing.ts';
import { aNodePod, app, node, runContainer, type PodShape } from './testing.ts';

let plane: ControlPlane;
let client: Client;
let root: string;
let runtime: ScriptedRuntime;
let count = 0;
const daemons: DaemonProcess[] = [];

beforeAll(async () => {
  plane = await startControlPlane({});
  client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-test' });
  await installKinds(client);
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'daemon-'));
  runtime = new ScriptedRuntime({ socket: join(root, 'containerd.sock') });
});
afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.signal('SIGKILL');
  await runtime.stop();
  rmSync(root, { recursive: true, force: true });
});
afterAll(async () => {
  client?.close();
  await plane.stop();
});

function launch(setup: Pick<DaemonSetup, 'address' | 'variables' | 'flags'>): DaemonProcess {
  const daemon = new DaemonProcess({ ...setup, root, kubeconfig: plane.kubeconfigPath });
  daemons.push(daemon);
  return daemon;
}

const start = async (
  flags: readonly string[] = [],
  variables: Readonly<Record<string, string>> = { NODE_NAME: node },
): Promise<DaemonProcess> => launch({ address: `127.0.0.1:${await freePort()}`, variables, flags });

const ready = (daemon: DaemonProcess, path = '/readyz'): Promise<true> =>
  until(`${path} is ok`, async () => ((await daemon.ask(path))[0] === 200 ? true : undefined));

/** Returns a Pod of the node with its running container. */
async function aRunningPod(shape: PodShape = {}): Promise<Pod> {
  const wanted = aNodePod({ ...shape, name: `pod-${++count}` });
  const { uid: _, ...metadata } = wanted.metadata;
  const created = await client.create(pods, { ...wanted, metadata });
  runContainer(runtime, created);
  return client.updateStatus(pods, { ...created, status: wanted.status ?? {} });
}

const keyOf = (pod: Pod) => ({ namespace: 'default', name: pod.metadata.name });
const reported = (pod: Pod) =>
  until(`meta of ${pod.metadata.name}`, async () => {
    const seen = await client.get(pods, keyOf(pod));
    return runtimeMetaOf(seen) === undefined ? undefined : seen;
  });

describe('the daemon', () => {
  it('is healthy within 10 s, requests the version once and reports what runs', async () => {
    await runtime.start();
    const daemon = await start();
    await ready(daemon);
    expect(await daemon.ask('/healthz')).toEqual([200, 'ok']);
    expect(runtime.callsOf('Version')).toHaveLength(1);
    const seen = await reported(await aRunningPod());
    expect(runtimeMetaOf(seen)).toMatchObject([
      { name: 'app', containerID: 'containerd://app-1', metadataEnvHash: metadataEnvHash(app, seen.metadata) },
    ]);
    // The daemon counts a report once it has the answer, when others see the report already.
    for (const name of [
      'workqueue_depth{name="runtime_container_meta"}',
      'workqueue_unfinished_work_seconds{name="runtime_container_meta_restarter"}',
      'kruise_reconciles_held_back_total{controller="runtime_container_meta"} 0',
      'rest_client_requests_total{',
      'process_resident_memory_bytes',
      'kruise_daemon_container_meta_reports_total 1',
      'kruise_daemon_runtime_info{name="containerd"',
    ]) {
      await until(`${name} in the metrics`, async () => ((await daemon.metrics()).includes(name) ? true : undefined));
    }
    expect(await expositionFault(await daemon.metrics())).toBe('');
  });

  it('keeps running without a runtime, reports why it has none, and continues when one appears, disappears and is replaced', async () => {
    const daemon = await start();
    await ready(daemon, '/healthz');
    const [status, body] = await until('an answer', async () => {
      const answer = await daemon.ask('/readyz');
      return answer[1].includes('crio/crio.sock: does not exist') ? answer : undefined;
    });
    expect([status, body]).toEqual([
      500,
      expect.stringMatching(/^check containerRuntime failed, err: no container runtime: .*containerd\.sock: does not exist/),
    ]);
    await runtime.start();
    await ready(daemon);
    await reported(await aRunningPod());
    await runtime.stop();
    const meanwhile = await aRunningPod();
    await until('the daemon misses its runtime', async () => ((await daemon.ask('/readyz'))[0] === 500 ? true : undefined));
    await runtime.start();
    await reported(meanwhile);
    expect(await daemon.ask('/healthz')).toEqual([200, 'ok']);
  });

  it('restarts a container whose variable an in-place update changed, once', async () => {
    await runtime.start();
    await ready(await start());
    const pod = await reported(await aRunningPod());
    runtime.calls.splice(0);
    const condition = { status: { conditions: [{ type: 'InPlaceUpdateReady', status: 'False' }] } };
    await client.patch(pods, keyOf(pod), condition, { type: 'strategic', subresource: 'status' });
    await client.patch(pods, keyOf(pod), { metadata: { annotations: { cfg: 'two' } } }, { type: 'strategic' });
    await until('a stop', async () => (runtime.callsOf('StopContainer').length > 0 ? true : undefined));
    await staysTrue('it is stopped once', () => runtime.callsOf('StopContainer').length === 1, 5000);
    expect(runtime.callsOf('StopContainer')).toEqual([{ containerId: 'app-1', timeout: '30' }]);
    await until('the event', async () => {
      const { items } = await client.list(coreEvents, { namespace: 'default', fieldSelector: 'reason=Killing' });
      return items.some(({ message }) => message === 'Stopping containerID containerd://app by container meta restarter')
        ? true
        : undefined;
    });
  });

  it('ends with 0 at SIGTERM', async () => {
    await runtime.start();
    const daemon = await start();
    await ready(daemon);
    await daemon.signal('SIGTERM');
    expect(daemon.exits).toEqual(['code 0']);
    expect(daemon.log).toContain('Stopped kruise-daemon');
  });

  it('ends with 1 when its address is in use or NODE_NAME is missing, and never listens then', async () => {
    const first = createServer().listen(0, '127.0.0.1');
    await once(first, 'listening');
    const address = `127.0.0.1:${(first.address() as AddressInfo).port}`;
    const second = launch({ address });
    expect(await second.ended).toBe('code 1');
    expect(second.log).toContain(`--addr=${address}: listen EADDRINUSE`);
    first.close();
    const nameless = await start([], {});
    expect(await nameless.ended).toBe('code 1');
    expect(nameless.log).toBe('NODE_NAME is not set: it must be the name of the node, from spec.nodeName of the Pod\n');
  });

  it('reports no container meta when the gate DaemonWatchingPod is off', async () => {
    await runtime.start();
    const daemon = await start(['--feature-gates=DaemonWatchingPod=false']);
    await ready(daemon);
    const pod = await aRunningPod();
    const isUnreported = async (): Promise<boolean> => runtimeMetaOf(await client.get(pods, keyOf(pod))) === undefined;
    await staysTrue('nothing is reported', isUnreported, 2500);
    expect(await isUnreported()).toBe(true);
  });
});
