/** What the caches know of a budget, and what has to be asked for: its Pods, their workloads, and what became of Pods whose record is over. */
import { protectedTotal, type PodUnavailableBudget } from '@kruise/api';
import { isRefusal, unlessGone, type Client, type StoreReader } from '@kruise/kube';
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
  replicaSets,
  UnknownKind,
  type GroupKind,
  type WorkloadFinder,
  type WorkloadReference,
} from '../../workloads/finder/index.ts';
import { targetOfOwner, type Target } from '../../workloads/target.ts';
import type { CountedWorkload } from './desired.ts';
import type { Entry } from './kept.ts';
import type { BudgetMembers } from './members.ts';
import type { Snapshot } from './plan.ts';
import { relatedPubOf } from './related-pub.ts';
import { isFor, type SelectionOf } from './selection.ts';
import type { BudgetCause } from './status.ts';

export interface Sources {
  readonly budgets: StoreReader<PodUnavailableBudget>;
  readonly members: BudgetMembers;
  readonly finder: WorkloadFinder;
  readonly selectionOf: SelectionOf;
  /** Those that have been asked for at least once. */
  readonly replicaSets: () => StoreReader;
  /** Kinds whose changes wake budgets. */
  readonly watched: readonly GroupKind[];
}

/** The workloads of a Pod, from its controller upwards; undefined while the ReplicaSet between them is not known. */
export function workloadsOf(pod: Pod, replicaSetStore: () => StoreReader): readonly Target[] | undefined {
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

interface Found {
  readonly pods: readonly Pod[];
  readonly workloads: readonly CountedWorkload[];
  readonly isWatched: boolean;
  readonly cause?: BudgetCause;
}

/** What the server has decided not to show: nobody can say how many Pods it is to have. */
const isUnknown = (error: unknown): boolean => error instanceof UnknownKind || isRefusal(error);

async function ofTarget(reference: WorkloadReference, { finder, watched }: Sources, signal: AbortSignal): Promise<Found> {
  const isWatched = watched.some((kind) => isSameKind(kind, groupKindOf(reference)));
  try {
    const { pods, replicas } = await finder.podsOf(reference, { active: true }, signal);
    return { pods, workloads: [{ replicas, pods: pods.length }], isWatched };
  } catch (error) {
    if (!isUnknown(error)) throw error;
    const message = `${reference.kind} ${reference.name} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { pods: [], workloads: [], isWatched, cause: { reason: 'WorkloadUnknown', message } };
  }
}

/** The workload at the top, its replicas, and its uid; undefined when it is gone. */
async function topOf(
  owner: OwnerReference,
  namespace: string,
  finder: WorkloadFinder,
  signal: AbortSignal,
): Promise<{ readonly uid: string; readonly replicas: number | undefined } | undefined> {
  try {
    const found = await finder.find({ ...owner, namespace }, signal);
    return found === undefined || found.isBeingDeleted ? undefined : { uid: found.uid, replicas: found.replicas };
  } catch (error) {
    if (isUnknown(error)) return { uid: owner.uid, replicas: undefined };
    throw error;
  }
}

async function ofSelector(budget: PodUnavailableBudget, { members, finder }: Sources, signal: AbortSignal): Promise<Found> {
  const { namespace = '' } = budget.metadata;
  const pods = members.podsOf(keyOf(budget)).filter(isPodActive);
  const byOwner = Map.groupBy(pods, (pod) => controllerOf(pod)?.uid ?? '');
  const workloads = new Map<string, CountedWorkload>();
  for (const owned of byOwner.values()) {
    const owner = owned[0] === undefined ? undefined : controllerOf(owned[0]);
    const top = owner === undefined ? undefined : await topOf(owner, namespace, finder, signal);
    if (top === undefined) continue;
    workloads.set(top.uid, { replicas: top.replicas, pods: (workloads.get(top.uid)?.pods ?? 0) + owned.length });
  }
  return { pods, workloads: [...workloads.values()], isWatched: true };
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
  const isProtected = (pod: Pod): boolean => {
    const named = sources.budgets.get({ namespace, name: relatedPubOf(pod) });
    return named !== undefined && isBudgetFor(named, pod, sources);
  };
  return { ...found, pods: new Map(pods.map((pod) => [pod.metadata.name, pod])), totalOverride: protectedTotal(budget), isProtected };
}

/** Pods as the API server has them, by name; one that is gone is not among them. */
export async function readPods(
  entries: readonly Entry[],
  namespace: string,
  client: Pick<Client, 'get'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Pod>> {
  const names = [...new Set(entries.map(({ pod }) => pod))];
  const read = await Promise.all(names.map((name) => unlessGone(client.get(podType, { namespace, name }, { signal }))));
  return new Map(read.flatMap((pod) => (pod === undefined ? [] : [[pod.metadata.name, pod]])));
}
