/** Evictions under many PodUnavailableBudgets, and what a change of one Pod costs in a small and in a large budget. */
import { setTimeout as sleep } from 'node:timers/promises';
import { podUnavailableBudgetDeclaration } from '@kruise/api';
import { namespaces, type ObjectKey } from '@kruise/objects';
import { paced, timed } from '../each.ts';
import { webhookCalls } from '../manager/api-server-requests.ts';
import { coresBusy, ownWork, rowsOf, type PhaseMeasure } from '../manager/measures.ts';
import type { PhaseResult } from '../manager/phase.ts';
import { onStage, type Stage } from '../manager/stage.ts';
import { createPodsWithBudget, createReadyPods, evict, setReady, untilGuarded } from '../objects/budget-pods.ts';
import { namespace } from '../objects/workloads.ts';
import { quantile, total } from '../statistics.ts';
import { rowsAbout, type Row } from '../table.ts';

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
const controller = podUnavailableBudgetDeclaration.controllerName;

/**
 * Pods become ready and unready in turn, so that each change is one that the budget counts.
 *
 * @returns milliseconds for each change: CPU of the manager, and a pass over the budget, its write included
 */
async function measureChanges(
  { client, manager, phase }: Stage,
  keys: readonly ObjectKey[],
): Promise<Readonly<Record<'cpuMs' | 'passMs', number>>> {
  const passes = async (of: 'sum' | 'count'): Promise<number> =>
    (await manager.measured()).sum(`controller_runtime_reconcile_time_seconds_${of}`, { controller });
  const [count, seconds] = [await passes('count'), await passes('sum')];
  const change = async (at: number): Promise<void> => {
    const key = keys[Math.floor(at / 2) % keys.length];
    if (key !== undefined) await setReady(client, key, at % 2 === 0 ? 'False' : 'True');
  };
  const name = `${changes} changes under a budget of ${keys.length} Pods`;
  const { cpuSeconds } = await phase({ name, begin: () => paced(changes, changesPerSecond, change), timeoutMs: 120_000 });
  const passMs = (((await passes('sum')) - seconds) * 1000) / ((await passes('count')) - count);
  return { cpuMs: (cpuSeconds * 1000) / changes, passMs };
}

/** At a steady rate. */
async function evictAll({ client, phase }: Stage, name: string, keys: readonly ObjectKey[], perSecond: number): Promise<Evictions> {
  const calls: Awaited<ReturnType<typeof timed<boolean>>>[] = [];
  const evictOne = async (at: number): Promise<void> => {
    const key = keys[at];
    if (key !== undefined) calls.push(await timed(() => evict(client, key)));
  };
  const cost = await phase({ name, begin: () => paced(keys.length, perSecond, evictOne), timeoutMs: 300_000 });
  return { ...cost, evictions: calls.map(({ ms }) => ms), refused: calls.filter(({ result }) => !result).length };
}

/** Evictions without budgets, then as many with budgets. */
async function measureRate(stage: Stage, name: string, keys: readonly ObjectKey[], perSecond: number): Promise<BudgetEvictions> {
  const freeKeys = await createReadyPods(stage.client, { namespace: freeNamespace, name: 'free' }, keys.length);
  await sleep(settleMs);
  const free = await evictAll(stage, 'evictions without budgets', freeKeys, perSecond);
  await sleep(settleMs);
  const before = await webhookCalls(stage.client, evictionWebhook);
  const cost = await evictAll(stage, name, keys, perSecond);
  if (cost.webhookThread.reviews < keys.length) throw new Error(`${cost.webhookThread.reviews} reviews of ${keys.length} evictions`);
  await sleep(settleMs);
  const after = await webhookCalls(stage.client, evictionWebhook);
  return { ...cost, free: free.evictions, webhookMs: ((after.seconds - before.seconds) * 1000) / (after.calls - before.calls) };
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

/** Changes of a Pod under the large budget beside those under a small one. */
async function changeRows(stage: Stage, small: readonly ObjectKey[], large: readonly ObjectKey[]): Promise<readonly Row[]> {
  const [ofSmall, ofLarge] = [await measureChanges(stage, small), await measureChanges(stage, large)];
  const peer = (value: number): NonNullable<Row['peer']> => ({ name: `under one of ${small.length}`, value });
  return rowsAbout(`a Pod under a budget of ${large.length.toLocaleString('en-US')} Pods changes:`, {
    'CPU of the manager (ms)': { ours: ofLarge.cpuMs, peer: peer(ofSmall.cpuMs), limit: 1.5 },
    'one pass, its write included (ms)': { ours: ofLarge.passMs, peer: peer(ofSmall.passMs) },
  });
}

export const measure = onStage(
  () => ({ pods: 0, simulatedNodes: 0, controllers: false }),
  async (stage) => {
    const { client, progress, record, sizes } = stage;
    const budgets = Math.max(Math.floor(sizes.pods / podsPerBudget), 1);
    for (const name of [freeNamespace, largeNamespace]) await client.create(namespaces, { metadata: { name } });
    progress(`${budgets} budgets of ${podsPerBudget} Pods each`);
    const lists: (readonly ObjectKey[])[] = [];
    for (let at = 0; at < budgets; at++) lists.push(await createPodsWithBudget(client, { namespace, name: `app-${at}` }, podsPerBudget));
    const size = Math.max(sizes.pods / 2, podsPerBudget);
    progress(`a budget of ${size} Pods`);
    const large = await createPodsWithBudget(client, { namespace: largeNamespace, name: 'large' }, size);
    await untilGuarded(client, namespace);
    await sleep(settleMs);
    const ofChanges = await changeRows(stage, lists[0] ?? [], large);

    // In turns, so that one budget after the other is charged.
    const evictable = Array.from({ length: Math.floor(podsPerBudget * evictableShare) }, (_, at) =>
      lists.flatMap((keys) => keys[at] ?? []),
    ).flat();
    const most = Math.floor(evictable.length / evictionRates.length);
    const rates: BudgetEvictions[] = [];
    for (const perSecond of evictionRates) {
      const all = (budgets * podsPerBudget).toLocaleString('en-US');
      const name = `${perSecond} evictions a second, ${budgets} budgets over ${all} Pods`;
      rates.push(await measureRate(stage, name, evictable.splice(0, Math.min(perSecond * evictionSeconds, most)), perSecond));
    }
    record({ budgets, rates });
    return [...rowsOf(rates, evictionMeasures), ...ofChanges];
  },
);
