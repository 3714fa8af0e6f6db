/** The whole agent as a process that is killed in the middle of a stop, with a real API server and a scripted runtime. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { containerRecreateRequests, type ContainerRecreateRequest } from '@kruise/api';
import { ScriptedRuntime } from '@kruise/cri/testing';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import { DaemonProcess, freePort, installKinds, until } from '../daemon-process.testing.ts';
import { aNodePod, runContainer } from '../testing.ts';
import { aRequest } from './testing.ts';

const container = { name: 'app', image: 'app:1' };
const pod = aNodePod({ containers: [container] });

let plane: ControlPlane;
let client: Client;
let root: string;
let runtime: ScriptedRuntime;
let daemon: DaemonProcess;
let number = 0;
/** Ids of the instances that ended. */
let ended: string[] = [];

beforeAll(async () => {
  plane = await startControlPlane({});
  client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-test' });
  await installKinds(client);
});
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'recreate-'));
  runtime = new ScriptedRuntime({ socket: join(root, 'containerd.sock') });
  await runtime.start();
  ended = [];
  runContainer(runtime, pod, { id: 'app-1', spec: container });
});
afterEach(async () => {
  await daemon.signal('SIGKILL');
  await runtime.stop();
  rmSync(root, { recursive: true, force: true });
});
afterAll(async () => {
  client?.close();
  await plane.stop();
});

async function startDaemon(): Promise<void> {
  daemon = new DaemonProcess({ address: `127.0.0.1:${await freePort()}`, root, kubeconfig: plane.kubeconfigPath });
}

/** Ends a container as the runtime does when it is asked to stop it. */
function end(id: string): void {
  const held = runtime.containers.get(id);
  if (held?.state !== 'CONTAINER_RUNNING') return;
  runtime.containers.set(id, { ...held, state: 'CONTAINER_EXITED' });
  ended.push(id);
}

/** Creates the second instance as the kubelet does. */
const restart = (): void =>
  void runContainer(runtime, pod, { id: 'app-2', spec: container, restartCount: 1, createdAt: `${Date.now()}000000` });

async function ask(forceRecreate: boolean): Promise<string> {
  const name = `crr-${++number}`;
  const { uid: _, resourceVersion: __, ...metadata } = aRequest({ name }).metadata;
  await client.create(containerRecreateRequests, { ...aRequest({ name, strategy: { forceRecreate } }), metadata });
  return name;
}
const read = (name: string): Promise<ContainerRecreateRequest> => client.get(containerRecreateRequests, { namespace: 'default', name });
const untilStatus = (
  name: string,
  holds: (status: ContainerRecreateRequest['status']) => boolean,
): Promise<ContainerRecreateRequest['status']> =>
  until(`request ${name}`, async () => {
    const { status } = await read(name);
    return holds(status) ? status : undefined;
  });

async function tellOfRestart(name: string): Promise<void> {
  const containerStatusSnapshot = [{ name: 'app', ready: true, restartCount: 1, containerID: 'containerd://app-2' }];
  const patch = { status: { containerStatusSnapshot } };
  await client.patch(containerRecreateRequests, { namespace: 'default', name }, patch, { type: 'merge', subresource: 'status' });
}

describe('an agent that is killed while a container is being stopped', () => {
  it.each<{ name: string; force: boolean; isStopped: boolean }>([
    { name: 'before the runtime has', force: false, isStopped: false },
    { name: 'after the runtime has, and the kubelet was faster than the next agent', force: false, isStopped: true },
    { name: 'before the runtime has, by force', force: true, isStopped: false },
    { name: 'after the runtime has, by force, and the kubelet was faster', force: true, isStopped: true },
  ])('$name: the container is stopped once', async ({ force, isStopped }) => {
    let isFirst = true;
    runtime.on('StopContainer', async ({ containerId }: { containerId: string }) => {
      if (!isFirst) {
        end(containerId);
        return {};
      }
      isFirst = false;
      if (isStopped) end(containerId);
      await daemon.signal('SIGKILL');
      if (isStopped) restart();
      await startDaemon();
      return {};
    });
    await startDaemon();
    const name = await ask(force);
    await untilStatus(name, (status) => status?.containerRecreateStates?.[0]?.isKilled === true);
    if (!isStopped) restart();
    await tellOfRestart(name);
    const status = await untilStatus(name, (seen) => seen?.phase === 'Completed');
    expect(status?.containerRecreateStates).toEqual([{ name: 'app', phase: 'Succeeded', isKilled: true }]);
    expect(ended).toEqual(['app-1']);
    expect(runtime.containers.get('app-2')?.state).toBe('CONTAINER_RUNNING');
  });
});
