/** Many images that are requested from the node agent at once, pulled by a runtime that takes 2 s for each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeImages, type NodeImage } from '@kruise/api';
import { eventually, peakRssMiB, usageDuring } from '@kruise/testing';
import { limits, nodeName, onAgentNode, within } from '../agent-node.ts';
import { rowsAbout } from '../table.ts';

const imageCount = 200;
const parallelPulls = 5;
const pullMs = 2_000;
const settleMs = 10_000;
const patienceMs = 600_000;

function nodeImage(): NodeImage {
  const pullPolicy = { timeoutSeconds: 600, backoffLimit: 3, ttlSecondsAfterFinished: 300 };
  const tag = { tag: 'v1.24.7', createdAt: new Date().toISOString(), imagePullPolicy: 'IfNotPresent', pullPolicy };
  const names = Array.from({ length: imageCount }, (_, at) => `registry.example.com/team/app-${at}`);
  return { metadata: { name: nodeName }, spec: { images: Object.fromEntries(names.map((name) => [name, { tags: [tag] }])) } };
}

export const measure = onAgentNode(async ({ client, runtime, progress, startAgent }) => {
  let [running, most] = [0, 0];
  runtime.on('PullImage', async (request) => {
    most = Math.max(most, ++running);
    await sleep(pullMs);
    running--;
    return { imageRef: runtime.hasImage((request as { readonly image: { readonly image: string } }).image.image).id };
  });
  const { agent } = await startAgent([`--max-workers-for-pull-image=${parallelPulls}`]);
  await sleep(settleMs);
  progress(`images: ${imageCount}, ${parallelPulls} at a time, ${pullMs / 1000} s each`);
  const { seconds: wall, cpuSeconds } = await usageDuring(agent.pid, async () => {
    const key = { namespace: '', name: nodeName };
    await client.create(nodeImages, nodeImage());
    await eventually(async () => (await client.get(nodeImages, key)).status?.succeeded === imageCount, patienceMs);
  });
  const writes = (await agent.measured()).sum('kruise_daemon_image_status_writes_total');
  return rowsAbout(`${imageCount} images (${within}):`, {
    'pulls at a time': { ours: most, limit: parallelPulls },
    'wall time (s)': { ours: wall, peer: { name: 's of pulling', value: ((imageCount / parallelPulls) * pullMs) / 1000 } },
    'status writes a second': { ours: writes / wall, limit: 0.5 },
    'CPU (m)': { ours: (cpuSeconds / wall) * 1000, limit: limits.millicores },
    'CPU of one image (ms)': (cpuSeconds / imageCount) * 1000,
    'peak RSS, start included (MiB)': { ours: peakRssMiB(agent.pid), limit: 100 },
  });
});
