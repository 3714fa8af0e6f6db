/** Evictions under many PodUnavailableBudgets, and what a change of one Pod costs in a small and in a large budget. */
import { setTimeout as sleep } from 'node:timers/promises';
import { podUnavailableBudgetDeclaration } from '@kruise/api';
import { namespaces } from '@kruise/objects';
import { paced, timed } from '../each.ts';
import { webhookCalls } from '../manager/api-server-requests.ts';
import { coresBusy, ownWork, rowsOf, type PhaseMeasure } from '../manager/measures.ts';
import type { PhaseResult } from '../manager/phase.ts';
import { onStage, type Stage } from '../manager/stage.ts';
import { BudgetPods } from '../objects/budget-pods.ts';
import { namespace } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';
import { quantile, total } from '../statistics.ts';
import { rowsAbout, type Row } from '../table.ts';

/** Changes of Pods under one budget, in milliseconds for each. */
interface ChangeCost {
  readonly pods: number;
  /** CPU of the manager. */
  readonly cpuMs: number;
  /** A pass over the budget, its write included. */
  readonly passMs: number;
}

/** Evictions at one rate. */
interface Evictions extends PhaseResult {
  /** Milliseconds of every eviction, as its caller sees it. */
  readonly evictions: readonly number[];
  /** Those that were not allowed, though the budget has room. */
  readonly refused: number;
}

interface BudgetEvictions extends Evictions {
  /** Milliseconds for Pods without a budget, for which no webhook is called, at that rate, measured before. */
  readonly free: readonly number[];
  /** That the API server waits for the webhook, on average. */
  readonly webhookMs: number;
}

const podsPerBudget = 100;
const evictionRates = [10, 50, 200];
/** How long each of them lasts, in seconds. */
const evictionSeconds = 15;
/** Of the Pods under budgets; four fifths may be evicted. */
const evictableShare = 0.6;
const changesPerSecond = 20;
const changes = 400;
const settleMs = 5_000;
const evictionWebhook = /\.vpodeviction\.kb\.io$/;
const freeNamespace = 'bench-free';
const largeNamespace = 'bench-large';

/** Pods become ready and unready in turn, so that each change is one that the budget counts. */
async function measureChanges({ manager, phase }: Stage, pods: BudgetPods, names: readonly string[]): Promise<ChangeCost> {
  const controller = podUnavailableBudgetDeclaration.controllerName;
  const passes = async (of: 'sum' | 'count'): Promise<number> =>
    (await manager.measured()).sum(`controller_runtime_reconcile_time_seconds_${of}`, { controller });
  const [count, seconds] = [await passes('count'), await passes('sum')];
  const change = (at: number): Promise<void> =>
    pods.setReady(names[Math.floor(at / 2) % names.length] ?? '', at % 2 === 0 ? 'False' : 'True');
  const name = `${changes} changes under a budget of ${names.length} Pods`;
  const { cpuSeconds } = await phase({ name, begin: () => paced(changes, changesPerSecond, change), timeoutMs: 120_000 });
  const passMs = (((await passes('sum')) - seconds) * 1000) / ((await passes('count')) - count);
  return { pods: names.length, cpuMs: (cpuSeconds * 1000) / changes, passMs };
}

/** At a steady rate. @param rate name and evictions a second */
async function evictAll(
  { phase }: Stage,
  pods: BudgetPods,
  names: readonly string[],
  rate: readonly [name: string, perSecond: number],
): Promise<Evictions> {
  const [name, perSecond] = rate;
  const calls: Awaited<ReturnType<typeof timed<boolean>>>[] = [];
  const evict = async (at: number): Promise<void> => void calls.push(await timed(() => pods.evict(names[at] ?? '')));
  const cost = await phase({ name, begin: () => paced(names.length, perSecond, evict), timeoutMs: 300_000 });
  return { ...cost, evictions: calls.map(({ ms }) => ms), refused: calls.filter(({ result }) => !result).length };
}

/** Evictions without budgets, then as many with budgets. */
async function measureRate(stage: Stage, name: string, names: readonly string[], perSecond: number): Promise<BudgetEvictions> {
  const freePods = new BudgetPods(stage.client, freeNamespace);
  const freeNames = await freePods.create('free', names.length);
  await sleep(settleMs);
  const free = await evictAll(stage, freePods, freeNames, ['evictions without budgets', perSecond]);
  await sleep(settleMs);
  const before = await webhookCalls(stage.client, evictionWebhook);
  const cost = await evictAll(stage, new BudgetPods(stage.client, namespace), names, [name, perSecond]);
  if (cost.webhookThread.reviews < names.length) throw new Error(`${cost.webhookThread.reviews} reviews of ${names.length} evictions`);
  await sleep(settleMs);
  const after = await webhookCalls(stage.client, evictionWebhook);
  return { ...cost, free: free.evictions, webhookMs: ((after.seconds - before.seconds) * 1000) / (after.calls - before.calls) };
}

/** In turns, so that one budget after the other is charged. */
const inTurns = (lists: readonly (readonly string[])[], count: number): string[] =>
  Array.from({ length: count }, (_, at) => lists[at % lists.length]?.[Math.floor(at / lists.length)] ?? '');

function changeRows(small: ChangeCost, large: ChangeCost): readonly Row[] {
  const beside = (of: 'cpuMs' | 'passMs'): Omit<Row, 'what'> => ({
    ours: large[of],
    peer: { name: `under one of ${small.pods}`, value: small[of] },
  });
  return rowsAbout(`a Pod under a budget of ${large.pods.toLocaleString('en-US')} Pods changes:`, {
    'CPU of the manager (ms)': { ...beside('cpuMs'), limit: 1.5 },
    'one pass, its write included (ms)': beside('passMs'),
  });
}

const latency = (what: string, share: number, limit?: number): PhaseMeasure<BudgetEvictions> => ({
  what: `${what} (ms)`,
  ours: ({ evictions }) => quantile(evictions, share),
  peer: ({ free }) => ({ name: 'without budgets', value: quantile(free, share) }),
  limit,
  limitOf: 'ours',
});

const evictionMeasures: readonly PhaseMeasure<BudgetEvictions>[] = [
  latency('p50', 0.5),
  latency('p99', 0.99, 15),
  { what: 'of these the webhook, mean (ms)', ours: ({ webhookMs }) => webhookMs },
  { what: 'refused', ours: ({ refused }) => refused, limit: 0 },
  { what: 'CPU of the manager an eviction (ms)', ours: ({ cpuSeconds, evictions }) => (cpuSeconds * 1000) / evictions.length },
  {
    what: 'CPU of the cluster an eviction (ms)',
    ours: ({ clusterCpuSeconds, evictions }) => (total(Object.values(clusterCpuSeconds)) * 1000) / evictions.length,
  },
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
    const rates: BudgetEvictions[] = [];
    const most = Math.floor(names.length / evictionRates.length);
    for (const perSecond of evictionRates) {
      const all = (budgets * podsPerBudget).toLocaleString('en-US');
      const name = `${perSecond} evictions a second, ${budgets} budgets over ${all} Pods`;
      rates.push(await measureRate(stage, name, names.splice(0, Math.min(perSecond * evictionSeconds, most)), perSecond));
    }
    const details = { budgets, rates, small: ofSmall, large: ofLarge };
    return { rows: [...rowsOf(rates, evictionMeasures), ...changeRows(ofSmall, ofLarge)], details };
  });
