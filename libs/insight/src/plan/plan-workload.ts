/** Predicts what the controller of a CloneSet, Advanced StatefulSet or Advanced DaemonSet does to Pods after a change. */
import type { CloneSet, DaemonSet, PodUnavailableBudget, StatefulSet } from '@kruise/api';
import {
  controllerOf,
  groupOf,
  isControlledBy,
  isJsonObject,
  isPodActive,
  labelMatcherOrNothing,
  memberAt,
  numberAt,
  stringAt,
  type ControllerRevision,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
} from '@kruise/objects';
import { adapterOf } from '@kruise/kinds/cloneset';
import { fitOf } from '@kruise/kinds/daemonset';
import { daemonSetRevisions, listRevisions, revisionOfPod, statefulSetRevisions, type RevisionAdapter } from '@kruise/pods';
import type { BlockingReason } from '@kruise/workloads';
import { kindOf, Seen, type AnyObject } from '../seen.ts';
import { batchesOf, type OpenBatch } from './batches.ts';
import { SimulatedBudgets } from './run/budgets.ts';
import type { BatchEnd, PlanFacts, Recreation, WorkloadPlan } from './change-plan.ts';
import { CloneSetRun } from './run/cloneset-run.ts';
import { DaemonSetRun } from './run/daemonset-run.ts';
import { recreationOf } from './field-changes.ts';
import { assumptionsOf, claimChanges, imagePulls } from './side-effects.ts';
import type { Act } from './run/simulated-pods.ts';
import { StatefulSetRun, type StatefulSetFacts } from './run/statefulset-run.ts';
import { runRounds, type Pass, type Rounds, type RunFacts, type WorkloadRun } from './run/workload-run.ts';

/** A rollout with more batches is predicted up to here. */
const mostBatches = 2000;

/** A kind whose rollouts are carried out in memory. */
interface RunKind {
  readonly start: (object: AnyObject, facts: StatefulSetFacts) => WorkloadRun;
  readonly adapter: (facts: Pick<PlanFacts, 'gates'>) => RevisionAdapter;
  /** Whether Pods are created and deleted one after the other. */
  readonly isOrdered: (object: AnyObject) => boolean;
  /** Whether new Pods are on the nodes of those that they replace. */
  readonly keepsNodes: boolean;
  /** How many Pods there should be, as budgets count them. */
  readonly desired: (object: AnyObject, nodes: readonly Node[]) => number;
}

const typed = <T>(object: AnyObject): T => object as unknown as T;
const never = (): boolean => false;
const replicasOf = (object: AnyObject): number => numberAt(object, 'spec', 'replicas') ?? 0;

function chosenNodes(object: AnyObject, nodes: readonly Node[]): number {
  const fit = fitOf(typed<DaemonSet>(object).spec.template.spec ?? { containers: [] });
  return nodes.filter((node) => fit(node).shouldRun).length;
}

/** By `group/Kind`. */
export const runKinds: Readonly<Record<string, RunKind>> = {
  'apps.kruise.io/CloneSet': {
    start: (object, facts) => new CloneSetRun(typed<CloneSet>(object), facts),
    adapter: adapterOf,
    isOrdered: never,
    keepsNodes: false,
    desired: replicasOf,
  },
  'apps.kruise.io/StatefulSet': {
    start: (object, facts) => new StatefulSetRun(typed<StatefulSet>(object), facts),
    adapter: () => statefulSetRevisions,
    isOrdered: (object) => stringAt(object, 'spec', 'podManagementPolicy') !== 'Parallel',
    keepsNodes: false,
    desired: replicasOf,
  },
  'apps.kruise.io/DaemonSet': {
    start: (object, facts) => new DaemonSetRun(typed<DaemonSet>(object), facts),
    adapter: () => daemonSetRevisions,
    isOrdered: never,
    keepsNodes: true,
    desired: chosenNodes,
  },
};

const valueText = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const rolling = (object: AnyObject, member: string): unknown => memberAt(object, 'spec', 'updateStrategy', 'rollingUpdate', member);
const policyOf = (object: AnyObject): string => valueText(rolling(object, 'podUpdatePolicy') ?? rolling(object, 'rollingUpdateType'));
const inPlacePolicies: ReadonlySet<string> = new Set(['InPlaceIfPossible', 'InPlaceOnly']);

/** The object as the API server would hold it after the change. */
export function changed(before: AnyObject | undefined, after: AnyObject, isChange: boolean): AnyObject {
  const { uid = 'predicted', generation = 0 } = before?.metadata ?? {};
  const metadata = { ...after.metadata, uid, generation: generation + (isChange ? 1 : 0), resourceVersion: '1' };
  const { status: _given, ...rest } = after;
  const status = before === undefined ? undefined : memberAt(before, 'status');
  return { ...rest, metadata, ...(isJsonObject(status) ? { status } : {}) };
}

/** Returns what a run begins with, of everything that was read. */
export function startOf(object: AnyObject, before: AnyObject | undefined, facts: PlanFacts): StatefulSetFacts {
  const seen = new Seen({ root: object, objects: facts.objects, now: facts.now });
  const { namespace = '', uid = '', name } = object.metadata;
  const local = <T>(kind: string): readonly T[] =>
    seen.all(kind).filter(({ metadata }) => metadata.namespace === namespace) as unknown as readonly T[];
  const selector = labelMatcherOrNothing(memberAt(object, 'spec', 'selector') as CloneSet['spec']['selector']);
  const all = local<Pod>('/Pod');
  const isOwn = (pod: Pod): boolean =>
    isControlledBy(pod, uid) || (controllerOf(pod) === undefined && selector.matches(pod.metadata.labels));
  const revisions = listRevisions(local<ControllerRevision>('apps/ControllerRevision'), {
    uid,
    selects: (labels) => selector.matches(labels),
  });
  const nodes = [...seen.nodes.values()] as readonly Node[];
  const desired = runKinds[kindOf(object)]?.desired ?? replicasOf;
  const growth = desired(object, nodes) - desired(before ?? object, nodes);
  const workload = { group: groupOf(object.apiVersion ?? ''), kind: object.kind ?? '', name };
  const budgets = new SimulatedBudgets({
    budgets: local<PodUnavailableBudget>('policy.kruise.io/PodUnavailableBudget'),
    others: all.filter((pod) => !isOwn(pod)),
    workloadsOf: () => [workload],
    growth,
    gates: facts.gates,
  });
  return {
    pods: all.filter(isOwn),
    claims: local<PersistentVolumeClaim>('/PersistentVolumeClaim'),
    revisions,
    now: facts.now,
    gates: facts.gates,
    nodes,
    classes: seen.all('storage.k8s.io/StorageClass'),
    budgets,
  };
}

/** What ends a batch that is not the last one. */
function endOfBatch({ inPlace, recreated, created }: OpenBatch, last: Pass, object: AnyObject, isOrdered: boolean): BatchEnd {
  const { refusedBy, isScaleLimited } = last;
  if (refusedBy !== undefined) return { kind: 'Budget', limit: refusedBy };
  if (isScaleLimited === true)
    return {
      kind: 'ScaleLimit',
      limit: `scaleStrategy.maxUnavailable ${valueText(memberAt(object, 'spec', 'scaleStrategy', 'maxUnavailable'))}`,
    };
  if (isOrdered && inPlace.length === 0 && (created > 0 || recreated.length === 0)) return { kind: 'Ordered' };
  const isSurge = created > 0 && ![undefined, null, 0].includes(rolling(object, 'maxSurge') as number);
  const [kind, member] = isSurge ? (['MaxSurge', 'maxSurge'] as const) : (['MaxUnavailable', 'maxUnavailable'] as const);
  return { kind, limit: `${member} ${valueText(rolling(object, member))}` };
}

/** The field that keeps Pods at older revisions, with its value. */
function partitionText(object: AnyObject): string {
  const member = ['partition', 'selector'].find((name) => ![undefined, null, 0].includes(rolling(object, name) as number)) ?? 'partition';
  const value = rolling(object, member);
  return isJsonObject(value) ? member : `${member} ${valueText(value)}`;
}

/** Causes that are a wish of the user. */
const wishes: Readonly<Partial<Record<BlockingReason, (object: AnyObject) => BatchEnd>>> = {
  PartitionReached: (object) => ({ kind: 'Partition', limit: partitionText(object) }),
  Paused: () => ({ kind: 'Paused' }),
  OnDelete: () => ({ kind: 'OnDelete' }),
};

/** What ends the rollout. */
function endOf({ last, isCut, rounds }: Rounds, object: AnyObject, outdated: number): BatchEnd {
  const { refusedBy, blockedBy } = last;
  if (isCut) return { kind: 'Cut', limit: `${rounds.length} batches` };
  if (refusedBy !== undefined) return { kind: 'Budget', limit: refusedBy };
  if (blockedBy !== undefined) return wishes[blockedBy.reason]?.(object) ?? { kind: 'Blocked', limit: blockedBy.message };
  if (outdated === 0) return { kind: 'Done' };
  if (stringAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete') return { kind: 'OnDelete' };
  return rolling(object, 'paused') === true ? { kind: 'Paused' } : { kind: 'Partition', limit: partitionText(object) };
}

/** Pods of other revisions that are recreated for a reason that is not in the template. */
function otherRecreations(
  acts: readonly Act[],
  start: RunFacts,
  target: ControllerRevision,
  adapter: RevisionAdapter,
): readonly Recreation[] {
  const made = new Set(acts.filter(({ kind }) => kind === 'Create').map(({ place }) => place));
  const outdated = new Map(start.pods.map((pod) => [pod.metadata.name, revisionOfPod(adapter, pod, start.revisions)?.metadata.name ?? '']));
  const replaced = acts.filter(({ kind, pod, place }) => {
    return kind === 'Delete' && made.has(place) && (outdated.get(pod) ?? target.metadata.name) !== target.metadata.name;
  });
  const reasons = new Map(replaced.map(({ pod, because }) => [because, outdated.get(pod) ?? '']));
  return [...reasons].map(([why, fromRevision]) => ({ fromRevision, why, fields: [] }));
}

/** Why Pods are recreated, for each revision that they have. */
function recreationsOf(object: AnyObject, run: WorkloadRun, start: RunFacts, adapter: RevisionAdapter): readonly Recreation[] {
  const target = run.pods.history.list.at(-1);
  if (target === undefined || !inPlacePolicies.has(policyOf(object))) return [];
  const ignoreClaimTemplates = policyOf(object) === 'InPlaceOnly';
  const options = { gates: start.gates, adapter, ignoreClaimTemplates, graceSeconds: 0 };
  const held = new Set(start.pods.flatMap((pod) => revisionOfPod(adapter, pod, start.revisions) ?? []));
  return [...held].flatMap((current) =>
    current.metadata.name === target.metadata.name ? [] : (recreationOf(current, target, options) ?? []),
  );
}

/** Reasons of the template first; another reason counts only if there is none of these. */
function allRecreations(
  object: AnyObject,
  run: WorkloadRun,
  start: RunFacts,
  { adapter, acts }: { readonly adapter: RevisionAdapter; readonly acts: readonly Act[] },
): readonly Recreation[] {
  const found = recreationsOf(object, run, start, adapter);
  const target = run.pods.history.list.at(-1);
  if (found.length > 0 || target === undefined || !inPlacePolicies.has(policyOf(object))) return found;
  return otherRecreations(acts, start, target, adapter);
}

/** Returns what the controller does to Pods, a list for each time that it waits for the cluster. @param after as in {@link planWorkload} */
export const predictActs = (
  before: AnyObject | undefined,
  after: AnyObject,
  facts: PlanFacts,
  kind: RunKind,
): readonly (readonly Act[])[] => runRounds(kind.start(after, startOf(after, before, facts)), mostBatches).rounds.map(({ acts }) => acts);

/** Predicts the rollout. @param after complete: with defaults, in v1beta1, and the metadata of the API server */
export function planWorkload(
  before: AnyObject | undefined,
  after: AnyObject,
  facts: PlanFacts,
  kind: RunKind,
): Omit<WorkloadPlan, 'operation'> {
  const start = startOf(after, before, facts);
  const run = kind.start(after, start);
  const rounds = runRounds(run, mostBatches);
  const acts = rounds.rounds.flatMap((round) => round.acts);
  const touched = new Set(acts.map(({ pod }) => pod));
  const own = run.pods.pods.filter(isPodActive);
  const outdated = own.filter((pod) => !run.isUpdated(pod)).length;
  const endedBy = endOf(rounds, after, outdated);
  const isOrdered = kind.isOrdered(after);
  const batches = batchesOf(rounds.rounds, (batch, { last }, isLast) => (isLast ? endedBy : endOfBatch(batch, last, after, isOrdered)));
  const count = (of: (batch: (typeof batches)[number]) => number): number => batches.reduce((sum, batch) => sum + of(batch), 0);
  const made = acts.filter((act) => act.kind === 'Create').length;
  const counts = {
    inPlace: new Set(batches.flatMap(({ inPlace }) => inPlace)).size,
    recreated: count(({ recreated }) => recreated.length),
    created: made - count(({ recreated }) => recreated.length),
    deleted: count(({ deleted }) => deleted.length),
    untouched: start.pods.filter(({ metadata }) => !touched.has(metadata.name)).length,
    outdated,
  };
  const wantsInPlace = inPlacePolicies.has(policyOf(after));
  return {
    kind: after.kind ?? '',
    name: after.metadata.name,
    counts,
    batches,
    endedBy,
    wantsInPlace,
    recreations: allRecreations(after, run, start, { adapter: kind.adapter(facts), acts }),
    claims: claimChanges(run.pods.claims.acts),
    images: imagePulls(run, acts, facts.objects.filter((one) => one.kind === 'Pod') as unknown as readonly Pod[], kind.keepsNodes),
    assumptions: assumptionsOf(after, facts, own),
  };
}
