/** Many images that are requested from the node agent at once, pulled by a runtime that takes 2 s for each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeImages, type NodeImage } from '@kruise/api';
import type { ScriptedRuntime } from '@kruise/cri/testing';
import { cpuSecondsOf, peakRssMiB } from '../process-usage.ts';
import type { Measure } from '../scenario.ts';
import { until } from '../until.ts';
import { limits, nodeName, withNode, within } from './node.ts';

const imageCount = 200;
const parallelPulls = 5;
const pullMs = 2_000;
const settleMs = 10_000;

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

export const measure: Measure = ({ folder, progress }) =>
  withNode(folder, ({ client, runtime, withDaemon }) => {
    const pulls = scriptPulls(runtime);
    return withDaemon([`--max-workers-for-pull-image=${parallelPulls}`], async (daemon) => {
      await sleep(settleMs);
      progress(`images: ${imageCount}, ${parallelPulls} at a time, ${pullMs / 1000} s each`);
      const [cpu, from] = [cpuSecondsOf(daemon.pid), performance.now()];
      await client.create(nodeImages, nodeImageOf(imageCount));
      await until(
        `${imageCount} images are pulled`,
        async () => (await client.get(nodeImages, { namespace: '', name: nodeName })).status?.succeeded === imageCount,
        { timeoutMs: 600_000, everyMs: 250 },
      );
      const wall = (performance.now() - from) / 1000;
      const cpuSeconds = cpuSecondsOf(daemon.pid) - cpu;
      const writes = (await daemon.metrics()).sum('kruise_daemon_image_status_writes_total');
      const of = (what: string): string => `${imageCount} images (${within}): ${what}`;
      return {
        rows: [
          { what: of('pulls at a time'), ours: pulls.most, limit: parallelPulls },
          { what: of('wall time (s)'), ours: wall, peer: { name: 's of pulling', value: (imageCount / parallelPulls) * (pullMs / 1000) } },
          { what: of('status writes a second'), ours: writes / wall, limit: 0.5 },
          { what: of('CPU (m)'), ours: (cpuSeconds / wall) * 1000, limit: limits.millicores },
          { what: of('CPU of one image (ms)'), ours: (cpuSeconds / imageCount) * 1000 },
          { what: of('peak RSS, start included (MiB)'), ours: peakRssMiB(daemon.pid), limit: 100 },
        ],
      };
    });
  });
