/** Evictions under many PodUnavailableBudgets, and what a change of one Pod costs in a small and in a large budget. */
import { setTimeout as sleep } from 'node:timers/promises';
import { podUnavailableBudgetAnnotations, podUnavailableBudgetDeclaration, podUnavailableBudgets } from '@kruise/api';
import { inParallel, isFailure, type Client } from '@kruise/kube';
import { namespaces, pods as podType, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import { quantile } from '../statistics.ts';
import type { Row } from '../table.ts';
import { requestsAbout, webhookCalls } from './api-server-requests.ts';
import { cloneSet, namespace } from './clone-set.ts';
import { paced } from './paced.ts';
import { runPhase, type Instruments, type PhaseResult } from './phase.ts';
import { onStage, type StageOptions } from './stage.ts';

export interface BudgetOptions extends Omit<StageOptions, 'pods'> {
  /** Of all budgets together. */
  readonly pods: number;
}

/** Changes of Pods under one budget. */
interface ChangeCost {
  readonly pods: number;
  readonly phase: PhaseResult;
  /** Passes over budgets, and seconds that they took, their writes included. */
  readonly passes: number;
  readonly passSeconds: number;
}

/** Evictions at one rate. */
interface EvictionCost {
  readonly perSecond: number;
  readonly phase: PhaseResult;
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

export interface BudgetResult {
  readonly budgets: number;
  readonly pods: number;
  readonly rates: readonly EvictionCost[];
  readonly small: ChangeCost;
  readonly large: ChangeCost;
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

async function until(what: string, holds: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not so after ${timeoutMs / 1000} s`);
    await sleep(50);
  }
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

/** Pods become ready and unready in turn, so that each change is one that the budget counts. */
async function measureChanges(client: Client, within: string, names: readonly string[], instruments: Instruments): Promise<ChangeCost> {
  const pods = new Pods(client);
  const controller = podUnavailableBudgetDeclaration.controllerName;
  const passes = async (of: 'sum' | 'count'): Promise<number> =>
    (await instruments.manager.metrics()).sum(`controller_runtime_reconcile_time_seconds_${of}`, { controller });
  const [countBefore, secondsBefore] = [await passes('count'), await passes('sum')];
  let isDone = false;
  const phase = await runPhase(
    {
      name: `${changes} changes under a budget of ${names.length} Pods`,
      begin: async () => {
        await paced(changes, changesPerSecond, (at) =>
          pods.setReady(within, names[Math.floor(at / 2) % names.length] ?? '', at % 2 === 0 ? 'False' : 'True'),
        );
        isDone = true;
      },
      isOver: () => Promise.resolve(isDone),
      timeoutMs: 120_000,
    },
    instruments,
  );
  return { pods: names.length, phase, passes: (await passes('count')) - countBefore, passSeconds: (await passes('sum')) - secondsBefore };
}

/** One after the other at a steady rate. @returns the milliseconds of each, and all that they cost */
async function measureEvictions(
  { client, instruments }: { readonly client: Client; readonly instruments: Instruments },
  within: string,
  names: readonly string[],
  perSecond: number,
): Promise<{ readonly phase: PhaseResult; readonly times: readonly number[]; readonly refused: number }> {
  const pods = new Pods(client);
  const times: number[] = [];
  let [isDone, refused] = [false, 0];
  const phase = await runPhase(
    {
      name: `${names.length} evictions in ${within}, ${perSecond} a second`,
      begin: async () => {
        await paced(names.length, perSecond, async (at) => {
          const began = performance.now();
          if (!(await pods.evict(within, names[at] ?? ''))) refused++;
          times.push(performance.now() - began);
        });
        isDone = true;
      },
      isOver: () => Promise.resolve(isDone),
      timeoutMs: 300_000,
    },
    instruments,
  );
  return { phase, times, refused };
}

/** In turns, so that one budget after the other is charged. */
const inTurns = (lists: readonly (readonly string[])[], count: number): string[] =>
  Array.from({ length: count }, (_, at) => lists[at % lists.length]?.[Math.floor(at / lists.length)] ?? '');

export const measureBudget = ({ pods: wanted, ...options }: BudgetOptions): Promise<BudgetResult> =>
  onStage({ ...options, pods: 0, simulatedNodes: 0, controllers: false }, [], async ({ client, instruments }) => {
    const pods = new Pods(client);
    const { progress } = options;
    const budgets = Math.max(Math.floor(wanted / podsPerBudget), 1);
    for (const name of [freeNamespace, largeNamespace]) await client.create(namespaces, { metadata: { name } });
    progress(`${budgets} budgets of ${podsPerBudget} Pods each`);
    const lists: (readonly string[])[] = [];
    for (let at = 0; at < budgets; at++) lists.push(await createBudget(client, namespace, `app-${at}`, podsPerBudget));
    const size = Math.max(wanted / 2, podsPerBudget);
    progress(`a budget of ${size} Pods`);
    const large = await createBudget(client, largeNamespace, 'large', size);
    await untilGuarded(client);
    await sleep(settleMs);

    progress('changes of Pods');
    const smallCost = await measureChanges(client, namespace, lists[0] ?? [], instruments);
    const largeCost = await measureChanges(client, largeNamespace, large, instruments);

    const names = inTurns(lists, Math.floor(budgets * podsPerBudget * evictableShare));
    const rates: EvictionCost[] = [];
    for (const perSecond of evictionRates) {
      const count = Math.min(perSecond * evictionSeconds, Math.floor(names.length / evictionRates.length));
      const free = await pods.create(freeNamespace, 'free', count);
      await sleep(settleMs);
      progress(`${count} evictions, ${perSecond} a second, without and with budgets`);
      const { times } = await measureEvictions({ client, instruments }, freeNamespace, free, perSecond);
      await sleep(settleMs);
      const calls = (): Promise<number> => requestsAbout(client, ['pods', 'podunavailablebudgets', 'events'], ['eviction']);
      const callsBefore = await calls();
      const askedBefore = await webhookCalls(client, evictionWebhook);
      const ours = await measureEvictions({ client, instruments }, namespace, names.splice(0, count), perSecond);
      if (ours.phase.webhookThread.reviews < count) throw new Error(`${ours.phase.webhookThread.reviews} reviews of ${count} evictions`);
      await sleep(settleMs);
      const { phase, times: evictions, refused } = ours;
      progress(JSON.stringify(phase));
      const asked = await webhookCalls(client, evictionWebhook);
      const webhookMs = ((asked.seconds - askedBefore.seconds) * 1000) / (asked.calls - askedBefore.calls);
      rates.push({ perSecond, phase, evictions, free: times, refused, webhookMs, apiCalls: (await calls()) - callsBefore });
    }
    return { budgets, pods: budgets * podsPerBudget, rates, small: smallCost, large: largeCost };
  });

function changeRows(small: ChangeCost, large: ChangeCost): readonly Row[] {
  const of = (what: string): string => `a Pod under a budget of ${large.pods.toLocaleString('en-US')} Pods changes: ${what}`;
  const beside = (value: number): NonNullable<Row['peer']> => ({ name: `under one of ${small.pods}`, value });
  const cpuMs = ({ phase }: ChangeCost): number => (phase.cpuSeconds * 1000) / changes;
  const passMs = ({ passes, passSeconds }: ChangeCost): number => (passSeconds * 1000) / passes;
  return [
    { what: of('CPU of the manager (ms)'), ours: cpuMs(large), peer: beside(cpuMs(small)), limit: 1.5 },
    { what: of('one pass, its write included (ms)'), ours: passMs(large), peer: beside(passMs(small)) },
    { what: of('API calls'), ours: large.phase.apiCalls / changes, peer: beside(small.phase.apiCalls / changes) },
  ];
}

export function budgetRows({ budgets, pods, rates, small, large }: BudgetResult): readonly Row[] {
  const rows = rates.flatMap(({ perSecond, phase, evictions, free, refused, webhookMs, apiCalls }): readonly Row[] => {
    const of = (what: string): string =>
      `${perSecond} evictions a second, ${budgets} budgets over ${pods.toLocaleString('en-US')} Pods: ${what}`;
    const peer = (share: number): NonNullable<Row['peer']> => ({ name: 'without budgets', value: quantile(free, share) });
    return [
      { what: of('p50 (ms)'), ours: quantile(evictions, 0.5), peer: peer(0.5) },
      { what: of('p99 (ms)'), ours: quantile(evictions, 0.99), limit: 15, limitOf: 'ours', peer: peer(0.99) },
      { what: of('of these the webhook, mean (ms)'), ours: webhookMs },
      { what: of('refused'), ours: refused, limit: 0 },
      { what: of('API calls an eviction'), ours: apiCalls / evictions.length },
      { what: of('CPU of the manager an eviction (ms)'), ours: (phase.cpuSeconds * 1000) / evictions.length },
      { what: of('CPU of the cluster an eviction (ms)'), ours: (clusterSeconds(phase) * 1000) / evictions.length },
      { what: of('share of all cores that is busy'), ours: phase.machineBusy },
      { what: of('longest own work between two event-loop turns (CPU ms)'), ours: phase.longestWorkMs, limit: 50 },
    ];
  });
  return [...rows, ...changeRows(small, large)];
}

const clusterSeconds = ({ clusterCpuSeconds }: PhaseResult): number =>
  Object.values(clusterCpuSeconds).reduce((sum, seconds) => sum + seconds, 0);
