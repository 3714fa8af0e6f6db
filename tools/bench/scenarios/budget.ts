/** Evictions under many PodUnavailableBudgets, and what a change of one Pod costs in a small and in a large budget. */
import { setTimeout as sleep } from 'node:timers/promises';
import { podUnavailableBudgetDeclaration } from '@kruise/api';
import { namespaces } from '@kruise/objects';
import { paced } from '../each.ts';
import { requestsAbout, webhookCalls } from '../manager/api-server-requests.ts';
import { coresBusy, ownWork, rowsOf, type PhaseMeasure } from '../manager/measures.ts';
import type { PhaseResult } from '../manager/phase.ts';
import { onStage, type Stage } from '../manager/stage.ts';
import { namespace } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';
import { quantile } from '../statistics.ts';
import type { Row } from '../table.ts';
import { BudgetPods } from './budget-pods.ts';

/** Changes of Pods under one budget. */
interface ChangeCost {
  readonly pods: number;
  readonly phase: PhaseResult;
  /** Passes over budgets, and seconds that they took, their writes included. */
  readonly passes: number;
  readonly passSeconds: number;
}

interface Evictions extends PhaseResult {
  /** Milliseconds of every eviction, as its caller sees it. */
  readonly evictions: readonly number[];
  /** Those that were not allowed, though the budget has room. */
  readonly refused: number;
}

/** Evictions at one rate. */
interface EvictionCost extends Evictions {
  /** Milliseconds for Pods without a budget, for which no webhook is called, at that rate, measured before. */
  readonly free: readonly number[];
  /** That the API server waits for the webhook, on average. */
  readonly webhookMs: number;
}

const podsPerBudget = 100;
const evictionRates = [10, 50, 200];
/** How long each of them lasts, in seconds. */
const evictionSeconds = 15;
/** Of the Pods under budgets; four fifths may go. */
const evictableShare = 0.6;
const changesPerSecond = 20;
const changes = 400;
const settleMs = 5_000;
const evictionWebhook = '.vpodeviction.kb.io';
const freeNamespace = 'bench-free';
const largeNamespace = 'bench-large';

/** Pods become ready and unready in turn, so that each change is one that the budget counts. */
async function measureChanges(stage: Stage, pods: BudgetPods, names: readonly string[]): Promise<ChangeCost> {
  const controller = podUnavailableBudgetDeclaration.controllerName;
  const passes = async (of: 'sum' | 'count'): Promise<number> =>
    (await stage.instruments.manager.metrics()).sum(`controller_runtime_reconcile_time_seconds_${of}`, { controller });
  const [countBefore, secondsBefore] = [await passes('count'), await passes('sum')];
  const change = (at: number): Promise<void> =>
    pods.setReady(names[Math.floor(at / 2) % names.length] ?? '', at % 2 === 0 ? 'False' : 'True');
  const name = `${changes} changes under a budget of ${names.length} Pods`;
  const phase = await stage.phase({ name, begin: () => paced(changes, changesPerSecond, change), timeoutMs: 120_000 });
  return { pods: names.length, phase, passes: (await passes('count')) - countBefore, passSeconds: (await passes('sum')) - secondsBefore };
}

/** One after the other at a steady rate. */
async function evictAll(
  stage: Stage,
  pods: BudgetPods,
  given: Readonly<{ name: string; names: readonly string[]; perSecond: number }>,
): Promise<Evictions> {
  const { name, names, perSecond } = given;
  const evictions: number[] = [];
  let refused = 0;
  const evict = async (at: number): Promise<void> => {
    const began = performance.now();
    if (!(await pods.evict(names[at] ?? ''))) refused++;
    evictions.push(performance.now() - began);
  };
  const phase = await stage.phase({ name, begin: () => paced(names.length, perSecond, evict), timeoutMs: 300_000 });
  return { ...phase, evictions, refused };
}

/** Evictions without budgets, then as many with budgets. */
async function measureRate(stage: Stage, name: string, names: readonly string[], perSecond: number): Promise<EvictionCost> {
  const { client } = stage;
  const freePods = new BudgetPods(client, freeNamespace);
  const freeNames = await freePods.create('free', names.length);
  await sleep(settleMs);
  const free = await evictAll(stage, freePods, { name: 'evictions without budgets', names: freeNames, perSecond });
  await sleep(settleMs);
  const calls = (): Promise<number> => requestsAbout(client, ['pods', 'podunavailablebudgets', 'events'], { without: ['eviction'] });
  const [callsBefore, before] = [await calls(), await webhookCalls(client, evictionWebhook)];
  const cost = await evictAll(stage, new BudgetPods(client, namespace), { name, names, perSecond });
  if (cost.webhookThread.reviews < names.length) throw new Error(`${cost.webhookThread.reviews} reviews of ${names.length} evictions`);
  await sleep(settleMs);
  const asked = await webhookCalls(client, evictionWebhook);
  const webhookMs = ((asked.seconds - before.seconds) * 1000) / (asked.calls - before.calls);
  // Of webhooks and controller, about Pods, budgets and events.
  return { ...cost, free: free.evictions, webhookMs, apiCalls: (await calls()) - callsBefore };
}

/** In turns, so that one budget after the other is charged. */
const inTurns = (lists: readonly (readonly string[])[], count: number): string[] =>
  Array.from({ length: count }, (_, at) => lists[at % lists.length]?.[Math.floor(at / lists.length)] ?? '');

function changeRows(small: ChangeCost, large: ChangeCost): readonly Row[] {
  const row = (what: string, value: (cost: ChangeCost) => number): Row => ({
    what: `a Pod under a budget of ${large.pods.toLocaleString('en-US')} Pods changes: ${what}`,
    ours: value(large),
    peer: { name: `under one of ${small.pods}`, value: value(small) },
  });
  return [
    { ...row('CPU of the manager (ms)', ({ phase }) => (phase.cpuSeconds * 1000) / changes), limit: 1.5 },
    row('one pass, its write included (ms)', ({ passes, passSeconds }) => (passSeconds * 1000) / passes),
  ];
}

const latency = (what: string, share: number, limits: { readonly limit?: number } = {}): PhaseMeasure<EvictionCost> => ({
  what: `${what} (ms)`,
  ours: ({ evictions }) => quantile(evictions, share),
  peer: ({ free }) => ({ name: 'without budgets', value: quantile(free, share) }),
  ...limits,
  limitOf: 'ours',
});

const clusterSeconds = ({ clusterCpuSeconds }: PhaseResult): number =>
  Object.values(clusterCpuSeconds).reduce((sum, seconds) => sum + seconds, 0);

const evictionMeasures: readonly PhaseMeasure<EvictionCost>[] = [
  latency('p50', 0.5),
  latency('p99', 0.99, { limit: 15 }),
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
    const [small, large] = [new BudgetPods(client, namespace), new BudgetPods(client, largeNamespace)];
    run.progress(`${budgets} budgets of ${podsPerBudget} Pods each`);
    const lists: (readonly string[])[] = [];
    for (let at = 0; at < budgets; at++) lists.push(await small.createWithBudget(`app-${at}`, podsPerBudget));
    const size = Math.max(wanted / 2, podsPerBudget);
    run.progress(`a budget of ${size} Pods`);
    const largeNames = await large.createWithBudget('large', size);
    await small.untilGuarded();
    await sleep(settleMs);
    const ofSmall = await measureChanges(stage, small, lists[0] ?? []);
    const ofLarge = await measureChanges(stage, large, largeNames);

    const names = inTurns(lists, Math.floor(budgets * podsPerBudget * evictableShare));
    const rates: EvictionCost[] = [];
    const most = Math.floor(names.length / evictionRates.length);
    for (const perSecond of evictionRates) {
      const all = (budgets * podsPerBudget).toLocaleString('en-US');
      const name = `${perSecond} evictions a second, ${budgets} budgets over ${all} Pods`;
      rates.push(await measureRate(stage, name, names.splice(0, Math.min(perSecond * evictionSeconds, most)), perSecond));
    }
    return {
      rows: [...rowsOf(rates, evictionMeasures), ...changeRows(ofSmall, ofLarge)],
      details: { budgets, rates, small: ofSmall, large: ofLarge },
    };
  });
