/** What runs once per node, on simulated nodes: the phases of a DaemonSet, nodes that join and leave, and a BroadcastJob. */
import { setTimeout as sleep } from 'node:timers/promises';
import { broadcastJobs, daemonSets, type BroadcastJob, type DaemonSet, type DaemonSetStatus } from '@kruise/api';
import { inParallel, type Client } from '@kruise/kube';
import { nodes as nodeType } from '@kruise/objects';
import { cloneSet, image, namespace } from './clone-set.ts';
import type { Phase, PhaseResult } from './phase.ts';
import { onStage, runPhases, type StageOptions } from './stage.ts';

export interface PerNodeOptions extends Omit<StageOptions, 'pods'> {
  /** Simulated ones. */
  readonly nodes: number;
}

const name = 'agent';
/** Nodes without it are none for the DaemonSet. */
const chosen = 'example.com/agent';
export const churn = { perSecond: 20, seconds: 30 };
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

class PerNode {
  readonly #client: Client;
  readonly #nodes: readonly string[];

  constructor(client: Client, nodes: readonly string[]) {
    this.#client = client;
    this.#nodes = nodes;
  }

  get phases(): readonly Phase[] {
    const count = this.#nodes.length;
    const timeoutMs = 60_000 + count * 240;
    const strategy = '/spec/updateStrategy/rollingUpdate';
    const newImage = (version: number) => ({ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image(version) });
    const whole = (): Promise<boolean> => this.#isRolledOut(count);
    return [
      { name: `DaemonSet: create on ${count} nodes`, begin: () => this.#client.create(daemonSets, daemonSet()), isOver: whole, timeoutMs },
      { name: 'DaemonSet: in-place update, 10 % at a time', begin: () => this.#patch([newImage(2)]), isOver: whole, timeoutMs },
      {
        name: 'DaemonSet: recreate update, 10 % at a time',
        begin: () => this.#patch([{ op: 'replace', path: `${strategy}/rollingUpdateType`, value: 'Standard' }, newImage(3)]),
        isOver: whole,
        timeoutMs,
      },
      {
        name: 'DaemonSet: one node is no longer chosen',
        begin: () => choose(this.#client, this.#nodes[0] ?? '', 'no'),
        isOver: () => this.#isRolledOut(count - 1),
        timeoutMs,
      },
      { name: `DaemonSet: ${churn.perSecond} nodes a second leave or join`, begin: () => this.#churn(), isOver: whole, timeoutMs },
      {
        name: `BroadcastJob on ${count} nodes`,
        begin: () => this.#client.create(broadcastJobs, broadcastJob()),
        isOver: async () => (await this.#client.get(broadcastJobs, { namespace, name: 'sweep' })).status?.succeeded === count,
        timeoutMs,
      },
    ];
  }

  #patch(operations: readonly object[]): Promise<unknown> {
    return this.#client.patch(daemonSets, { namespace, name }, operations, { type: 'json' });
  }

  async #isRolledOut(wanted: number): Promise<boolean> {
    const { metadata, status } = await this.#client.get(daemonSets, { namespace, name });
    const isCounted = (held: DaemonSetStatus): boolean =>
      held.observedGeneration === metadata.generation &&
      held.desiredNumberScheduled === wanted &&
      held.updatedNumberScheduled === wanted &&
      held.numberAvailable === wanted &&
      held.numberMisscheduled === 0;
    return status !== undefined && isCounted(status);
  }

  /** Nodes stop being chosen and are chosen again, one after the other; at the end all are. */
  async #churn(): Promise<void> {
    const began = performance.now();
    for (let change = 0; change < churn.perSecond * churn.seconds; change++) {
      const node = this.#nodes[Math.floor(change / 2) % this.#nodes.length] ?? '';
      await choose(this.#client, node, change % 2 === 0 ? 'no' : 'yes');
      await sleep(Math.max(began + ((change + 1) * 1000) / churn.perSecond - performance.now(), 0));
    }
    await choose(this.#client, this.#nodes[0] ?? '', 'yes');
  }
}

/** Runs through the phases; every node is chosen before. */
export const measurePerNode = ({ nodes, ...options }: PerNodeOptions): Promise<readonly PhaseResult[]> =>
  onStage({ ...options, pods: nodes, simulatedNodes: nodes, flags: [withoutNodeObjects] }, [], async ({ client, instruments }) => {
    const names = await nodeNames(client);
    await inParallel(names, parallelWrites, async (node) => void (await choose(client, node, 'yes')));
    return runPhases(new PerNode(client, names).phases, instruments, options.progress);
  });
