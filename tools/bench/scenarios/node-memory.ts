/** The manager beside many nodes that have two DaemonSets each: its memory, and what one change of a label costs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonSets, type DaemonSet } from '@kruise/api';
import { nodes as nodeType } from '@kruise/objects';
import { each } from '../each.ts';
import { DelayWatch } from '../manager/delay-watch.ts';
import { onPlane, startManager } from '../manager/plane.ts';
import { namespace } from '../objects/workloads.ts';
import { peakRssMiB, rssMiB } from '../process-usage.ts';
import type { Measured, ScenarioRun } from '../scenario.ts';
import { until } from '../until.ts';

const settleMs = 20_000;
const watchedMs = 5_000;

/** @param daemonSet of this name, for the nodes with the label */
export const measureNodeMemory = (
  run: ScenarioRun,
  nodes: number,
  { label, daemonSet }: { readonly label: string; readonly daemonSet: (name: string) => DaemonSet },
): Promise<Measured> =>
  onPlane({ controllers: false }, async ({ plane, client }) => {
    run.progress(`${nodes} nodes without kubelets, and two DaemonSets`);
    const patch = (name: string, change: object): Promise<unknown> =>
      client.patch(nodeType, { namespace: '', name }, change, { type: 'merge' });
    await each(nodes, async (index) => {
      const name = `node-${index}`;
      const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', [label]: 'yes' };
      await client.create(nodeType, { metadata: { name, labels } });
      // The API server taints a node that has never been ready, and no controller runs that would remove the taint.
      await patch(name, { spec: { taints: null } });
    });
    await using manager = await startManager(run, plane.kubeconfigPath);
    for (const name of ['agent', 'logs']) {
      await client.create(daemonSets, daemonSet(name));
      await until(
        `DaemonSet ${name} has a Pod on each of ${nodes} nodes`,
        async () => (await client.get(daemonSets, { namespace, name })).status?.currentNumberScheduled === nodes,
        { timeoutMs: 60_000 + nodes * 120, everyMs: 500 },
      );
    }
    await sleep(settleMs);
    const memory = { rssMiB: rssMiB(manager.pid), peakRssMiB: peakRssMiB(manager.pid) };
    await using delays = new DelayWatch(manager);
    await delays.take();
    await patch('node-7', { metadata: { labels: { [label]: 'no' } } });
    await sleep(watchedMs);
    const { longestWorkMs } = await delays.take();
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
