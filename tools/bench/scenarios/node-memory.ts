/** The manager beside many nodes that have two DaemonSets each: its memory, and what one change of a label costs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonSets, type DaemonSet } from '@kruise/api';
import { inParallel, type Client } from '@kruise/kube';
import { nodes as nodeType, type Node } from '@kruise/objects';
import { DelayWatch } from '../manager/delay-watch.ts';
import { namespace } from '../manager/namespace.ts';
import { onPlane, startManager } from '../manager/plane.ts';
import { peakRssMiB, rssMiB } from '../process-usage.ts';
import type { Measured, ScenarioRun } from '../scenario.ts';
import { until } from '../until.ts';

const parallelWrites = 32;
const settleMs = 20_000;

/** As a kubelet would register it, as far as anybody here looks. */
const aNode = (index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `node-${index}`,
    labels: {
      'kubernetes.io/hostname': `node-${index}`,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'example.com/agent': 'yes',
    },
  },
});

/** The API server taints a node that has never been ready, and no controller runs that would remove the taint. */
async function createNode(client: Client, index: number): Promise<void> {
  await client.create(nodeType, aNode(index));
  await client.patch(nodeType, { namespace: '', name: `node-${index}` }, { spec: { taints: null } }, { type: 'merge' });
}

/** Another one like `original`, for the same nodes. */
function sibling({ metadata, spec }: DaemonSet, name: string): DaemonSet {
  const labels = { app: name };
  return {
    metadata: { ...metadata, name, labels },
    spec: { ...spec, selector: { matchLabels: labels }, template: { ...spec.template, metadata: { labels } } },
  };
}

export const measureNodeMemory = (run: ScenarioRun, nodes: number, original: DaemonSet): Promise<Measured> =>
  onPlane({ controllers: false }, async ({ plane, client }) => {
    run.progress(`${nodes} nodes without kubelets, and two DaemonSets`);
    const numbers = Array.from({ length: nodes }, (_, index) => index);
    await inParallel(numbers, parallelWrites, (index) => createNode(client, index));
    await using manager = await startManager(run, plane.kubeconfigPath);
    for (const name of ['agent', 'logs']) {
      await client.create(daemonSets, sibling(original, name));
      await until(
        `DaemonSet ${name} has a Pod on each of ${nodes} nodes`,
        async () => (await client.get(daemonSets, { namespace, name })).status?.currentNumberScheduled === nodes,
        { timeoutMs: 60_000 + nodes * 120, everyMs: 500 },
      );
    }
    await sleep(settleMs);
    const memory = { rssMiB: rssMiB(manager.pid), peakRssMiB: peakRssMiB(manager.pid) };
    const delays = new DelayWatch(manager);
    await delays.take();
    const labels = { 'example.com/agent': 'no' };
    await client.patch(nodeType, { namespace: '', name: 'node-7' }, { metadata: { labels } }, { type: 'merge' });
    await sleep(5_000);
    const { work: longestWorkMs } = await delays.take();
    await delays.stop();
    const of = (what: string): string =>
      `${nodes.toLocaleString('en-US')} nodes, ${(nodes * 2).toLocaleString('en-US')} Pods of two DaemonSets: ${what}`;
    return {
      rows: [
        { what: of('RSS (MiB)'), ours: memory.rssMiB, limit: 250 },
        { what: of('peak RSS since the start (MiB)'), ours: memory.peakRssMiB },
        { what: of('own work when the label of one node changes (CPU ms)'), ours: longestWorkMs, limit: 50 },
      ],
      details: { ...memory, longestWorkMs },
    };
  });
