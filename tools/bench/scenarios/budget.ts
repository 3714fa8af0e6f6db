/** Evictions under many PodUnavailableBudgets, and what a change of one Pod costs in a small and in a large budget. */
import { setTimeout as sleep } from 'node:timers/promises';
import { podUnavailableBudgetAnnotations, podUnavailableBudgetDeclaration, podUnavailableBudgets } from '@kruise/api';
import { inParallel, isFailure, type Client } from '@kruise/kube';
import { namespaces, pods as podType, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import { requestsAbout, webhookCalls } from '../manager/api-server-requests.ts';
import { coresBusy, ownWork, rowsOf, type PhaseMeasure } from '../manager/measures.ts';
import { namespace } from '../manager/namespace.ts';
import { paced } from '../manager/paced.ts';
import type { PhaseResult } from '../manager/phase.ts';
import { onStage, type Stage } from '../manager/stage.ts';
import type { Measure } from '../scenario.ts';
import { quantile } from '../statistics.ts';
import type { Row } from '../table.ts';
import { until } from '../until.ts';
import { cloneSet } from './clone-set.ts';

/** Changes of Pods under one budget. */
interface ChangeCost {
  readonly pods: number;
  readonly phase: PhaseResult;
  /** Passes over budgets, and seconds that they took, their writes included. */
  readonly passes: number;
  readonly passSeconds: number;
}

/** Evictions at one rate. */
interface EvictionCost extends PhaseResult {
  /** Milliseconds of every eviction, as its caller sees it. */
  readonly evictions: readonly number[];
  /** The same for Pods without a budget, for which no webhook is called, at that rate, measured before. */
  readonly free: readonly number[];
  /** Those that were not allowed, though the budget has room. */
  readonly refused: number;
  /** That the API server waits for the webhook, on average. */
  readonly webhookMs: number;
  /** Of webhooks and controller, about Pods, budgets and events. */
  readonly apiCalls: number;
}

const podsPerBudget = 100;
const evictionRates = [10, 50, 200];
/** How long each of them lasts, in seconds. */
const evictionSeconds = 15;
/** Of the Pods under budgets; four fifths may go. */
const evictableShare = 0.6;
const changesPerSecond = 20;
const changes = 400;
const parallelWrites = 32;
const settleMs = 5_000;
const evictionWebhook = '.vpodeviction.kb.io';
const freeNamespace = 'bench-free';
const withoutBudgets = 'evictions without budgets';
const largeNamespace = 'bench-large';

const replicaSets: ResourceType<KubeObject> = { group: 'apps', version: 'v1', kind: 'ReplicaSet', plural: 'replicasets', namespaced: true };

const readiness = (status: 'True' | 'False'): object => ({ status: { phase: 'Running', conditions: [{ type: 'Ready', status }] } });

/** Bound to no node: only this program writes their status, and a deletion removes them at once. */
class Pods {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async create(
    within: string,
    app: string,
    count: number,
    more: Pick<Pod['metadata'], 'annotations' | 'ownerReferences'> = {},
  ): Promise<readonly string[]> {
    const names = Array.from({ length: count }, (_, i) => `${app}-${i}`);
    const { spec } = cloneSet(1).spec.template;
    await inParallel(names, parallelWrites, async (name) => {
      const metadata = { name, namespace: within, labels: { app }, ...more };
      await this.#client.create(podType, { metadata, spec: { ...spec, schedulerName: 'nobody' } } as unknown as Pod);
      await this.setReady(within, name, 'True');
    });
    return names;
  }

  async setReady(within: string, name: string, status: 'True' | 'False'): Promise<void> {
    await this.#client.patch(podType, { namespace: within, name }, readiness(status), { type: 'strategic', subresource: 'status' });
  }

  /** @returns whether it was allowed; it is refused if no replica can charge the budget in time */
  async evict(within: string, name: string): Promise<boolean> {
    try {
      await this.#client.evict({ namespace: within, name }, { gracePeriodSeconds: 0 });
      return true;
    } catch (error) {
      if (isFailure(error, 'TooManyRequests')) return false;
      throw error;
    }
  }
}

/** A workload, its Pods, and the budget for them. @returns the names of the Pods, once the budget counts all of them */
async function createBudget(client: Client, within: string, app: string, count: number): Promise<readonly string[]> {
  const { template } = cloneSet(1).spec;
  const selector = { matchLabels: { app } };
  const workload = await client.create(replicaSets, {
    metadata: { name: app, namespace: within },
    spec: { replicas: count, selector, template: { ...template, metadata: { labels: { app } } } },
  } as KubeObject);
  await client.create(podUnavailableBudgets, { metadata: { name: app, namespace: within }, spec: { selector, maxUnavailable: '80%' } });
  const names = await new Pods(client).create(within, app, count, {
    annotations: { [podUnavailableBudgetAnnotations.relatedPub]: app, [podUnavailableBudgetAnnotations.legacyRelatedPub]: app },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: workload.metadata.uid ?? '', controller: true }],
  });
  await until(`the budget ${app} counts its Pods`, async () => {
    const { status } = await client.get(podUnavailableBudgets, { namespace: within, name: app });
    return status?.currentAvailable === count && status.totalReplicas === count;
  });
  return names;
}

/** Until the API server asks about evictions there: one that may not be is refused. */
async function untilGuarded(client: Client): Promise<void> {
  const app = 'guard';
  const key = { namespace, name: app };
  await client.create(podUnavailableBudgets, {
    metadata: key,
    spec: { selector: { matchLabels: { app } }, minAvailable: 1, protectTotalReplicas: 1 },
  });
  const [name = ''] = await new Pods(client).create(namespace, app, 1, {
    annotations: { [podUnavailableBudgetAnnotations.relatedPub]: app, [podUnavailableBudgetAnnotations.legacyRelatedPub]: app },
  });
  await until('evictions are asked about', () =>
    client.evict({ namespace, name }, { dryRun: true }).then(
      () => false,
      (error: unknown) => {
        if (isFailure(error, 'TooManyRequests')) return true;
        throw error;
      },
    ),
  );
}

/** A phase that ends when `work` has. */
const phaseOf = ({ phase }: Stage, name: string, work: () => Promise<void>, timeoutMs: number): Promise<PhaseResult> =>
  phase({ name, begin: work, isOver: () => Promise.resolve(true), timeoutMs });

/** Pods become ready and unready in turn, so that each change is one that the budget counts. */
async function measureChanges(stage: Stage, within: string, names: readonly string[]): Promise<ChangeCost> {
  const pods = new Pods(stage.client);
  const controller = podUnavailableBudgetDeclaration.controllerName;
  const passes = async (of: 'sum' | 'count'): Promise<number> =>
    (await stage.instruments.manager.metrics()).sum(`controller_runtime_reconcile_time_seconds_${of}`, { controller });
  const [countBefore, secondsBefore] = [await passes('count'), await passes('sum')];
  const change = (at: number): Promise<void> =>
    pods.setReady(within, names[Math.floor(at / 2) % names.length] ?? '', at % 2 === 0 ? 'False' : 'True');
  const name = `${changes} changes under a budget of ${names.length} Pods`;
  const phase = await phaseOf(stage, name, () => paced(changes, changesPerSecond, change), 120_000);
  return { pods: names.length, phase, passes: (await passes('count')) - countBefore, passSeconds: (await passes('sum')) - secondsBefore };
}

interface Evictions {
  readonly phase: PhaseResult;
  /** Milliseconds of each. */
  readonly times: readonly number[];
  readonly refused: number;
}

/** One after the other at a steady rate. */
async function measureEvictions(stage: Stage, name: string, names: readonly string[], perSecond: number): Promise<Evictions> {
  const pods = new Pods(stage.client);
  const within = name === withoutBudgets ? freeNamespace : namespace;
  const times: number[] = [];
  let refused = 0;
  const evict = async (at: number): Promise<void> => {
    const began = performance.now();
    if (!(await pods.evict(within, names[at] ?? ''))) refused++;
    times.push(performance.now() - began);
  };
  const phase = await phaseOf(stage, name, () => paced(names.length, perSecond, evict), 300_000);
  return { phase, times, refused };
}

/** Evictions without budgets, then as many with budgets. */
async function measureRate(stage: Stage, name: string, names: readonly string[], perSecond: number): Promise<EvictionCost> {
  const { client } = stage;
  const free = await new Pods(client).create(freeNamespace, 'free', names.length);
  await sleep(settleMs);
  const { times } = await measureEvictions(stage, withoutBudgets, free, perSecond);
  await sleep(settleMs);
  const calls = (): Promise<number> => requestsAbout(client, ['pods', 'podunavailablebudgets', 'events'], ['eviction']);
  const [callsBefore, before] = [await calls(), await webhookCalls(client, evictionWebhook)];
  const { phase, times: evictions, refused } = await measureEvictions(stage, name, names, perSecond);
  if (phase.webhookThread.reviews < names.length) throw new Error(`${phase.webhookThread.reviews} reviews of ${names.length} evictions`);
  await sleep(settleMs);
  const asked = await webhookCalls(client, evictionWebhook);
  const webhookMs = ((asked.seconds - before.seconds) * 1000) / (asked.calls - before.calls);
  return { ...phase, evictions, free: times, refused, webhookMs, apiCalls: (await calls()) - callsBefore };
}

/** In turns, so that one budget after the other is charged. */
const inTurns = (lists: readonly (readonly string[])[], count: number): string[] =>
  Array.from({ length: count }, (_, at) => lists[at % lists.length]?.[Math.floor(at / lists.length)] ?? '');

function changeRows(small: ChangeCost, large: ChangeCost): readonly Row[] {
  const row = (what: string, value: (cost: ChangeCost) => number, limit?: number): Row => ({
    what: `a Pod under a budget of ${large.pods.toLocaleString('en-US')} Pods changes: ${what}`,
    ours: value(large),
    peer: { name: `under one of ${small.pods}`, value: value(small) },
    ...(limit === undefined ? {} : { limit }),
  });
  return [
    row('CPU of the manager (ms)', ({ phase }) => (phase.cpuSeconds * 1000) / changes, 1.5),
    row('one pass, its write included (ms)', ({ passes, passSeconds }) => (passSeconds * 1000) / passes),
    row('API calls', ({ phase }) => phase.apiCalls / changes),
  ];
}

const latency = (what: string, share: number, limit?: number): PhaseMeasure<EvictionCost> => ({
  what: `${what} (ms)`,
  ours: ({ evictions }) => quantile(evictions, share),
  peer: ({ free }) => ({ name: 'without budgets', value: quantile(free, share) }),
  ...(limit === undefined ? {} : { limit, limitOf: 'ours' }),
});

const clusterSeconds = ({ clusterCpuSeconds }: PhaseResult): number =>
  Object.values(clusterCpuSeconds).reduce((sum, seconds) => sum + seconds, 0);

const evictionMeasures: readonly PhaseMeasure<EvictionCost>[] = [
  latency('p50', 0.5),
  latency('p99', 0.99, 15),
  { what: 'of these the webhook, mean (ms)', ours: ({ webhookMs }) => webhookMs },
  { what: 'refused', ours: ({ refused }) => refused, limit: 0 },
  { what: 'API calls an eviction', ours: ({ apiCalls, evictions }) => apiCalls / evictions.length },
  { what: 'CPU of the manager an eviction (ms)', ours: ({ cpuSeconds, evictions }) => (cpuSeconds * 1000) / evictions.length },
  { what: 'CPU of the cluster an eviction (ms)', ours: (cost) => (clusterSeconds(cost) * 1000) / cost.evictions.length },
  coresBusy,
  ownWork,
];

export const measure: Measure = (run) =>
  onStage(run, { pods: 0, simulatedNodes: 0, controllers: false }, async (stage) => {
    const { client } = stage;
    const wanted = run.sizes.pods;
    const budgets = Math.max(Math.floor(wanted / podsPerBudget), 1);
    for (const name of [freeNamespace, largeNamespace]) await client.create(namespaces, { metadata: { name } });
    run.progress(`${budgets} budgets of ${podsPerBudget} Pods each`);
    const lists: (readonly string[])[] = [];
    for (let at = 0; at < budgets; at++) lists.push(await createBudget(client, namespace, `app-${at}`, podsPerBudget));
    const size = Math.max(wanted / 2, podsPerBudget);
    run.progress(`a budget of ${size} Pods`);
    const large = await createBudget(client, largeNamespace, 'large', size);
    await untilGuarded(client);
    await sleep(settleMs);
    const ofSmall = await measureChanges(stage, namespace, lists[0] ?? []);
    const ofLarge = await measureChanges(stage, largeNamespace, large);

    const names = inTurns(lists, Math.floor(budgets * podsPerBudget * evictableShare));
    const rates: EvictionCost[] = [];
    for (const perSecond of evictionRates) {
      const count = Math.min(perSecond * evictionSeconds, Math.floor(names.length / evictionRates.length));
      const all = (budgets * podsPerBudget).toLocaleString('en-US');
      const name = `${perSecond} evictions a second, ${budgets} budgets over ${all} Pods`;
      rates.push(await measureRate(stage, name, names.splice(0, count), perSecond));
    }
    return {
      rows: [...rowsOf(rates, evictionMeasures), ...changeRows(ofSmall, ofLarge)],
      details: { budgets, rates, small: ofSmall, large: ofLarge },
    };
  });
