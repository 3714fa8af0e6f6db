/**
 * What runs once per node: on simulated nodes the phases of a DaemonSet, nodes that join and leave, and a BroadcastJob; then, beside many nodes
 * without kubelets, the memory of the manager, and what one change of a label costs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { broadcastJobs, daemonSets, type BroadcastJob, type DaemonSet, type DaemonSetStatus } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { nodes as nodeType } from '@kruise/objects';
import { eventually, peakRssMiB, rssMiB } from '@kruise/testing';
import { each, paced } from '../each.ts';
import { besideLeast, calls, cpu, ownWork, rowsOf, wallTime } from '../manager/measures.ts';
import { phaseOf, timeFor, type Change } from '../manager/object-phases.ts';
import type { Phase } from '../manager/phase.ts';
import { launchManager, onPlane } from '../manager/plane.ts';
import { onStage } from '../manager/stage.ts';
import { manifest } from '../objects/manifest.ts';
import { namespace, newImage, replace, workload } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';
import { rowsAbout } from '../table.ts';

/** Nodes without it are none for the DaemonSet. */
const label = 'example.com/agent';
const churn = { perSecond: 20, seconds: 30 };
/** Nodes for the measure of memory, for each node of the phases. */
const storedPerNode = 5;
const settleMs = 20_000;
const watchedSeconds = 5;
/** What mirrors nodes in objects of its own would be counted with every change of a node. */
const withoutNodeObjects = '--feature-gates=KruiseDaemon=false,PodProbeMarkerGate=false';

function daemonSet(name: string): DaemonSet {
  const rollingUpdate = { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: '10%' };
  const spec = { burstReplicas: 1000, updateStrategy: { type: 'RollingUpdate', rollingUpdate } };
  return workload(daemonSets, name, spec, { nodeSelector: { [label]: 'yes' } });
}

const broadcastJob = manifest<BroadcastJob>('broadcast-job.yaml')();

const patchNode = (client: Client, name: string, change: object): Promise<unknown> =>
  client.patch(nodeType, { namespace: '', name }, change, { type: 'merge' });

const choose = (client: Client, name = '', value: 'yes' | 'no' = 'yes'): Promise<unknown> =>
  patchNode(client, name, { metadata: { labels: { [label]: value } } });

/** Nodes stop being chosen and are chosen again, one change after the other; at the end all are. */
async function leaveAndJoin(client: Client, nodes: readonly string[]): Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  const change = (at: number): Promise<unknown> =>
    (last = last.then(() => choose(client, nodes[Math.floor(at / 2) % nodes.length], at % 2 === 0 ? 'no' : 'yes')));
  await paced(churn.perSecond * churn.seconds, churn.perSecond, change);
}

function phasesFor(nodes: readonly string[]): readonly Phase[] {
  const count = nodes.length;
  const isRolledOut = (wanted: number) => (status: DaemonSetStatus) =>
    status.desiredNumberScheduled === wanted &&
    status.updatedNumberScheduled === wanted &&
    status.numberAvailable === wanted &&
    status.numberMisscheduled === 0;
  const recreate = replace('/spec/updateStrategy/rollingUpdate/rollingUpdateType', 'Standard');
  const isDone = isRolledOut(count);
  const changes: readonly Change<DaemonSetStatus>[] = [
    // The Pod, and its readiness gates InPlaceUpdateReady and KruisePodReady.
    { name: `create on ${count} nodes`, isDone, least: count * 3 },
    // Out of service, the new image, in service again.
    { name: 'in-place update, 10 % at a time', patch: [newImage(2)], isDone, least: count * 3 },
    // The old Pod, and the new one, whose only gate is KruisePodReady.
    { name: 'recreate update, 10 % at a time', patch: [recreate, newImage(3)], isDone, least: count * 3 },
    // The Pod.
    { name: 'one node is no longer chosen', begin: (client) => choose(client, nodes[0], 'no'), isDone: isRolledOut(count - 1), least: 1 },
    // For each node that leaves and joins again, the old Pod, the new one and its gate.
    {
      name: `${churn.perSecond} nodes a second leave or join`,
      begin: (client) => leaveAndJoin(client, nodes),
      isDone,
      least: (churn.perSecond * churn.seconds * 3) / 2,
    },
  ];
  const job: Phase = {
    name: `BroadcastJob on ${count} nodes`,
    begin: (client) => client.create(broadcastJobs, broadcastJob),
    isOver: async (client) => (await client.get(broadcastJobs, { namespace, name: 'sweep' })).status?.succeeded === count,
    timeoutMs: timeFor(count),
    // Of the job, the Pod and its gate.
    least: count * 2,
  };
  return [
    ...changes.map((change) => phaseOf(daemonSets, daemonSet('agent'), count, { ...change, name: `DaemonSet: ${change.name}` })),
    job,
  ];
}

const measurePhases = onStage(
  ({ nodes }) => ({ pods: nodes, simulatedNodes: nodes, flags: [withoutNodeObjects] }),
  async ({ client, phases }) => {
    const names = (await client.list(nodeType)).items.map(({ metadata }) => metadata.name);
    await each(names.length, (at) => choose(client, names[at]));
    return rowsOf(await phases(phasesFor(names)), [wallTime, besideLeast(calls), cpu, ownWork]);
  },
);

const measureMemory: Measure = (run) =>
  onPlane({}, async ({ plane, client }) => {
    const count = run.sizes.nodes * storedPerNode;
    run.progress(`${count} nodes without kubelets, and two DaemonSets`);
    await each(count, async (index) => {
      const name = `node-${index}`;
      const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', [label]: 'yes' };
      await client.create(nodeType, { metadata: { name, labels } });
      // The API server taints a node that has never been ready, and no controller runs that would remove the taint.
      await patchNode(client, name, { spec: { taints: null } });
    });
    await using manager = await launchManager(run, plane);
    await manager.waitUntilLeading();
    for (const name of ['agent', 'logs']) {
      await client.create(daemonSets, daemonSet(name));
      const key = { namespace, name };
      await eventually(async () => (await client.get(daemonSets, key)).status?.currentNumberScheduled === count, timeFor(count));
    }
    await sleep(settleMs);
    const [rss, peak] = [rssMiB(manager.pid), peakRssMiB(manager.pid)];
    const watched = manager.longestDelay(watchedSeconds);
    await choose(client, 'node-1', 'no');
    const { workMs } = await watched;
    return rowsAbout(`${count.toLocaleString('en-US')} nodes, ${(count * 2).toLocaleString('en-US')} Pods of two DaemonSets:`, {
      'RSS (MiB)': { ours: rss, limit: 250 },
      'peak RSS since the start (MiB)': peak,
      'own work when the label of one node changes (CPU ms)': { ours: workMs, limit: 50 },
    });
  });

export const measure: Measure = async (run) => [...(await measurePhases(run)), ...(await measureMemory(run))];
