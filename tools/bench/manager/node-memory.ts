/** The manager beside many nodes that have two DaemonSets each: its memory, and what one change of a label costs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonSets, type DaemonSet } from '@kruise/api';
import { nodes as nodeType } from '@kruise/objects';
import { eventually, peakRssMiB, rssMiB } from '@kruise/testing';
import { each } from '../each.ts';
import { namespace } from '../objects/workloads.ts';
import type { ScenarioRun } from '../scenario.ts';
import { rowsAbout, type Row } from '../table.ts';
import { timeFor } from './object-phases.ts';
import { onPlane, startManager } from './plane.ts';

const settleMs = 20_000;
const watchedSeconds = 5;

/** @param daemonSet of this name, for the nodes with the label */
export const measureNodeMemory = (
  run: ScenarioRun,
  nodes: number,
  { label, daemonSet }: { readonly label: string; readonly daemonSet: (name: string) => DaemonSet },
): Promise<readonly Row[]> =>
  onPlane({}, async ({ plane, client }) => {
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
      const isScheduled = async (): Promise<boolean> =>
        (await client.get(daemonSets, { namespace, name })).status?.currentNumberScheduled === nodes;
      await eventually(isScheduled, timeFor(nodes));
    }
    await sleep(settleMs);
    const [rss, peak] = [rssMiB(manager.pid), peakRssMiB(manager.pid)];
    const watched = manager.longestDelay(watchedSeconds);
    await patch('node-1', { metadata: { labels: { [label]: 'no' } } });
    const { workMs } = await watched;
    return rowsAbout(`${nodes.toLocaleString('en-US')} nodes, ${(nodes * 2).toLocaleString('en-US')} Pods of two DaemonSets:`, {
      'RSS (MiB)': { ours: rss, limit: 250 },
      'peak RSS since the start (MiB)': peak,
      'own work when the label of one node changes (CPU ms)': { ours: workMs, limit: 50 },
    });
  });
