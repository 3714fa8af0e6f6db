/** What the node agent needs that has nothing to do but watch 100 Pods. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeImages } from '@kruise/api';
import { peakRssMiB, rssMiB, usageDuring } from '@kruise/testing';
import { runContainer } from '../../../apps/daemon/src/testing.ts';
import { nodeName, onAgentNode, within } from '../agent-node.ts';
import { createPod, unboundPod } from '../objects/realistic-pod.ts';
import { rowsAbout } from '../table.ts';

const podCount = 100;
const idleMs = 60_000;
const settleMs = 45_000;

const ownerReferences = [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: 'owner', controller: true }];

export const measure = onAgentNode(async ({ client, runtime, progress, startAgent }) => {
  progress(`daemon: ${podCount} Pods`);
  for (let at = 0; at < podCount; at++) {
    const { pod, status } = unboundPod(at, 'idle');
    const running = { ...pod, metadata: { ...pod.metadata, ownerReferences }, spec: { ...pod.spec, nodeName } };
    const created = await createPod(client, running, status);
    for (const spec of created.spec.containers) runContainer(runtime, created, { id: `${created.metadata.name}-${spec.name}`, spec });
  }
  await client.create(nodeImages, { metadata: { name: nodeName }, spec: {} });
  const { agent, readySeconds } = await startAgent();
  progress(`daemon: ready after ${readySeconds.toFixed(1)} s within ${within}; idle`);
  await sleep(settleMs);
  const { seconds, cpuSeconds } = await usageDuring(agent.pid, () => sleep(idleMs));
  return rowsAbout(`daemon (${within}):`, {
    'ready after start (s)': readySeconds,
    [`RSS idle with ${podCount} Pods (MiB)`]: { ours: rssMiB(agent.pid), limit: 80 },
    'peak RSS, start included (MiB)': peakRssMiB(agent.pid),
    [`CPU idle with ${podCount} Pods (m)`]: { ours: (cpuSeconds / seconds) * 1000, limit: 5 },
  });
});
