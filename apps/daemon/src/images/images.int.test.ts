/** The daemon as a process with a real API server and a scripted runtime: its writes are accepted, and it may be killed at any time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeImages, type NodeImage } from '@kruise/api';
import { ScriptedRuntime } from '@kruise/cri/testing';
import { coreEvents, createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { namespaces, secrets } from '@kruise/objects';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import { DaemonProcess, freePort, installKinds, until } from '../daemon-process.testing.ts';
import { node } from '../testing.ts';
import { aTag, dockerConfig, images } from './fixture.testing.ts';

const key = { namespace: '', name: node };
let plane: ControlPlane;
let client: Client;
let root: string;
let runtime: ScriptedRuntime;
const daemons: DaemonProcess[] = [];

beforeAll(async () => {
  plane = await startControlPlane({});
  client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-test' });
  root = mkdtempSync(join(tmpdir(), 'images-'));
  runtime = new ScriptedRuntime({ socket: join(root, 'containerd.sock') });
  await runtime.start();
});
afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.signal('SIGKILL');
});
afterAll(async () => {
  client?.close();
  await runtime.stop();
  rmSync(root, { recursive: true, force: true });
  await plane.stop();
});

async function start(...flags: readonly string[]): Promise<DaemonProcess> {
  const daemon = new DaemonProcess({ address: `127.0.0.1:${await freePort()}`, root, kubeconfig: plane.kubeconfigPath, flags });
  daemons.push(daemon);
  return daemon;
}

async function ask(spec: NodeImage['spec']): Promise<void> {
  await client.delete(nodeImages, key).catch(() => undefined);
  await client.create(nodeImages, { metadata: { name: node }, spec });
  runtime.images.clear();
  runtime.calls.splice(0);
}

const settled = (count: number) =>
  until(`${count} images are settled`, async () => {
    const { status } = await client.get(nodeImages, key);
    return (status?.succeeded ?? 0) + (status?.failed ?? 0) === count ? status : undefined;
  });

describe('the image part of the daemon', () => {
  it('fails /healthz by name until the first list of NodeImages is complete', async () => {
    const daemon = await start();
    const body = await until('an answer', async () => {
      const [code, text] = await daemon.ask('/healthz');
      return code === 500 && text.includes('nodeImage') ? text : undefined;
    });
    expect(body).toBe('check nodeImageInformerSynced failed, err: not synced');
    await installKinds(client);
    await until('/healthz is ok', async () => ((await daemon.ask('/healthz'))[0] === 200 ? true : undefined));
  });

  it('pulls with a secret that it reads by name, and writes a status that the API server accepts', async () => {
    const namespace = 'kruise-daemon-config';
    await client.create(namespaces, { metadata: { name: namespace } });
    const data = { '.dockerconfigjson': Buffer.from(dockerConfig({ 'r.io': ['user', 'pass'] })).toString('base64') };
    await client.create(secrets, { metadata: { name: 's', namespace }, type: 'kubernetes.io/dockerconfigjson', data });
    await start('--max-workers-for-pull-image=2');
    const pullSecrets = [{ namespace, name: 's', mode: 'batch' }];
    await ask({ images: { 'r.io/app': { tags: [aTag('1', { version: 4 })], pullSecrets }, 'Bad//': { tags: [aTag('1')] } } });
    const status = await settled(2);
    expect(status.imageStatuses?.['r.io/app']?.tags).toEqual([
      expect.objectContaining({
        tag: '1',
        phase: 'Succeeded',
        version: 4,
        progress: 100,
        imageID: expect.stringMatching(/^r\.io\/app@sha256:/),
      }),
    ]);
    expect(status.imageStatuses?.['Bad//']?.tags).toMatchObject([{ phase: 'Failed', message: 'invalid image reference "Bad//:1"' }]);
    expect(runtime.callsOf('PullImage')).toMatchObject([{ auth: { username: 'user', password: 'pass' } }]);
    // Events are sent beside the status, and may arrive after it.
    for (const reason of ['PullImageSucceed', 'PullImageFailed'])
      await until(`event ${reason}`, async () => {
        const { items } = await client.list(coreEvents, { namespace: 'default', fieldSelector: `reason=${reason}` });
        return items.length > 0 ? true : undefined;
      });
  });

  it('is killed repeatedly, and every image is pulled in the end', async () => {
    runtime.on('PullImage', async (request) => {
      await sleep(150);
      return { imageRef: runtime.hasImage((request as { image: { image: string } }).image.image).id };
    });
    await ask({ images: images(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`app-${index}`, [aTag('1')]]))) });
    let daemon = await start('--max-workers-for-pull-image=2');
    for (let kill = 0; kill < 4; kill++) {
      await until('it pulls', async () => (runtime.callsOf('PullImage').length > kill * 3 ? true : undefined));
      await sleep(130 * kill);
      await daemon.signal('SIGKILL');
      daemon = await start('--max-workers-for-pull-image=2');
    }
    expect(await settled(20)).toMatchObject({ desired: 20, succeeded: 20, failed: 0, pulling: 0, waiting: 0 });
    expect(runtime.images.size).toBe(20);
    // One that was complete on the node is never pulled again: only those in progress at a kill are, at most two for each kill.
    expect(runtime.callsOf('PullImage').length).toBeLessThanOrEqual(28);
  });
});
