/** An ImagePullJob over many nodes: how long it takes, what it writes, and what the manager needs for it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { imagePullJobs, nodeImages, type ImagePullJob } from '@kruise/api';
import { createClient, loadClusterConfig, type Client, type Logger } from '@kruise/kube';
import { apiVersionOf, namespaces, nodes, type Node } from '@kruise/objects';
import { startControlPlane } from '@kruise/testing';
import { AgentFleet } from '../../../apps/manager/src/images/agent-fleet.testing.ts';
import { install } from '../manager/install.ts';
import { buildManager, ManagerProcess } from '../manager/manager-process.ts';
import { cpuSecondsOf, peakRssMiB, resetPeak } from '../process-usage.ts';
import type { Row } from '../table.ts';

export interface PullJobOptions {
  readonly nodes: number;
  readonly progress: (line: string) => void;
}

const namespace = 'bench';
const parallelism = 50;
const parallelWrites = 16;
const writeMethods = ['POST', 'PUT', 'PATCH', 'DELETE'];

const nothing = (): void => undefined;
const silent: Logger = { error: nothing, warn: nothing, info: nothing, debug: nothing, child: () => silent };

/** A Node that has been ready for a long time, without a kubelet. */
const nodeOf = (index: number): Node => ({
  metadata: {
    name: `node-${index}`,
    labels: { 'kubernetes.io/hostname': `node-${index}`, 'topology.kubernetes.io/zone': `zone-${index % 3}` },
  },
});
const readyStatus = {
  conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: '2026-01-01T00:00:00Z' }],
};

async function createNodes(client: Client, count: number): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const made = await client.create(nodes, nodeOf(index));
      await client.updateStatus(nodes, { ...made, status: readyStatus });
    }
  };
  await Promise.all(Array.from({ length: parallelWrites }, worker));
}

async function until(what: string, holds: () => Promise<boolean>, timeoutMs = 300_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not so after ${timeoutMs / 1000} s`);
    await sleep(100);
  }
}

const job = (name: string): ImagePullJob => ({
  apiVersion: apiVersionOf(imagePullJobs),
  kind: imagePullJobs.kind,
  metadata: { name, namespace },
  spec: { image: `registry.example.com/team/${name}:v1`, parallelism, completionPolicy: { type: 'Always' } },
});

interface Cost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly writes: number;
  readonly peakRssMiB: number;
}

async function measure(manager: ManagerProcess, work: () => Promise<void>): Promise<Cost> {
  const writes = async (): Promise<number> => {
    const byMethod = (await manager.metrics()).by('rest_client_requests_total', 'method');
    return writeMethods.reduce((sum, method) => sum + (byMethod.get(method) ?? 0), 0);
  };
  resetPeak(manager.pid);
  const [before, cpu, began] = [await writes(), cpuSecondsOf(manager.pid), performance.now()];
  await work();
  const wallSeconds = (performance.now() - began) / 1000;
  return {
    wallSeconds,
    cpuSeconds: cpuSecondsOf(manager.pid) - cpu,
    writes: (await writes()) - before,
    peakRssMiB: peakRssMiB(manager.pid),
  };
}

async function measureAll(
  { nodes: count, progress }: PullJobOptions,
  folder: string,
): Promise<{ readonly creation: Cost; readonly pull: Cost }> {
  const program = await buildManager(folder);
  progress('starting a control plane');
  await using plane = await startControlPlane({});
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
  try {
    await install(client, AbortSignal.timeout(60_000));
    await client.create(namespaces, { metadata: { name: namespace } });
    progress(`creating ${count} Nodes`);
    await createNodes(client, count);
    // Without the probes, whose controller makes an object for each node as well.
    const flags = ['--feature-gates=ImagePullJobGate=true,PodProbeMarkerGate=false'];
    await using manager = await ManagerProcess.start({ program, folder, kubeconfig: plane.kubeconfigPath, flags });
    await manager.waitUntilReady();
    const creation = await measure(manager, () =>
      until('every Node has a NodeImage', async () => (await client.list(nodeImages)).items.length >= count),
    );
    await using fleet = new AgentFleet(client, { logger: silent, pullMs: 0 });
    progress(`a job over ${count} nodes, ${parallelism} at a time`);
    const pull = await measure(manager, async () => {
      await client.create(imagePullJobs, job('web'));
      await until('the job is over', async () => {
        const { status } = await client.get(imagePullJobs, { namespace, name: 'web' });
        return status?.completionTime !== undefined && status.succeeded === count;
      });
    });
    progress(`the agents wrote ${fleet.writes} times`);
    return { creation, pull };
  } finally {
    client.close();
  }
}

export async function run(options: PullJobOptions): Promise<{ readonly rows: readonly Row[]; readonly details: unknown }> {
  const folder = await mkdtemp(join(tmpdir(), 'kruise-bench-'));
  try {
    const details = await measureAll(options, folder);
    const { creation, pull } = details;
    const of = (what: string): string => `pull job over ${options.nodes} nodes, ${parallelism} at a time: ${what}`;
    return {
      details,
      rows: [
        { what: `NodeImages for ${options.nodes} Nodes (s)`, ours: creation.wallSeconds },
        { what: `NodeImages for ${options.nodes} Nodes: API writes per node`, ours: creation.writes / options.nodes },
        { what: of('wall time (s)'), ours: pull.wallSeconds },
        { what: of('API writes of the manager per node'), ours: pull.writes / options.nodes, limit: 3 },
        { what: of('CPU of the manager (s)'), ours: pull.cpuSeconds },
        { what: of('peak RSS of the manager (MiB)'), ours: pull.peakRssMiB, limit: 250 },
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
