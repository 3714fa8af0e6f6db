/** An ImagePullJob over many nodes: how long it takes, what it writes, and what the manager needs for it. */
import { imagePullJobs, nodeImages } from '@kruise/api';
import { silentLogger } from '@kruise/kube/testing';
import { nodes as nodeType } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { AgentFleet } from '../../../apps/manager/src/images/agent-fleet.testing.ts';
import { each } from '../each.ts';
import { costOf } from '../manager/phase.ts';
import { launchManager, onPlane } from '../manager/plane.ts';
import { namespace } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';
import { rowsAbout } from '../table.ts';

const parallelism = 50;
/** Without the probes, whose controller creates an object for each node as well. */
const flags = ['--feature-gates=ImagePullJobGate=true,PodProbeMarkerGate=false'];
const patienceMs = 300_000;

const key = { namespace, name: 'web' };
const spec = { image: 'registry.example.com/team/web:v1', parallelism, completionPolicy: { type: 'Always' } } as const;
const readyStatus = {
  conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: '2026-01-01T00:00:00Z' }],
};

export const measure: Measure = (run) =>
  onPlane({}, async ({ plane, client }) => {
    const count = run.sizes.nodes;
    run.progress(`creating ${count} Nodes`);
    await each(count, async (index) => {
      // It has been ready for a long time, without a kubelet.
      const labels = { 'kubernetes.io/hostname': `node-${index}`, 'topology.kubernetes.io/zone': `zone-${index % 3}` };
      const created = await client.create(nodeType, { metadata: { name: `node-${index}`, labels } });
      await client.updateStatus(nodeType, { ...created, status: readyStatus });
    });
    await using manager = await launchManager(run, plane, flags);
    await manager.waitUntilReady();
    const haveNodeImages = async (): Promise<boolean> => (await client.list(nodeImages)).items.length >= count;
    const creation = await costOf({ plane, manager }, () => eventually(haveNodeImages, patienceMs));
    await using fleet = new AgentFleet(client, { logger: silentLogger(), pullMs: 0 });
    run.progress(`a job over ${count} nodes, ${parallelism} at a time`);
    const pull = await costOf({ plane, manager }, async () => {
      await client.create(imagePullJobs, { metadata: key, spec });
      await eventually(async () => {
        const { status } = await client.get(imagePullJobs, key);
        return status?.completionTime !== undefined && status.succeeded === count;
      }, patienceMs);
    });
    run.record({ creation, pull, agentWrites: fleet.writes });
    const created = rowsAbout(`NodeImages for ${count} Nodes:`, {
      'wall time (s)': creation.wallSeconds,
      'API writes per node': creation.writes / count,
    });
    const pulled = rowsAbout(`pull job over ${count} nodes, ${parallelism} at a time:`, {
      'wall time (s)': pull.wallSeconds,
      'API writes of the manager per node': { ours: pull.writes / count, limit: 3 },
      'CPU of the manager (s)': pull.cpuSeconds,
      'peak RSS of the manager (MiB)': { ours: pull.peakRssMiB, limit: 250 },
    });
    return [...created, ...pulled];
  });
