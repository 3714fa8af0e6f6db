/** An Advanced StatefulSet under a PodUnavailableBudget: the second Pod that would become unavailable at the same time is protected. */
import { podUnavailableBudgets, statefulSets, type PodUnavailableBudget, type StatefulSet } from '@kruise/api';
import { isFailure, type ApiError } from '@kruise/kube';
import { isPodReady, pods as podType, type Pod } from '@kruise/objects';
import { budgetKey, namespace, statefulSetKey } from '../names.ts';
import { listPods } from '../pods.ts';
import { Unverified, verify, waitFor, type Scene, type Stage } from './stage.ts';
import * as columns from '../table.ts';

const replicas = 3;
const maxUnavailable = 1;
const app = statefulSetKey.name;
const [first, second, third] = ['db-0', 'db-1', 'db-2'] as const;

const db: StatefulSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'StatefulSet',
  metadata: statefulSetKey,
  spec: {
    replicas,
    serviceName: app,
    podManagementPolicy: 'Parallel',
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app } },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'db', image: 'nginx:1.14.2' }] },
    },
  },
};

const budget: PodUnavailableBudget = {
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: budgetKey,
  spec: { selector: { matchLabels: { app } }, maxUnavailable },
};

interface SeenBudget {
  readonly statefulSet: StatefulSet;
  readonly budget: PodUnavailableBudget;
  readonly pods: readonly Pod[];
}

const tableColumns = [columns.podName, columns.uid, columns.node, columns.address, columns.state, columns.ready];

const formatBudget = ({ statefulSet, budget: { status } }: Pick<SeenBudget, 'statefulSet' | 'budget'>): string =>
  `StatefulSet ${app}: ${statefulSet.spec.replicas ?? 1} wanted, ${statefulSet.status?.availableReplicas ?? 0} available; ` +
  `PodUnavailableBudget: ${Math.max(0, status?.unavailableAllowed ?? 0)} more may become unavailable`;

const scene: Scene<SeenBudget> = {
  observe: async (stage) => {
    const [statefulSet, seenBudget, pods] = await Promise.all([
      stage.client.get(statefulSets, statefulSetKey, { signal: stage.signal }),
      stage.client.get(podUnavailableBudgets, budgetKey, { signal: stage.signal }),
      listPods(stage, app),
    ]);
    return { statefulSet, budget: seenBudget, pods };
  },
  picture: (seen) => ({ summary: formatBudget(seen), table: columns.formatTable(tableColumns, seen.pods) }),
  conditions: ({ statefulSet, budget: { status } }) => [...(statefulSet.status?.conditions ?? []), ...(status?.conditions ?? [])],
};

/** Every Pod is available, and the budget has counted that. */
const isWhole = ({ statefulSet, budget: { status }, pods }: SeenBudget): boolean =>
  statefulSet.status?.availableReplicas === replicas &&
  pods.length === replicas &&
  pods.every((pod) => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined) &&
  status?.currentAvailable === replicas &&
  status.unavailableAllowed === maxUnavailable;

const uidOf = (pods: readonly Pod[], name: string): string | undefined => pods.find(({ metadata }) => metadata.name === name)?.metadata.uid;

const evict = ({ client, signal }: Stage, name: string): Promise<void> => client.evict({ namespace, name }, { signal });

/** 429 for an eviction, 403 for everything else. */
const isRefusedByBudget = (error: unknown): error is ApiError =>
  isFailure(error, 'TooManyRequests', 'Forbidden') && error.message.includes('unavailable');

/** @returns the answer that refuses `work`. @throws {Unverified} when it is not refused */
async function refusalOf(what: string, work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isRefusedByBudget(error)) return `${error.code ?? ''}, ${error.message.slice(error.message.indexOf(': ') + 2)}`;
    throw error;
  }
  throw new Unverified(`not as expected: ${what} is refused`);
}

async function showRefusals(stage: Stage, before: readonly Pod[]): Promise<void> {
  const { client, progress, signal } = stage;
  progress.note(`Evicting ${second} while ${first} is unavailable`);
  progress.note(`Refused: ${await refusalOf(`the eviction of ${second}`, evict(stage, second))}`);
  progress.note(`Deleting ${third}, as kubectl delete does`);
  const deletion = client.delete(podType, { namespace, name: third }, { signal });
  progress.note(`Refused: ${await refusalOf(`the deletion of ${third}`, deletion)}`);
  const now = await listPods(stage, app);
  verify(
    [second, third].every((name) => uidOf(now, name) === uidOf(before, name)),
    `${second} and ${third} still exist`,
  );
}

/** Evicts a Pod that the budget lets go. @returns the state once the StatefulSet has replaced it, under the same name */
async function evictAndReplace(stage: Stage, name: string, before: readonly Pod[], meanwhile: () => Promise<void>): Promise<SeenBudget> {
  await evict(stage, name);
  await meanwhile();
  const isReplaced = (seen: SeenBudget): boolean => isWhole(seen) && uidOf(seen.pods, name) !== uidOf(before, name);
  return waitFor(stage, scene, `a new ${name} is available`, isReplaced);
}

/** @returns what was verified, one line each. @throws {Unverified} at the first difference */
export async function playBudget(stage: Stage): Promise<readonly string[]> {
  const { client, progress, signal } = stage;
  progress.note(`Creating the StatefulSet ${app}: ${replicas} Pods, and a PodUnavailableBudget with maxUnavailable: ${maxUnavailable}`);
  await client.create(podUnavailableBudgets, budget, { signal });
  await client.create(statefulSets, db, { signal });
  const { pods: original } = await waitFor(stage, scene, `${replicas} available Pods under a budget`, isWhole);
  progress.note(`Evicting ${first}, as kubectl drain does: the budget allows it`);
  const { pods: replaced } = await evictAndReplace(stage, first, original, () => showRefusals(stage, original));
  progress.note(`${first} is back: evicting ${second} is allowed now`);
  const { pods: last } = await evictAndReplace(stage, second, replaced, () => Promise.resolve());
  verify(uidOf(last, third) === uidOf(original, third), `${third} was never touched`);
  return [
    `PodUnavailableBudget: while ${first} was evicted, the eviction of ${second} and the deletion of ${third} were refused; once ${first} was back, ${second} could be evicted`,
    `StatefulSet: evicted Pods were replaced under the same names; ${third} was never touched`,
  ];
}
