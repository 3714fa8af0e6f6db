/** What the controller of PodUnavailableBudgets reads, and which rules it follows. @see spec/podunavailablebudget.md 5 */
import {
  cloneSets,
  daemonSets,
  persistentPodStateWhiteListKey,
  podUnavailableBudgetDeclaration,
  podUnavailableBudgets,
  statefulSets,
  type PodUnavailableBudget,
} from '@kruise/api';
import { onEvent, watchInformer } from '@kruise/kube';
import { pods, type ResourceType } from '@kruise/objects';
import {
  availability,
  conclude,
  EntryAges,
  planPass,
  selections,
  stagesOf,
  type AnnotatePod,
  type BudgetEvent,
  type PassPlan,
  type Seen,
} from '@kruise/kinds/podunavailablebudget';
import { builtInDaemonSets, builtInStatefulSets, byController, byOwner, deployments, replicaSets } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { configurationOf, KindMapper, whiteListOf, WorkloadFinder, type ListedKinds } from '../../workloads/finder/index.ts';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { ObjectPlan, PlanSources } from '../../workloads/passes/plan-definition.ts';
import { recordBudgetEvent } from './events.ts';
import { execute } from './execute.ts';
import { BudgetMembers } from './members.ts';
import { budgetsOf, observe, type Known } from './observe.ts';
import { requestsOfBudget, requestsOfPod, requestsOfWorkload } from './triggers.ts';

interface Types {
  readonly object: PodUnavailableBudget;
  readonly known: Known;
  readonly snapshot: Seen;
  readonly action: AnnotatePod;
  readonly plan: PassPlan & ObjectPlan<PodUnavailableBudget>;
  readonly note: BudgetEvent;
}

/** The kinds of workloads whose changes enqueue budgets. */
function watchedTypes({ installed }: ControllerDependencies): readonly ResourceType[] {
  const ours = [cloneSets, statefulSets, daemonSets].filter(({ group, version, kind }) => installed(group, version, kind));
  return [deployments, builtInStatefulSets, builtInDaemonSets, ...(ours as readonly ResourceType[])];
}

function finderOf({ caches, client, clock, gates, installed, podNamespace }: ControllerDependencies): WorkloadFinder {
  const whiteList = whiteListOf(caches, podNamespace, persistentPodStateWhiteListKey);
  const listed: ListedKinds = {
    get reading() {
      return whiteList.reading();
    },
    storeOf: () => undefined,
  };
  return new WorkloadFinder({ client, caches, clock, installed, gates, listed, mapper: new KindMapper(client, clock) });
}

function sourcesOf(dependencies: ControllerDependencies): PlanSources<Types> {
  const { caches, gates, podNamespace } = dependencies;
  const budgets = caches.of(podUnavailableBudgets);
  const allPods = caches.of(pods, byOwner);
  const selectionOf = selections();
  const members = new BudgetMembers({ budgets: budgets.store, pods: allPods.store }, selectionOf);
  const watched = watchedTypes(dependencies);
  const known: Known = {
    budgets: budgets.store,
    members,
    finder: finderOf(dependencies),
    selectionOf,
    replicaSets: () => caches.of(replicaSets, byController).store,
    watched,
    pods: allPods.store,
    ages: new EntryAges(),
    isAvailable: availability(gates),
  };
  const affected = budgetsOf(known);
  return {
    objects: budgets,
    known,
    requestsOf: requestsOfBudget,
    watches: [
      onEvent(allPods, (event) => members.onPod(event)),
      onEvent(budgets, (event) => members.onBudget(event)),
      watchInformer(allPods, (event) => requestsOfPod(event, affected, (key) => members.podsOf(key).length)),
      ...watched.map((type) => watchInformer(caches.of(type), (event) => requestsOfWorkload(event, type, affected))),
    ],
    caches: [configurationOf(caches, podNamespace)],
  };
}

export const podUnavailableBudgetController = planController<Types>({
  name: podUnavailableBudgetDeclaration.controllerName,
  workers: 'podunavailablebudget-workers',
  anyGate: ['PodUnavailableBudgetDeleteGate', 'PodUnavailableBudgetUpdateGate'],
  type: podUnavailableBudgets,
  sources: sourcesOf,
  leaves: ({ metadata }) => metadata.deletionTimestamp !== undefined,
  whenAbsent: async ({ key, known: { ages } }) => ages.forget(key),
  rules: {
    observe,
    plan: planPass,
    conclude: ({ object, snapshot, known: { ages }, clock }) => {
      ages.note(object, clock.monotonic());
      return conclude(object, snapshot, clock.now());
    },
  },
  status: { onConflict: 'DecideAgain' },
  stages: (plan) => ({ before: stagesOf(plan) }),
  execute: (action, { object, client }, signal) => execute(action, object, client, signal),
  announce: ({ recorder, object }, { notes }) => {
    for (const event of notes) recordBudgetEvent(recorder, object, event);
  },
});
