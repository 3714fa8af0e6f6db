/** What runs once per node, on simulated nodes: the phases of a DaemonSet, nodes that join and leave, and a BroadcastJob. */
import { setTimeout as sleep } from 'node:timers/promises';
import { broadcastJobs, daemonSets, type BroadcastJob, type DaemonSet, type DaemonSetStatus } from '@kruise/api';
import { inParallel, type Client } from '@kruise/kube';
import { nodes as nodeType } from '@kruise/objects';
import { calls, cpu, ownWork, peakRss, rowsOf, wallTime } from '../manager/measures.ts';
import { namespace } from '../manager/namespace.ts';
import type { Phase } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import type { Measure } from '../scenario.ts';
import { cloneSet, image } from './clone-set.ts';
import { measureNodeMemory } from './node-memory.ts';

const name = 'agent';
/** Nodes without it are none for the DaemonSet. */
const chosen = 'example.com/agent';
const churn = { perSecond: 20, seconds: 30 };
const parallelWrites = 16;
/** What mirrors nodes in objects of its own would be counted with every change of a node. */
const withoutNodeObjects = '--feature-gates=KruiseDaemon=false,PodProbeMarkerGate=false';

/** With the template of the benchmarks' CloneSet. */
export function daemonSet(): DaemonSet {
  const { template } = cloneSet(1).spec;
  const labels = { app: name };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'DaemonSet',
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      burstReplicas: 1000,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: '10%' } },
      template: {
        metadata: { ...template.metadata, labels },
        spec: { ...template.spec, containers: template.spec?.containers ?? [], nodeSelector: { [chosen]: 'yes' } },
      },
    },
  };
}

/** Each Pod ends a second after its start. */
const broadcastJob = (): BroadcastJob => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'BroadcastJob',
  metadata: { name: 'sweep', namespace },
  spec: {
    template: {
      metadata: { labels: { app: 'sweep' }, annotations: { 'simulated.kruise.io/exit-after-seconds': '1' } },
      spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: image(1) }] },
    },
  },
});

const nodeNames = async (client: Client): Promise<readonly string[]> =>
  (await client.list(nodeType)).items.map(({ metadata }) => metadata.name);

const choose = (client: Client, node: string, value: 'yes' | 'no'): Promise<unknown> =>
  client.patch(nodeType, { namespace: '', name: node }, { metadata: { labels: { [chosen]: value } } }, { type: 'merge' });

/** Writes that no implementation can leave out, by phase; of churn for a node that leaves and joins again. */
const leastCalls: readonly ((nodes: number) => number)[] = [
  // The Pod, and its readiness gates InPlaceUpdateReady and KruisePodReady.
  (nodes) => nodes * 3,
  // Out of service, the new image, in service again.
  (nodes) => nodes * 3,
  // The old Pod, and the new one, whose only gate is KruisePodReady.
  (nodes) => nodes * 3,
  // The Pod.
  () => 1,
  // The old Pod, the new one and its gate.
  () => (churn.perSecond * churn.seconds * 3) / 2,
  // The Pod and its gate.
  (nodes) => nodes * 2,
];

/** Nodes stop being chosen and are chosen again, one after the other; at the end all are. */
async function leaveAndJoin(client: Client, nodes: readonly string[]): Promise<void> {
  const began = performance.now();
  for (let change = 0; change < churn.perSecond * churn.seconds; change++) {
    await choose(client, nodes[Math.floor(change / 2) % nodes.length] ?? '', change % 2 === 0 ? 'no' : 'yes');
    await sleep(Math.max(began + ((change + 1) * 1000) / churn.perSecond - performance.now(), 0));
  }
  await choose(client, nodes[0] ?? '', 'yes');
}

function phasesOf(client: Client, nodes: readonly string[]): readonly Phase[] {
  const count = nodes.length;
  const strategy = '/spec/updateStrategy/rollingUpdate';
  const newImage = (version: number) => ({ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image(version) });
  const patch = (...operations: readonly object[]): Promise<unknown> =>
    client.patch(daemonSets, { namespace, name }, operations, { type: 'json' });
  const isRolledOut = async (wanted: number): Promise<boolean> => {
    const { metadata, status } = await client.get(daemonSets, { namespace, name });
    const isCounted = (held: DaemonSetStatus): boolean =>
      held.observedGeneration === metadata.generation &&
      held.desiredNumberScheduled === wanted &&
      held.updatedNumberScheduled === wanted &&
      held.numberAvailable === wanted &&
      held.numberMisscheduled === 0;
    return status !== undefined && isCounted(status);
  };
  const phase = (what: string, begin: () => Promise<unknown>, isOver = () => isRolledOut(count)): Phase => ({
    name: what,
    begin,
    isOver,
    timeoutMs: 60_000 + count * 240,
  });
  return [
    phase(`DaemonSet: create on ${count} nodes`, () => client.create(daemonSets, daemonSet())),
    phase('DaemonSet: in-place update, 10 % at a time', () => patch(newImage(2))),
    phase('DaemonSet: recreate update, 10 % at a time', () =>
      patch({ op: 'replace', path: `${strategy}/rollingUpdateType`, value: 'Standard' }, newImage(3)),
    ),
    phase(
      'DaemonSet: one node is no longer chosen',
      () => choose(client, nodes[0] ?? '', 'no'),
      () => isRolledOut(count - 1),
    ),
    phase(`DaemonSet: ${churn.perSecond} nodes a second leave or join`, () => leaveAndJoin(client, nodes)),
    phase(
      `BroadcastJob on ${count} nodes`,
      () => client.create(broadcastJobs, broadcastJob()),
      async () => (await client.get(broadcastJobs, { namespace, name: 'sweep' })).status?.succeeded === count,
    ),
  ];
}

/** Nodes for the measure of memory, for each node of the phases. */
const storedPerNode = 5;

export const measure: Measure = async (run) => {
  const { nodes } = run.sizes;
  const phases = await onStage(
    run,
    { pods: nodes, simulatedNodes: nodes, flags: [withoutNodeObjects] },
    async ({ client, phases: runPhases }) => {
      const names = await nodeNames(client);
      await inParallel(names, parallelWrites, async (node) => void (await choose(client, node, 'yes')));
      return runPhases(phasesOf(client, names));
    },
  );
  const least = (at: number): number => leastCalls[at]?.(nodes) ?? NaN;
  const memory = await measureNodeMemory(run, nodes * storedPerNode, daemonSet());
  const ofPhases = rowsOf(phases, [
    wallTime,
    { ...calls, peer: (_, at) => ({ name: 'least', value: least(at) }), limitAt: (at) => (least(at) > 1 ? 1.2 : undefined) },
    cpu,
    peakRss,
    ownWork,
  ]);
  return { rows: [...ofPhases, ...memory.rows], details: { phases, memory: memory.details } };
};
