/** Many images that are requested from the node agent at once, pulled by a runtime that takes 2 s for each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeImages, type NodeImage } from '@kruise/api';
import type { ScriptedRuntime } from '@kruise/cri/testing';
import { eventually, peakRssMiB, usageDuring } from '@kruise/testing';
import { limits, nodeName, onAgentNode, within } from '../agent-node.ts';
import type { Measure } from '../scenario.ts';
import { rowsAbout } from '../table.ts';

const imageCount = 200;
const parallelPulls = 5;
const pullMs = 2_000;
const settleMs = 10_000;
const patienceMs = 600_000;

/** Counts how many pulls run at a time. */
function scriptPulls(runtime: ScriptedRuntime): { readonly most: () => number } {
  let [most, running] = [0, 0];
  runtime.on('PullImage', async (request) => {
    running += 1;
    most = Math.max(most, running);
    await sleep(pullMs);
    running -= 1;
    return { imageRef: runtime.hasImage((request as { readonly image: { readonly image: string } }).image.image).id };
  });
  return { most: () => most };
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

export const measure: Measure = ({ folder, progress }) =>
  onAgentNode(folder, ({ client, runtime, withAgent }) => {
    const pulls = scriptPulls(runtime);
    return withAgent([`--max-workers-for-pull-image=${parallelPulls}`], async (agent) => {
      await sleep(settleMs);
      progress(`images: ${imageCount}, ${parallelPulls} at a time, ${pullMs / 1000} s each`);
      const isPulled = async (): Promise<boolean> =>
        (await client.get(nodeImages, { namespace: '', name: nodeName })).status?.succeeded === imageCount;
      const { seconds: wall, cpuSeconds } = await usageDuring(agent.pid, async () => {
        await client.create(nodeImages, nodeImageOf(imageCount));
        await eventually(isPulled, patienceMs);
      });
      const writes = (await agent.measured()).sum('kruise_daemon_image_status_writes_total');
      const rows = rowsAbout(`${imageCount} images (${within}):`, {
        'pulls at a time': { ours: pulls.most(), limit: parallelPulls },
        'wall time (s)': { ours: wall, peer: { name: 's of pulling', value: ((imageCount / parallelPulls) * pullMs) / 1000 } },
        'status writes a second': { ours: writes / wall, limit: 0.5 },
        'CPU (m)': { ours: (cpuSeconds / wall) * 1000, limit: limits.millicores },
        'CPU of one image (ms)': (cpuSeconds / imageCount) * 1000,
        'peak RSS, start included (MiB)': { ours: peakRssMiB(agent.pid), limit: 100 },
      });
      return { rows };
    });
  });
