/** What the caches know of a budget, and what has to be requested: its Pods, their workloads, and what became of Pods whose record is over. */
import { protectedTotal, type PodUnavailableBudget } from '@kruise/api';
import { isRefusal, unlessDeleted, type Client, type StoreReader } from '@kruise/kube';
import {
  controllerOf,
  isPodActive,
  keyOf,
  pods as podType,
  refersToKind,
  type KubeObject,
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
import {
  type CountedWorkload,
  type Entry,
  type Snapshot,
  relatedPubOf,
  isFor,
  type SelectionOf,
  type BudgetCause,
} from '@kruise/kinds/podunavailablebudget';
import type { BudgetMembers } from './members.ts';

export interface Sources {
  readonly budgets: StoreReader<PodUnavailableBudget>;
  readonly members: BudgetMembers;
  readonly finder: WorkloadFinder;
  readonly selectionOf: SelectionOf;
  /** Those that have been requested at least once. */
  readonly replicaSets: () => StoreReader;
  /** Kinds whose changes enqueue budgets. */
  readonly watched: readonly GroupKind[];
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
export const isBudgetFor = (
  budget: PodUnavailableBudget,
  pod: Pod,
  { selectionOf, replicaSets: store }: Pick<Sources, 'selectionOf' | 'replicaSets'>,
): boolean => {
  const selection = selectionOf(budget);
  return isFor(selection, pod, selection.kind === 'Target' ? workloadsOf(pod, store) : []);
};

const isWatched = (kind: GroupKind, { watched }: Pick<Sources, 'watched'>): boolean => watched.some((one) => isSameKind(one, kind));

/** Whether Pods may be the budget's that say nothing of it: those of a workload that is known by its Scale alone are found by its selector. */
export function findsBySelector(budget: PodUnavailableBudget, sources: Pick<Sources, 'selectionOf' | 'watched'>): boolean {
  const selection = sources.selectionOf(budget);
  return selection.kind === 'Target' && !isWatched(selection.target, sources);
}

interface Found {
  readonly pods: readonly Pod[];
  readonly workloads: readonly CountedWorkload[];
  readonly isWatched: boolean;
  readonly cause?: BudgetCause;
}

/** The API server refuses to return the object, so its wanted number of Pods is unknown. */
const isUnknown = (error: unknown): boolean => error instanceof UnknownKind || isRefusal(error);

async function ofTarget(reference: WorkloadReference, sources: Sources, signal: AbortSignal): Promise<Found> {
  const watching = { isWatched: isWatched(groupKindOf(reference), sources) };
  try {
    const { pods, replicas } = await sources.finder.podsOf(reference, { active: true }, signal);
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
async function topOf(owner: OwnerReference, namespace: string, sources: Sources, signal: AbortSignal): Promise<Top | undefined> {
  try {
    const found = await sources.finder.find({ ...owner, namespace }, signal);
    if (found === undefined || found.isBeingDeleted) return undefined;
    return { uid: found.uid, replicas: found.replicas, isWatched: isWatched(groupKindOf(found), sources) };
  } catch (error) {
    if (isUnknown(error)) return { uid: owner.uid, replicas: undefined, isWatched: true };
    throw error;
  }
}

async function ofSelector(budget: PodUnavailableBudget, sources: Sources, signal: AbortSignal): Promise<Found> {
  const { namespace = '' } = budget.metadata;
  const pods = sources.members.podsOf(keyOf(budget)).filter(isPodActive);
  const byOwner = Map.groupBy(pods, (pod) => controllerOf(pod)?.uid ?? '');
  const workloads = new Map<string, CountedWorkload & Pick<Top, 'isWatched'>>();
  for (const owned of byOwner.values()) {
    const owner = owned[0] === undefined ? undefined : controllerOf(owned[0]);
    const top = owner === undefined ? undefined : await topOf(owner, namespace, sources, signal);
    if (top === undefined) continue;
    workloads.set(top.uid, { ...top, pods: (workloads.get(top.uid)?.pods ?? 0) + owned.length });
  }
  const all = [...workloads.values()];
  return { pods, workloads: all, isWatched: all.every((workload) => workload.isWatched) };
}

function find(budget: PodUnavailableBudget, sources: Sources, signal: AbortSignal): Promise<Found> {
  const selection = sources.selectionOf(budget);
  switch (selection.kind) {
    case 'Selector':
      return ofSelector(budget, sources, signal);
    case 'Target': {
      const { kind, name } = selection.target;
      const reference = { apiVersion: budget.spec.targetRef?.apiVersion ?? '', kind, name, namespace: budget.metadata.namespace ?? '' };
      return ofTarget(reference, sources, signal);
    }
    case 'Faulty':
      return Promise.resolve({ pods: [], workloads: [], isWatched: true, cause: { reason: 'InvalidSpec', message: selection.why } });
  }
}

/** @throws what keeps a workload from being read just now */
export async function observe(budget: PodUnavailableBudget, sources: Sources, signal: AbortSignal): Promise<Snapshot> {
  const { namespace = '' } = budget.metadata;
  const { pods, ...found } = await find(budget, sources, signal);
  /** One that it names itself is among those that were found for it. */
  const isProtected = (pod: Pod): boolean => {
    const name = relatedPubOf(pod);
    const named = sources.budgets.get({ namespace, name });
    return named !== undefined && (name === budget.metadata.name || isBudgetFor(named, pod, sources) || findsBySelector(named, sources));
  };
  return { ...found, pods: new Map(pods.map((pod) => [pod.metadata.name, pod])), totalOverride: protectedTotal(budget), isProtected };
}

/** Pods read from the API server, by name; without deleted ones. */
export async function readPods(
  entries: readonly Entry[],
  namespace: string,
  client: Pick<Client, 'get'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Pod>> {
  const names = [...new Set(entries.map(({ pod }) => pod))];
  const read = await Promise.all(names.map((name) => unlessDeleted(client.get(podType, { namespace, name }, { signal }))));
  return new Map(read.flatMap((pod) => (pod === undefined ? [] : [[pod.metadata.name, pod]])));
}
