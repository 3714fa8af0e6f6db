/** One subset in a pass: its child, what was told of it, and what its Pods say of its nodes. Pure. @see spec/uniteddeployment.md 5.4 */
import { unitedDeploymentLabels, type UnitedDeploymentSubset } from '@kruise/api';
import { findCondition, parseTime } from '@kruise/objects';
import type { SubsetSeen } from './allocate/subset.ts';
import type { Mode } from './modes.ts';
import { judgeReserves, probing, type ReserveVerdict } from './reserved.ts';
import { isMarked, judgeScheduling, type SubsetStatus, type Verdict } from './schedulable.ts';
import type { Child, Context, Snapshot } from './snapshot.ts';

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
  const since = parseTime(findCondition(seen.united.status?.conditions, 'UnitedDeploymentUpdated')?.lastTransitionTime);
  const rollout = { revision, since, partition: partitionIn(seen, subset.name) };
  const verdictOf = (one: Child): Verdict | ReserveVerdict | undefined => {
    if (mode.kind === 'Fixed') return undefined;
    return mode.kind === 'Adaptive' ? judgeScheduling(one, held, mode, now) : judgeReserves(one, held, { rollout, mode, now });
  };
  return { subset, child, held, verdict: child === undefined ? undefined : verdictOf(child) };
}

export const revisionOfChild = ({ object }: Child): string => object.metadata.labels?.[unitedDeploymentLabels.revision] ?? '';

export const isReserve = (verdict: Judged['verdict']): verdict is ReserveVerdict => verdict !== undefined && 'reserved' in verdict;

/** What allocation looks at. */
export function seenForAllocation({ subset, child, held, verdict }: Judged): SubsetSeen {
  const { name, replicas, minReplicas, maxReplicas } = subset;
  const isUnschedulable = verdict?.isUnschedulable ?? false;
  const shares = { replicas: replicas ?? undefined, minReplicas: minReplicas ?? undefined, maxReplicas: maxReplicas ?? undefined };
  const seen = { name, ...shares, isUnschedulable, isMarked: isMarked(held) };
  if (child === undefined) return seen;
  const reserved = isReserve(verdict) ? verdict.reserved + verdict.missing : 0;
  const { spec, status } = child.object;
  return { ...seen, child: { replicas: spec?.replicas ?? 1, readyReplicas: status?.readyReplicas ?? 0, reserved } };
}

/** The verdict, when it is known how many Pods the subset gets. */
export function settled({ child, held, verdict }: Judged, next: number): Judged['verdict'] {
  if (!isReserve(verdict) || child === undefined || verdict.isUnschedulable || !isMarked(held)) return verdict;
  return next > (child.object.spec?.replicas ?? 1) ? probing(verdict) : verdict;
}

/** Pods that may be unavailable while the subset is short of nodes: those that are not ready do not hold up the others. */
export function unavailableIn({ child, verdict }: Judged): number | undefined {
  if (child === undefined || !isReserve(verdict) || !verdict.isUnschedulable) return undefined;
  const { spec, status } = child.object;
  return Math.max((spec?.replicas ?? 1) - (status?.readyReplicas ?? 0) + verdict.late, 0);
}
