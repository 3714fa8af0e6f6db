/** What the caches know of a budget, and what has to be requested: its Pods, their workloads, and what became of Pods whose record is over. */
import { protectedTotal, type PodUnavailableBudget } from '@kruise/api';
import { isRefusal, unlessDeleted, type Client, type Informer, type StoreReader } from '@kruise/kube';
import {
  controllerOf,
  isPodActive,
  keyOf,
  pods as podType,
  refersToKind,
  type KubeObject,
  type Milliseconds,
  type OwnerReference,
  type Pod,
} from '@kruise/objects';
import {
  groupKindOf,
  isSameKind,
  type GroupKind,
  type WorkloadReference,
  replicaSets,
  targetOfOwner,
  type Target,
} from '@kruise/workloads';
import { UnknownKind, type WorkloadFinder } from '../../workloads/finder/index.ts';
import type { PassView } from '../../workloads/passes/plan-definition.ts';
import {
  isFor,
  overdueEntries,
  relatedPubOf,
  type BudgetCause,
  type CountedWorkload,
  type Entry,
  type EntryAges,
  type IsAvailable,
  type Seen,
  type SelectionOf,
  type Snapshot,
} from '@kruise/kinds/podunavailablebudget';
import type { BudgetMembers } from './members.ts';
import type { Budgets } from './triggers.ts';

/** What a pass reads. */
export interface Known {
  readonly budgets: StoreReader<PodUnavailableBudget>;
  readonly members: BudgetMembers;
  readonly finder: WorkloadFinder;
  readonly selectionOf: SelectionOf;
  /** Those that have been requested at least once. */
  readonly replicaSets: () => StoreReader;
  /** Kinds whose changes enqueue budgets. */
  readonly watched: readonly GroupKind[];
  readonly pods: Informer<Pod>['store'];
  readonly ages: EntryAges;
  readonly isAvailable: IsAvailable;
}

/** The workloads of a Pod, from its controller upwards; undefined while the ReplicaSet between them is not known. */
function workloadsOf(pod: Pod, replicaSetStore: () => StoreReader): readonly Target[] | undefined {
  const owner = controllerOf(pod);
  if (owner === undefined) return [];
  const own = targetOfOwner(owner);
  if (!refersToKind(owner, replicaSets)) return [own];
  const replicaSet: KubeObject | undefined = replicaSetStore().get({ namespace: pod.metadata.namespace ?? '', name: owner.name });
  if (replicaSet === undefined) return undefined;
  const above = controllerOf(replicaSet);
  return above === undefined ? [own] : [own, targetOfOwner(above)];
}

/** Whether the budget is for the Pod, as far as is known. */
const isBudgetFor = (
  budget: PodUnavailableBudget,
  pod: Pod,
  { selectionOf, replicaSets: store }: Pick<Known, 'selectionOf' | 'replicaSets'>,
): boolean => {
  const selection = selectionOf(budget);
  return isFor(selection, pod, selection.kind === 'Target' ? workloadsOf(pod, store) : []);
};

const isWatched = (kind: GroupKind, { watched }: Pick<Known, 'watched'>): boolean => watched.some((one) => isSameKind(one, kind));

/** Whether Pods may be the budget's that say nothing of it: those of a workload that is known by its Scale alone are found by its selector. */
function findsBySelector(budget: PodUnavailableBudget, known: Pick<Known, 'selectionOf' | 'watched'>): boolean {
  const selection = known.selectionOf(budget);
  return selection.kind === 'Target' && !isWatched(selection.target, known);
}

/** What the triggers know of budgets. */
export const budgetsOf = (known: Known): Budgets => ({
  in: (namespace) => known.budgets.list({ namespace }),
  isFor: (budget, pod) => isBudgetFor(budget, pod, known),
  findsBySelector: (budget) => findsBySelector(budget, known),
  selectionOf: known.selectionOf,
  isAvailable: known.isAvailable,
});

interface Found {
  readonly pods: readonly Pod[];
  readonly workloads: readonly CountedWorkload[];
  readonly isWatched: boolean;
  readonly cause?: BudgetCause;
}

/** The API server refuses to return the object, so its wanted number of Pods is unknown. */
const isUnknown = (error: unknown): boolean => error instanceof UnknownKind || isRefusal(error);

async function ofTarget(reference: WorkloadReference, known: Known, signal: AbortSignal): Promise<Found> {
  const watching = { isWatched: isWatched(groupKindOf(reference), known) };
  try {
    const { pods, replicas } = await known.finder.podsOf(reference, { active: true }, signal);
    return { pods, workloads: [{ replicas, pods: pods.length }], ...watching };
  } catch (error) {
    if (!isUnknown(error)) throw error;
    const message = `${reference.kind} ${reference.name} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { pods: [], workloads: [], ...watching, cause: { reason: 'WorkloadUnknown', message } };
  }
}

interface Top {
  readonly uid: string;
  readonly replicas: number | undefined;
  readonly isWatched: boolean;
}

/** The workload at the top; undefined if it is deleted. An unreadable workload counts as large as its Pods, which are watched. */
async function topOf(owner: OwnerReference, namespace: string, known: Known, signal: AbortSignal): Promise<Top | undefined> {
  try {
    const found = await known.finder.find({ ...owner, namespace }, signal);
    if (found === undefined || found.isBeingDeleted) return undefined;
    return { uid: found.uid, replicas: found.replicas, isWatched: isWatched(groupKindOf(found), known) };
  } catch (error) {
    if (isUnknown(error)) return { uid: owner.uid, replicas: undefined, isWatched: true };
    throw error;
  }
}

async function ofSelector(budget: PodUnavailableBudget, known: Known, signal: AbortSignal): Promise<Found> {
  const { namespace = '' } = budget.metadata;
  const pods = known.members.podsOf(keyOf(budget)).filter(isPodActive);
  const byOwner = Map.groupBy(pods, (pod) => controllerOf(pod)?.uid ?? '');
  const workloads = new Map<string, CountedWorkload & Pick<Top, 'isWatched'>>();
  for (const owned of byOwner.values()) {
    const owner = owned[0] === undefined ? undefined : controllerOf(owned[0]);
    const top = owner === undefined ? undefined : await topOf(owner, namespace, known, signal);
    if (top === undefined) continue;
    workloads.set(top.uid, { ...top, pods: (workloads.get(top.uid)?.pods ?? 0) + owned.length });
  }
  const all = [...workloads.values()];
  return { pods, workloads: all, isWatched: all.every((workload) => workload.isWatched) };
}

function find(budget: PodUnavailableBudget, known: Known, signal: AbortSignal): Promise<Found> {
  const selection = known.selectionOf(budget);
  switch (selection.kind) {
    case 'Selector':
      return ofSelector(budget, known, signal);
    case 'Target': {
      const { kind, name } = selection.target;
      const reference = { apiVersion: budget.spec.targetRef?.apiVersion ?? '', kind, name, namespace: budget.metadata.namespace ?? '' };
      return ofTarget(reference, known, signal);
    }
    case 'Faulty':
      return Promise.resolve({ pods: [], workloads: [], isWatched: true, cause: { reason: 'InvalidSpec', message: selection.why } });
  }
}

/** @throws what keeps a workload from being read just now */
async function observePods(budget: PodUnavailableBudget, known: Known, signal: AbortSignal): Promise<Snapshot> {
  const { namespace = '' } = budget.metadata;
  const { pods, ...found } = await find(budget, known, signal);
  /** One that it names itself is among those that were found for it. */
  const isProtected = (pod: Pod): boolean => {
    const name = relatedPubOf(pod);
    const named = known.budgets.get({ namespace, name });
    return named !== undefined && (name === budget.metadata.name || isBudgetFor(named, pod, known) || findsBySelector(named, known));
  };
  return { ...found, pods: new Map(pods.map((pod) => [pod.metadata.name, pod])), totalOverride: protectedTotal(budget), isProtected };
}

/** Pods read from the API server, by name; without deleted ones. */
async function readPods(
  entries: readonly Entry[],
  namespace: string,
  client: Pick<Client, 'get'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Pod>> {
  const names = [...new Set(entries.map(({ pod }) => pod))];
  const read = await Promise.all(names.map((name) => unlessDeleted(client.get(podType, { namespace, name }, { signal }))));
  return new Map(read.flatMap((pod) => (pod === undefined ? [] : [[pod.metadata.name, pod]])));
}

/**
 * Reads what a pass over a budget is decided by. Records that are over are dropped only when the API server says the same of their Pods as the cache.
 *
 * @throws what keeps a workload or such a Pod from being read just now
 */
export async function observe(known: Known, budget: PodUnavailableBudget, { client, clock, signal }: PassView): Promise<Seen> {
  const { ages, isAvailable } = known;
  const key = keyOf(budget);
  ages.note(budget, clock.monotonic());
  // Read before the Pods, which are then at least as new.
  const seenUpTo = known.pods.resourceVersion;
  const snapshot = await observePods(budget, known, signal);
  const ageOf = (entry: Entry): Milliseconds => ages.ageOf(key, entry, clock.monotonic());
  const overdue = overdueEntries(budget.status, { pods: snapshot.pods, ageOf });
  const live = await readPods(overdue, key.namespace, client, signal);
  return { ...snapshot, signs: { ageOf, live, isAvailable, isBehind: (entry) => ages.isAfter(key, entry, seenUpTo) } };
}
