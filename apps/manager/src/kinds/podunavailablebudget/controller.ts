/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/podunavailablebudget.md 5 */
import {
  cloneSets,
  daemonSets,
  persistentPodStateWhiteListKey,
  podUnavailableBudgetDeclaration,
  podUnavailableBudgets,
  statefulSets,
  type PodUnavailableBudget,
} from '@kruise/api';
import {
  afterFailure,
  requeueOrSettle,
  onEvent,
  runPlan,
  settled,
  unlessDeleted,
  watchInformer,
  type EventRecorder,
  type Informer,
  type Outcome,
} from '@kruise/kube';
import { earliest, formatKey, keyOf, pods, type ObjectKey, type Pod, type ResourceType } from '@kruise/objects';
import { byController, byOwner, builtInDaemonSets, builtInStatefulSets, deployments, replicaSets } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { configurationOf, KindMapper, whiteListOf, WorkloadFinder, type ListedKinds } from '../../workloads/finder/index.ts';
import { triedAgainWithin } from '../../workloads/refusals/refused-objects.ts';
import { repeatedPass } from '../../workloads/passes/repeated-pass.ts';
import { StatusLedger, type Entry } from '../../writes/status-ledger.ts';
import {
  availability,
  type IsAvailable,
  EntryAges,
  overdueEntries,
  type EntrySigns,
  planAnnotations,
  planStatus,
  type AnnotatePod,
  type Snapshot,
  type StatusPlan,
  selections,
  isSameStatus,
} from '@kruise/kinds/podunavailablebudget';
import { recordBudgetEvent } from './events.ts';
import { execute } from './execute.ts';
import { BudgetMembers } from './members.ts';
import { findsBySelector, isBudgetFor, observe, readPods, type Sources } from './observe.ts';
import { requestsOfBudget, requestsOfPod, requestsOfWorkload, type Budgets } from './triggers.ts';

class Passes {
  readonly #dependencies: ControllerDependencies;
  readonly #sources: Sources;
  readonly #pods: Informer<Pod>;
  readonly #isAvailable: IsAvailable;
  readonly #ledger: StatusLedger<PodUnavailableBudget>;
  readonly #ages = new EntryAges();
  readonly #recorder: EventRecorder;

  constructor(
    dependencies: ControllerDependencies,
    sources: Sources,
    held: { readonly pods: Informer<Pod>; readonly isAvailable: IsAvailable },
  ) {
    const { client, clock, recorderFor } = dependencies;
    this.#dependencies = dependencies;
    this.#sources = sources;
    this.#pods = held.pods;
    this.#isAvailable = held.isAvailable;
    this.#recorder = recorderFor(podUnavailableBudgetDeclaration.controllerName);
    this.#ledger = new StatusLedger({
      store: sources.budgets,
      read: (key) => unlessDeleted(client.get(podUnavailableBudgets, key)),
      write: (budget) => client.updateStatus(podUnavailableBudgets, budget),
      clock,
    });
  }

  reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    return repeatedPass(() => this.#look(key, signal));
  }

  async #look(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const budget = this.#sources.budgets.get(key);
    if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) {
      this.#ages.forget(key);
      return settled;
    }
    const { client, logger } = this.#dependencies;
    const seen = await observe(budget, this.#sources, signal);
    const tools = {
      execute: (action: AnnotatePod) => execute(action, budget, client, signal),
      logger,
      about: { podUnavailableBudget: formatKey(key) },
    };
    const result = await runPlan(
      [{ name: 'annotate', actions: planAnnotations(seen), onFailure: 'Collect', pace: 'AtOnce' }],
      tools,
      signal,
    );
    const plan = await this.#writeStatus(budget, seen, signal);
    for (const event of plan?.events ?? []) recordBudgetEvent(this.#recorder, budget, event);
    const wait = plan?.requeueAfter;
    return result.error === undefined ? requeueOrSettle(wait) : afterFailure(result.error, earliest([wait, triedAgainWithin]).requeueAfter);
  }

  /** Undefined if the budget is deleted. */
  async #writeStatus(budget: PodUnavailableBudget, seen: Snapshot, signal: AbortSignal): Promise<StatusPlan | undefined> {
    const signs = await this.#signsOf(budget, seen, signal);
    const decide = (copy: PodUnavailableBudget | undefined): Entry<PodUnavailableBudget, StatusPlan | undefined> => {
      if (copy === undefined) return { result: undefined };
      const { clock } = this.#dependencies;
      this.#ages.note(copy, clock.monotonic());
      const plan = planStatus(copy, seen, signs, clock.now());
      return { result: plan, ...(isSameStatus(copy.status, plan.status) ? {} : { status: plan.status }) };
    };
    return this.#ledger.change({ ...keyOf(budget), uid: budget.metadata.uid }, decide, signal);
  }

  /** Records that are over are dropped only when the API server says the same of their Pods as the cache. */
  async #signsOf(budget: PodUnavailableBudget, { pods: held }: Snapshot, signal: AbortSignal): Promise<Omit<EntrySigns, 'pods'>> {
    const { client, clock } = this.#dependencies;
    const key = keyOf(budget);
    this.#ages.note(budget, clock.monotonic());
    const seenUpTo = this.#pods.store.resourceVersion;
    const ageOf: EntrySigns['ageOf'] = (entry) => this.#ages.ageOf(key, entry, clock.monotonic());
    const overdue = overdueEntries(budget.status, { pods: held, ageOf });
    const live = await readPods(overdue, key.namespace, client, signal);
    return { ageOf, live, isAvailable: this.#isAvailable, isBehind: (entry) => this.#ages.isAfter(key, entry, seenUpTo) };
  }
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches, client, clock, gates, installed, podNamespace } = dependencies;
  const budgets = caches.of(podUnavailableBudgets);
  const allPods = caches.of(pods, byOwner);
  const mapper = new KindMapper(client, clock);
  const whiteList = whiteListOf(caches, podNamespace, persistentPodStateWhiteListKey);
  const listed: ListedKinds = {
    get reading() {
      return whiteList.reading();
    },
    storeOf: () => undefined,
  };
  const ours = [cloneSets, statefulSets, daemonSets].filter(({ group, version, kind }) =>
    installed(group, version, kind),
  ) as readonly ResourceType[];
  const watched: readonly ResourceType[] = [deployments, builtInStatefulSets, builtInDaemonSets, ...ours];
  const selectionOf = selections();
  const isAvailable = availability(gates);
  const members = new BudgetMembers({ budgets: budgets.store, pods: allPods.store }, selectionOf);
  const sources: Sources = {
    budgets: budgets.store,
    members,
    finder: new WorkloadFinder({ client, caches, clock, installed, gates, listed, mapper }),
    selectionOf,
    replicaSets: () => caches.of(replicaSets, byController).store,
    watched,
  };
  const known: Budgets = {
    in: (within) => budgets.store.list({ namespace: within }),
    isFor: (budget, pod) => isBudgetFor(budget, pod, sources),
    findsBySelector: (budget) => findsBySelector(budget, sources),
    selectionOf,
    isAvailable,
  };
  const passes = new Passes(dependencies, sources, { pods: allPods, isAvailable });
  return {
    watches: [
      onEvent(allPods, (event) => members.onPod(event)),
      onEvent(budgets, (event) => members.onBudget(event)),
      watchInformer(budgets, requestsOfBudget),
      watchInformer(allPods, (event) => requestsOfPod(event, known, (key) => members.podsOf(key).length)),
      ...watched.map((type) => watchInformer(caches.of(type), (event) => requestsOfWorkload(event, type, known))),
    ],
    caches: [configurationOf(caches, podNamespace)],
    reconcile: (key, signal) => passes.reconcile(key, signal),
  };
}

export const podUnavailableBudgetController: ControllerModule = {
  name: podUnavailableBudgetDeclaration.controllerName,
  workers: 'podunavailablebudget-workers',
  anyGate: ['PodUnavailableBudgetDeleteGate', 'PodUnavailableBudgetUpdateGate'],
  define,
};
