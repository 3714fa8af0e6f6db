/** The node agent within the limits of its container, on a node whose runtime is scripted: what it needs idle, and what pulling costs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeImages, type NodeImage } from '@kruise/api';
import { ScriptedRuntime } from '@kruise/cri/testing';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { namespaces, pods, type Pod } from '@kruise/objects';
import { startControlPlane } from '@kruise/testing';
import { installKinds } from '../../../apps/daemon/src/daemon-process.testing.ts';
import { runContainer } from '../../../apps/daemon/src/testing.ts';
import { podToWrite } from '../client/pod-to-write.ts';
import { cpuSecondsOf, peakRssMiB, rssMiB } from '../process-usage.ts';
import type { Row } from '../table.ts';
import { Cgroup } from './cgroup.ts';
import { DaemonProcess, type DaemonSetup } from './daemon-process.ts';

type Progress = (line: string) => void;

const nodeName = 'node1';
const namespace = 'bench';
const limits = { millicores: 50, memoryMiB: 128 };
const within = Cgroup.allowed ? `${limits.millicores}m, ${limits.memoryMiB} MiB` : 'without limits: no right to make a cgroup';
const podCount = 100;
const idleMs = 60_000;
const settleMs = 45_000;

const imageCount = 200;
const parallelPulls = 5;
const pullMs = 2_000;

interface Node {
  readonly client: Client;
  readonly runtime: ScriptedRuntime;
  readonly setup: DaemonSetup;
}

async function withNode<T>(use: (node: Node) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'kruise-bench-'));
  await using plane = await startControlPlane({});
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
  const runtime = new ScriptedRuntime({ socket: join(folder, 'containerd.sock') });
  try {
    await installKinds(client);
    await runtime.start();
    return await use({ client, runtime, setup: { kubeconfig: plane.kubeconfigPath, nodeName, folder, limits } });
  } finally {
    client.close();
    await runtime.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Realistic Pods of the node that run, each of a CloneSet. */
async function fillNode({ client, runtime }: Node): Promise<void> {
  await client.create(namespaces, { metadata: { name: namespace } });
  for (let at = 0; at < podCount; at++) {
    const { pod, status } = podToWrite(at, namespace, 'idle');
    const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: 'owner', controller: true };
    const metadata = { ...pod.metadata, ownerReferences: [owner] };
    const created = await client.create<Pod>(pods, { ...pod, metadata, spec: { ...pod.spec, nodeName } });
    await client.updateStatus<Pod>(pods, { ...created, status });
    for (const spec of created.spec.containers) runContainer(runtime, created, { id: `${created.metadata.name}-${spec.name}`, spec });
  }
}

/** What an agent costs that has nothing to do but watch 100 Pods. */
export const runIdle = (progress: Progress): Promise<readonly Row[]> =>
  withNode(async (node) => {
    progress(`daemon: ${podCount} Pods`);
    await fillNode(node);
    await node.client.create(nodeImages, { metadata: { name: nodeName }, spec: {} });
    await using daemon = await DaemonProcess.start(node.setup);
    const ready = await daemon.waitUntilReady();
    progress(`daemon: ready after ${ready.toFixed(1)} s within ${within}; idle`);
    await sleep(settleMs);
    const before = cpuSecondsOf(daemon.pid);
    await sleep(idleMs);
    const millicores = ((cpuSecondsOf(daemon.pid) - before) * 1_000_000) / idleMs;
    return [
      { what: `daemon (${within}): ready after start (s)`, ours: ready },
      { what: `daemon (${within}): RSS idle with ${podCount} Pods (MiB)`, ours: rssMiB(daemon.pid), limit: 80 },
      { what: `daemon (${within}): peak RSS, start included (MiB)`, ours: peakRssMiB(daemon.pid) },
      { what: `daemon (${within}): CPU idle with ${podCount} Pods (m)`, ours: millicores, limit: 5 },
    ];
  });

/** Counts how many pulls run at a time. */
function scriptPulls(runtime: ScriptedRuntime): { most: number } {
  const seen = { most: 0 };
  let running = 0;
  runtime.on('PullImage', async (request) => {
    running += 1;
    seen.most = Math.max(seen.most, running);
    await sleep(pullMs);
    running -= 1;
    return { imageRef: runtime.hasImage((request as { readonly image: { readonly image: string } }).image.image).id };
  });
  return seen;
}

function nodeImageOf(count: number): NodeImage {
  const tag = {
    tag: 'v1.24.7',
    createdAt: new Date().toISOString(),
    imagePullPolicy: 'IfNotPresent',
    pullPolicy: { timeoutSeconds: 600, backoffLimit: 3, ttlSecondsAfterFinished: 300 },
  };
  const images = Object.fromEntries(Array.from({ length: count }, (_, at) => [`registry.example.com/team/app-${at}`, { tags: [tag] }]));
  return { metadata: { name: nodeName }, spec: { images } };
}

async function untilSucceeded(client: Client, count: number): Promise<void> {
  const deadline = performance.now() + 600_000;
  for (;;) {
    const { status } = await client.get(nodeImages, { namespace: '', name: nodeName });
    if (status?.succeeded === count) return;
    if (performance.now() > deadline)
      throw new Error(`not ${count} images after 10 min: ${JSON.stringify({ ...status, imageStatuses: 0 })}`);
    await sleep(250);
  }
}

/** Many images asked for at once, pulled by a runtime that takes 2 s for each. */
export const runImages = (progress: Progress): Promise<readonly Row[]> =>
  withNode(async (node) => {
    const pulls = scriptPulls(node.runtime);
    const flags = [`--max-workers-for-pull-image=${parallelPulls}`];
    await using daemon = await DaemonProcess.start({ ...node.setup, flags });
    await daemon.waitUntilReady();
    await sleep(10_000);
    progress(`images: ${imageCount}, ${parallelPulls} at a time, ${pullMs / 1000} s each`);
    const [cpu, from] = [cpuSecondsOf(daemon.pid), performance.now()];
    await node.client.create(nodeImages, nodeImageOf(imageCount));
    await untilSucceeded(node.client, imageCount);
    const wall = (performance.now() - from) / 1000;
    const cpuSeconds = cpuSecondsOf(daemon.pid) - cpu;
    const writes = (await daemon.metrics()).sum('kruise_daemon_image_status_writes_total');
    const of = (what: string): string => `${imageCount} images (${within}): ${what}`;
    return [
      { what: of('pulls at a time'), ours: pulls.most, limit: parallelPulls },
      { what: of('wall time (s)'), ours: wall, peer: { name: 's of pulling', value: (imageCount / parallelPulls) * (pullMs / 1000) } },
      { what: of('status writes a second'), ours: writes / wall, limit: 0.5 },
      { what: of('CPU (m)'), ours: (cpuSeconds / wall) * 1000, limit: limits.millicores },
      { what: of('CPU of one image (ms)'), ours: (cpuSeconds / imageCount) * 1000 },
      { what: of('peak RSS, start included (MiB)'), ours: peakRssMiB(daemon.pid), limit: 100 },
    ];
  });
