/** One subset in a pass: its child, its last reported status, and what its Pods show about its nodes. Pure. @see spec/uniteddeployment.md 5.4 */
import { unitedDeploymentLabels, type UnitedDeploymentSubset } from '@kruise/api';
import { isPodActive, isPodReady } from '@kruise/objects';
import type { SubsetSeen } from '../allocate/subset.ts';
import type { Mode } from '../snapshot/modes.ts';
import { judgeReserves, probing, revisionOf, type ReserveVerdict } from '../nodes/reserved.ts';
import { isMarked, judgeScheduling, type SubsetStatus, type Verdict } from '../nodes/schedulable.ts';
import type { Child, Context, Snapshot } from '../snapshot/snapshot.ts';

/** One subset in this pass. */
export interface Judged {
  readonly subset: UnitedDeploymentSubset;
  readonly child: Child | undefined;
  readonly held: SubsetStatus | undefined;
  readonly verdict: Verdict | ReserveVerdict | undefined;
}

export interface Round {
  readonly seen: Snapshot;
  readonly mode: Mode;
  readonly revision: string;
  readonly context: Context;
}

export const partitionIn = ({ united: { spec } }: Snapshot, subset: string): number =>
  Math.max(spec.updateStrategy?.manualUpdate?.partitions?.[subset] ?? 0, 0);

/** Without the entry of a subset nothing is known of it yet. */
export function judge({ seen, mode, revision, context: { now } }: Round, subset: UnitedDeploymentSubset): Judged {
  const child = seen.children.find((one) => one.subset === subset.name);
  const held = seen.united.status?.subsetStatuses?.find(({ name }) => name === subset.name);
  const verdictOf = (one: Child): Verdict | ReserveVerdict | undefined => {
    if (mode.kind === 'Fixed') return undefined;
    return mode.kind === 'Adaptive' ? judgeScheduling(one, held, mode, now) : judgeReserves(one, held, { revision, mode, now });
  };
  return { subset, child, held, verdict: child === undefined ? undefined : verdictOf(child) };
}

export const revisionOfChild = ({ object }: Child): string => object.metadata.labels?.[unitedDeploymentLabels.revision] ?? '';

export const isReserve = (verdict: Judged['verdict']): verdict is ReserveVerdict => verdict !== undefined && 'reserved' in verdict;

const activePods = ({ pods }: Child): Child['pods'] => pods.filter(isPodActive);

/** Replicas of a child whose Pods have waited for a node too long; those that the child is about to delete are none of its replicas any more. */
function stuckReplicas({ child, verdict }: Judged): number {
  if (child === undefined) return 0;
  const surplus = Math.max(activePods(child).length - (child.object.spec?.replicas ?? 1), 0);
  return Math.max((verdict?.stuck ?? 0) - surplus, 0);
}

/**
 * Replicas that have a place in the subset. A Pod that is being updated has one although it is not ready: otherwise every step of a rollout would
 * move a Pod away, and so let the child take the next one at once. What a client has added to the child has one when it is ready.
 */
function keptReplicas(one: Judged): number {
  const { child, held } = one;
  if (child === undefined) return 0;
  const { spec, status } = child.object;
  return Math.min((spec?.replicas ?? 1) - stuckReplicas(one), Math.max(status?.readyReplicas ?? 0, held?.replicas ?? 0));
}

/** What allocation looks at. */
export function seenForAllocation(judged: Judged): SubsetSeen {
  const { subset, child, held, verdict } = judged;
  const { name, replicas, minReplicas, maxReplicas } = subset;
  const isUnschedulable = verdict?.isUnschedulable ?? false;
  const shares = { replicas: replicas ?? undefined, minReplicas: minReplicas ?? undefined, maxReplicas: maxReplicas ?? undefined };
  const seen = { name, ...shares, isUnschedulable, isMarked: isMarked(held) };
  if (child === undefined) return seen;
  const reserved = isReserve(verdict) ? verdict.reserved + verdict.missing : 0;
  return { ...seen, child: { replicas: child.object.spec?.replicas ?? 1, kept: keptReplicas(judged), reserved } };
}

/** The verdict, when it is known how many Pods the subset gets. */
export function settled({ child, held, verdict }: Judged, next: number): Judged['verdict'] {
  if (!isReserve(verdict) || child === undefined || verdict.isUnschedulable || !isMarked(held)) return verdict;
  return next > (child.object.spec?.replicas ?? 1) ? probing(verdict) : verdict;
}

/** Whether the child has Pods to update yet, beyond those that it keeps at an old revision. */
const isRolling = ({ seen, revision }: Round, { subset, child }: Judged): boolean =>
  child !== undefined && activePods(child).filter((pod) => revisionOf(pod) !== revision).length > partitionIn(seen, subset.name);

/** Pods that the subset is to have that do not run yet, and are not known to find no node. */
function starting({ child, verdict }: Judged, replicas: number): number {
  const ready = child === undefined ? 0 : activePods(child).filter(isPodReady).length;
  const elsewhere = (verdict?.stuck ?? 0) + (isReserve(verdict) ? verdict.missing : 0);
  return Math.max(replicas - ready - elsewhere, 0);
}

/** How a child is updated while some of its Pods find no node. */
export interface Easing {
  /** Replicas that stay for now beyond those that the subset is to have. */
  readonly extraReplicas: number;
  /** Pods that do not count against the child's own limit of unavailable ones. */
  readonly uncounted: number;
}

const noEasing: Easing = { extraReplicas: 0, uncounted: 0 };

/**
 * A Pod that finds no node uses up what the child may have unavailable, until the one that runs in its place elsewhere is ready: only then may the
 * child stop the next Pod. In mode Adaptive it stays until then; in mode Reservation it stays anyway, and does not count from then on.
 *
 * @param replicas what each subset is to have, in the order of `judged`
 */
export function easings(round: Round, judged: readonly Judged[], replicas: readonly number[]): readonly Easing[] {
  const starts = judged.map((one, at) => starting(one, replicas[at] ?? 0));
  const all = starts.reduce((a, b) => a + b, 0);
  return judged.map((one, at) => {
    if (one.child === undefined || !isRolling(round, one)) return noEasing;
    const elsewhere = all - (starts[at] ?? 0);
    if (isReserve(one.verdict)) return { ...noEasing, uncounted: Math.max(one.verdict.stuck - elsewhere, 0) };
    const surplus = Math.max((one.child.object.spec?.replicas ?? 1) - (replicas[at] ?? 0), 0);
    return { ...noEasing, extraReplicas: Math.min(stuckReplicas(one), elsewhere, surplus) };
  });
}
