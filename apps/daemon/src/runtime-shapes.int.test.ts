/** The whole program with runtimes other than containerd: their sockets, and how it behaves when these appear, disappear and misbehave. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { nodeImages, type ImageTagStatus } from '@kruise/api';
import { crioShape, criDockerdShape, ScriptedRuntime, type RuntimeShape } from '@kruise/cri/testing';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { pods, type Pod } from '@kruise/objects';
import { metadataEnvHash, runtimeMetaOf } from '@kruise/pods';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import { DaemonProcess, freePort, installKinds, until } from './daemon-process.testing.ts';
import { aTag, images } from './images/fixture.testing.ts';
import { aNodePod, app, node, runContainer } from './testing.ts';

const key = { namespace: '', name: node };
const digest = `sha256:${'d'.repeat(64)}`;
let plane: ControlPlane;
let client: Client;
let root: string;
let daemon: DaemonProcess | undefined;
let count = 0;
const started: ScriptedRuntime[] = [];

beforeAll(async () => {
  plane = await startControlPlane({});
  client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-test' });
  await installKinds(client);
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'shapes-'));
});
afterEach(async () => {
  await daemon?.signal('SIGKILL');
  for (const runtime of started.splice(0)) await runtime.stop();
  await client.delete(nodeImages, key).catch(() => undefined);
  rmSync(root, { recursive: true, force: true });
});
afterAll(async () => {
  client?.close();
  await plane.stop();
});

function runtimeAt(shape: RuntimeShape, path: string): ScriptedRuntime {
  const socket = join(root, path);
  mkdirSync(dirname(socket), { recursive: true });
  const runtime = new ScriptedRuntime({ socket, shape });
  started.push(runtime);
  return runtime;
}

async function launch(...flags: readonly string[]): Promise<DaemonProcess> {
  daemon = new DaemonProcess({ address: `127.0.0.1:${await freePort()}`, root, kubeconfig: plane.kubeconfigPath, flags });
  return daemon;
}

const answers = (asked: DaemonProcess, path: string, code: number, text: string): Promise<true> =>
  until(`${path} is ${code} with ${text}`, async () => {
    const [found, body] = await asked.ask(path);
    return found === code && body.includes(text) ? true : undefined;
  });

async function ask(image: string, ...tags: readonly string[]): Promise<void> {
  const spec = { images: images({ [image]: tags.map((tag) => aTag(tag)) }) };
  await client
    .patch(nodeImages, key, { spec }, { type: 'merge' })
    .catch(() => client.create(nodeImages, { metadata: { name: node }, spec }));
}

const ended = (image: string, tag: string): Promise<ImageTagStatus> =>
  until(`${image} ${tag} is done`, async () => {
    const { status } = await client.get(nodeImages, key);
    return status?.imageStatuses?.[image]?.tags.find((entry) => entry.tag === tag && entry.completionTime !== undefined);
  });

/** Returns a Pod of the node whose container the runtime has created. */
async function aRunningPod(runtime: ScriptedRuntime): Promise<Pod> {
  const wanted = aNodePod({ name: `pod-${++count}`, ids: { app: `${runtime.shape.name}://app-1` } });
  const { uid: _, ...metadata } = wanted.metadata;
  const created = await client.create(pods, { ...wanted, metadata });
  runContainer(runtime, created);
  return client.updateStatus(pods, { ...created, status: wanted.status ?? {} });
}

const reported = (pod: Pod): Promise<Pod> =>
  until(`meta of ${pod.metadata.name}`, async () => {
    const seen = await client.get(pods, { namespace: 'default', name: pod.metadata.name });
    return runtimeMetaOf(seen) === undefined ? undefined : seen;
  });

describe.each([crioShape, criDockerdShape].map((shape) => [shape.name, shape] as const))('beside %s', (name, shape) => {
  it('the daemon finds it late, pulls by tag and digest, reports what runs, and continues at another path after an outage', async () => {
    const [usual, other = ''] = shape.sockets;
    const asked = await launch();
    await answers(asked, '/readyz', 500, `${usual}: does not exist`);
    const runtime = runtimeAt(shape, usual);
    await runtime.start();
    await answers(asked, '/readyz', 200, 'ok');
    await answers(asked, '/metrics', 200, `kruise_daemon_runtime_info{name="${name}",version="${shape.version}"`);

    await ask('nginx', '1.25', digest);
    expect(await ended('nginx', '1.25')).toMatchObject({ phase: 'Succeeded', imageID: `nginx@${shape.imageOf('nginx:1.25').id}` });
    expect(await ended('nginx', digest)).toMatchObject({ phase: 'Succeeded' });
    const seen = await reported(await aRunningPod(runtime));
    expect(runtimeMetaOf(seen)).toMatchObject([{ containerID: `${name}://app-1`, metadataEnvHash: metadataEnvHash(app, seen.metadata) }]);

    // Another server answers, and then none: images that are requested meanwhile are pulled by the next one.
    await runtime.serveGarbage();
    await ask('redis', '7');
    await sleep(500);
    await runtime.stop();
    const next = runtimeAt(shape, other);
    await next.start();
    expect(await ended('redis', '7')).toMatchObject({ phase: 'Succeeded' });
    await reported(await aRunningPod(next));
    expect(asked.log).not.toMatch(/unhandled|uncaught/i);
  });

  it('the daemon waits for slow answers, and its other work continues', async () => {
    const runtime = runtimeAt(shape, shape.sockets[0]);
    runtime.on('ListImages', async () => {
      await sleep(1500);
      return { images: [] };
    });
    await runtime.start();
    const asked = await launch();
    await answers(asked, '/readyz', 200, 'ok');
    await ask('nginx', '1.25');
    await reported(await aRunningPod(runtime));
    expect(await ended('nginx', '1.25')).toMatchObject({ phase: 'Succeeded' });
  });
});

describe('without any runtime', () => {
  it('the daemon keeps running, and when it is stopped it ends with 1 and every scanned path', async () => {
    const asked = await launch();
    await answers(asked, '/readyz', 500, 'containerd.sock: does not exist');
    expect(await asked.ask('/healthz')).toEqual([200, 'ok']);
    await asked.signal('SIGTERM');
    expect(asked.exits).toEqual(['code 1']);
    const places = [...crioShape.sockets, ...criDockerdShape.sockets, 'containerd.sock', 'containerd/containerd.sock'];
    for (const place of places) expect(asked.log).toContain(`${join(root, place)}: does not exist`);
    expect(asked.log).toContain('stopped without having found a container runtime');
  });
});
