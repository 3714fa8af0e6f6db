/** What the node agent needs that has nothing to do but watch 100 Pods. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeImages } from '@kruise/api';
import { peakRssMiB, rssMiB, usageDuring } from '@kruise/testing';
import { runContainer } from '../../../apps/daemon/src/testing.ts';
import { nodeName, onAgentNode, within, type AgentNode } from '../agent-node.ts';
import { createPod, unboundPod } from '../objects/realistic-pod.ts';
import type { Measure } from '../scenario.ts';
import { rowsAbout } from '../table.ts';

const podCount = 100;
const idleMs = 60_000;
const settleMs = 45_000;

const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: 'owner', controller: true };

/** Realistic Pods of the node that run, each of a CloneSet. */
async function fillNode({ client, runtime }: AgentNode): Promise<void> {
  for (let at = 0; at < podCount; at++) {
    const { pod, status } = unboundPod(at, 'idle');
    const metadata = { ...pod.metadata, ownerReferences: [owner] };
    const created = await createPod(client, { ...pod, metadata, spec: { ...pod.spec, nodeName } }, status);
    for (const spec of created.spec.containers) runContainer(runtime, created, { id: `${created.metadata.name}-${spec.name}`, spec });
  }
}

export const measure: Measure = ({ folder, progress }) =>
  onAgentNode(folder, async (node) => {
    progress(`daemon: ${podCount} Pods`);
    await fillNode(node);
    await node.client.create(nodeImages, { metadata: { name: nodeName }, spec: {} });
    return node.withAgent([], async ({ pid }, ready) => {
      progress(`daemon: ready after ${ready.toFixed(1)} s within ${within}; idle`);
      await sleep(settleMs);
      const { seconds, cpuSeconds } = await usageDuring(pid, () => sleep(idleMs));
      const rows = rowsAbout(`daemon (${within}):`, {
        'ready after start (s)': ready,
        [`RSS idle with ${podCount} Pods (MiB)`]: { ours: rssMiB(pid), limit: 80 },
        'peak RSS, start included (MiB)': peakRssMiB(pid),
        [`CPU idle with ${podCount} Pods (m)`]: { ours: (cpuSeconds / seconds) * 1000, limit: 5 },
      });
      return { rows };
    });
  });
