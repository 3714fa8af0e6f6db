/** An ImagePullJob over many nodes: how long it takes, what it writes, and what the manager needs for it. */
import { imagePullJobs, nodeImages, type ImagePullJob } from '@kruise/api';
import { inParallel, type Client, type Logger } from '@kruise/kube';
import { apiVersionOf, nodes, type Node } from '@kruise/objects';
import { AgentFleet } from '../../../apps/manager/src/images/agent-fleet.testing.ts';
import { ManagerProcess } from '../manager/manager-process.ts';
import { namespace } from '../manager/namespace.ts';
import { onPlane } from '../manager/plane.ts';
import { cpuSecondsOf, peakRssMiB, resetPeak } from '../process-usage.ts';
import type { Measure } from '../scenario.ts';
import { until } from '../until.ts';

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

const createNodes = (client: Client, count: number): Promise<unknown> =>
  inParallel(
    Array.from({ length: count }, (_, index) => index),
    parallelWrites,
    async (index) => {
      const made = await client.create(nodes, nodeOf(index));
      await client.updateStatus(nodes, { ...made, status: readyStatus });
    },
  );

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

async function costOf(manager: ManagerProcess, work: () => Promise<void>): Promise<Cost> {
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

export const measure: Measure = (run) =>
  onPlane({}, async ({ plane, client }) => {
    const count = run.sizes.nodes;
    run.progress(`creating ${count} Nodes`);
    await createNodes(client, count);
    // Without the probes, whose controller creates an object for each node as well.
    const flags = ['--feature-gates=ImagePullJobGate=true,PodProbeMarkerGate=false'];
    await using manager = await ManagerProcess.start({
      program: await run.managerProgram(),
      folder: run.folder,
      kubeconfig: plane.kubeconfigPath,
      flags,
    });
    await manager.waitUntilReady();
    const patience = { timeoutMs: 300_000, everyMs: 100 };
    const creation = await costOf(manager, () =>
      until('every Node has a NodeImage', async () => (await client.list(nodeImages)).items.length >= count, patience),
    );
    await using fleet = new AgentFleet(client, { logger: silent, pullMs: 0 });
    run.progress(`a job over ${count} nodes, ${parallelism} at a time`);
    const isOver = async (): Promise<boolean> => {
      const { status } = await client.get(imagePullJobs, { namespace, name: 'web' });
      return status?.completionTime !== undefined && status.succeeded === count;
    };
    const pull = await costOf(manager, async () => {
      await client.create(imagePullJobs, job('web'));
      await until('the job is over', isOver, patience);
    });
    run.progress(`the agents wrote ${fleet.writes} times`);
    const of = (what: string): string => `pull job over ${count} nodes, ${parallelism} at a time: ${what}`;
    return {
      rows: [
        { what: `NodeImages for ${count} Nodes (s)`, ours: creation.wallSeconds },
        { what: `NodeImages for ${count} Nodes: API writes per node`, ours: creation.writes / count },
        { what: of('wall time (s)'), ours: pull.wallSeconds },
        { what: of('API writes of the manager per node'), ours: pull.writes / count, limit: 3 },
        { what: of('CPU of the manager (s)'), ours: pull.cpuSeconds },
        { what: of('peak RSS of the manager (MiB)'), ours: pull.peakRssMiB, limit: 250 },
      ],
      details: { creation, pull },
    };
  });
