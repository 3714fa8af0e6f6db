/** What runs once per node, on simulated nodes: the phases of a DaemonSet, nodes that join and leave, and a BroadcastJob. */
import { broadcastJobs, daemonSets, type BroadcastJob, type DaemonSet, type DaemonSetStatus } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { nodes as nodeType } from '@kruise/objects';
import { each, paced } from '../each.ts';
import { besideLeast, calls, cpu, ownWork, rowsOf, wallTime } from '../manager/measures.ts';
import { measureNodeMemory } from '../manager/node-memory.ts';
import { phasesOf, timeFor, type Change } from '../manager/object-phases.ts';
import type { Phase } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import { image, namespace, newImage, replace, workload } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';

/** Nodes without it are none for the DaemonSet. */
const label = 'example.com/agent';
const churn = { perSecond: 20, seconds: 30 };
/** Nodes for the measure of memory, for each node of the phases. */
const storedPerNode = 5;
/** What mirrors nodes in objects of its own would be counted with every change of a node. */
const withoutNodeObjects = '--feature-gates=KruiseDaemon=false,PodProbeMarkerGate=false';

function daemonSet(name: string): DaemonSet {
  const rollingUpdate = { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: '10%' };
  const spec = { burstReplicas: 1000, updateStrategy: { type: 'RollingUpdate', rollingUpdate } };
  return workload(daemonSets, name, spec, { nodeSelector: { [label]: 'yes' } });
}

/** Each Pod ends a second after its start. */
const broadcastJob: BroadcastJob = {
  metadata: { name: 'sweep', namespace },
  spec: {
    template: {
      metadata: { labels: { app: 'sweep' }, annotations: { 'simulated.kruise.io/exit-after-seconds': '1' } },
      spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: image(1) }] },
    },
  },
};

const choose = (client: Client, node: string | undefined, value: 'yes' | 'no'): Promise<unknown> =>
  client.patch(nodeType, { namespace: '', name: node ?? '' }, { metadata: { labels: { [label]: value } } }, { type: 'merge' });

/** Nodes stop being chosen and are chosen again, one change after the other; at the end all are. */
async function leaveAndJoin(client: Client, nodes: readonly string[]): Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  const change = (at: number): Promise<unknown> =>
    (last = last.then(() => choose(client, nodes[Math.floor(at / 2) % nodes.length], at % 2 === 0 ? 'no' : 'yes')));
  await paced(churn.perSecond * churn.seconds, churn.perSecond, change);
}

function phasesFor(client: Client, nodes: readonly string[]): readonly Phase[] {
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
    { name: 'one node is no longer chosen', begin: () => choose(client, nodes[0], 'no'), isDone: isRolledOut(count - 1), least: 1 },
    // For each node that leaves and joins again, the old Pod, the new one and its gate.
    {
      name: `${churn.perSecond} nodes a second leave or join`,
      begin: () => leaveAndJoin(client, nodes),
      isDone,
      least: (churn.perSecond * churn.seconds * 3) / 2,
    },
  ];
  const job: Phase = {
    name: `BroadcastJob on ${count} nodes`,
    begin: () => client.create(broadcastJobs, broadcastJob),
    isOver: async () => (await client.get(broadcastJobs, { namespace, name: 'sweep' })).status?.succeeded === count,
    timeoutMs: timeFor(count),
    // Of the job, the Pod and its gate.
    least: count * 2,
  };
  return [...phasesOf(client, daemonSets, daemonSet('agent'), { about: 'DaemonSet: ', count, changes }), job];
}

export const measure: Measure = async (run) => {
  const { nodes } = run.sizes;
  const options = { pods: nodes, simulatedNodes: nodes, flags: [withoutNodeObjects] };
  const phases = await onStage(run, options, async ({ client, phases: runPhases }) => {
    const names = (await client.list(nodeType)).items.map(({ metadata }) => metadata.name);
    await each(names.length, (at) => choose(client, names[at], 'yes'));
    return runPhases(phasesFor(client, names));
  });
  const memory = await measureNodeMemory(run, nodes * storedPerNode, { label, daemonSet });
  return { rows: [...rowsOf(phases, [wallTime, besideLeast(calls), cpu, ownWork]), ...memory], details: phases };
};
