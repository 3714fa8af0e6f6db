/**
 * What a pass over one budget comes to: the Pods that do not bear its name yet, and its status. Pure; `planStatus` is asked again on a newer copy of the
 * budget when admission has written meanwhile.
 * @see spec/podunavailablebudget.md 5
 */
import type { PodUnavailableBudget, PodUnavailableBudgetStatus } from '@kruise/api';
import { counted, earliest, seconds, type Instant, type Milliseconds, type Pod, type Stage } from '@kruise/objects';
import type { OnPod } from '@kruise/workloads';
import { desiredAvailable, totalOf, type CountedWorkload } from './desired.ts';
import { keepEntries, type EntrySigns } from './kept.ts';
import { relatedPubOf } from './related-pub.ts';
import { computeStatus, conditionsFor, isSameStatus, type BudgetCause } from './status.ts';

/** What a budget is for, as the caches have it. */
export interface Snapshot {
  /** Active Pods, by name. */
  readonly pods: ReadonlyMap<string, Pod>;
  readonly workloads: readonly CountedWorkload[];
  /** Takes the place of what the workloads add up to. */
  readonly totalOverride: number | undefined;
  /** What keeps the Pods or workloads from being known; the numbers then stay as they are. */
  readonly cause?: BudgetCause;
  /** Whether changes of the workloads cause events. */
  readonly isWatched: boolean;
  /** Whether the budget that a Pod names exists and protects it. */
  readonly isProtected: (pod: Pod) => boolean;
}

export interface AnnotatePod extends OnPod {
  readonly kind: 'AnnotatePod';
}

/** Pods that name no budget, or one that does not protect them (any more). */
export const planAnnotations = ({ pods, isProtected }: Snapshot): readonly AnnotatePod[] =>
  [...pods.values()]
    .filter((pod) => relatedPubOf(pod) === '' || !isProtected(pod))
    .map((pod) => ({
      kind: 'AnnotatePod',
      pod,
      because:
        relatedPubOf(pod) === '' ? 'the Pod names no budget' : `the Pod names budget ${relatedPubOf(pod)}, which does not protect it`,
    }));

/** What events report. */
export type BudgetEvent =
  | { readonly kind: 'NoPods' }
  | { readonly kind: 'CalculationFailed'; readonly why: string }
  | { readonly kind: 'NotDeleted'; readonly pod: Pod };

export interface StatusPlan {
  readonly status: PodUnavailableBudgetStatus;
  /** Only if the status changes, or an admitted operation did not happen, so that nothing is reported twice. */
  readonly events: readonly BudgetEvent[];
  readonly requeueAfter?: Milliseconds;
}

/** How often an unwatched workload is read: while Pods are missing, and while it may have shrunk without the deletion of a Pod. */
const unwatchedPeriod = seconds(30);

const zero: PodUnavailableBudgetStatus = { currentAvailable: 0, desiredAvailable: 0, totalReplicas: 0, unavailableAllowed: 0 };

/** The numbers of before, with the cause. */
function unknownStatus(budget: PodUnavailableBudget, cause: BudgetCause, now: Instant): StatusPlan {
  const { conditions: _former, ...held } = budget.status ?? zero;
  const status = { ...held, observedGeneration: budget.metadata.generation ?? 0, conditions: conditionsFor(budget, cause, now) };
  const events = isSameStatus(budget.status, status) ? [] : [{ kind: 'CalculationFailed', why: cause.message } as const];
  return { status, events };
}

function neverAllows(total: number, desired: number): BudgetCause | undefined {
  if (total === 0 || desired < total) return undefined;
  const numbers =
    desired > total
      ? `${counted(desired, 'Pod')} must be available, but the workloads have only ${total}`
      : `all of ${counted(total, 'Pod')} must be available`;
  const message = `${numbers}: nodes cannot be drained and Pods cannot be updated unless more than ${counted(desired, 'Pod is', 'Pods are')} available`;
  return { reason: 'NeverAllows', message };
}

/**
 * The status of a budget.
 *
 * @param budget the copy on which the status will be written
 * @param signs of the records of this copy
 */
export function planStatus(budget: PodUnavailableBudget, seen: Snapshot, signs: Omit<EntrySigns, 'pods'>, now: Instant): StatusPlan {
  if (seen.cause !== undefined) {
    const unknown = unknownStatus(budget, seen.cause, now);
    return seen.isWatched ? unknown : { ...unknown, requeueAfter: unwatchedPeriod };
  }
  const total = seen.totalOverride ?? totalOf(seen.workloads);
  const desired = desiredAvailable(budget, total);
  if (desired.kind === 'Failed') return unknownStatus(budget, { reason: 'InvalidSpec', message: desired.why }, now);
  const { undeleted, requeueAfter, ...maps } = keepEntries(budget.status, { ...signs, pods: seen.pods });
  const isRecorded = ({ metadata }: Pod): boolean =>
    Object.hasOwn(maps.disruptedPods, metadata.name) || Object.hasOwn(maps.unavailablePods, metadata.name);
  const current = [...seen.pods.values()].filter((pod) => !isRecorded(pod) && signs.isAvailable(pod)).length;
  const conditions = conditionsFor(budget, neverAllows(total, desired.value), now);
  const status = computeStatus(budget.metadata.generation ?? 0, { total, desired: desired.value, current, ...maps, conditions });
  const isNew = !isSameStatus(budget.status, status);
  const waitsUnwatched = !seen.isWatched && (seen.pods.size < total || status.unavailableAllowed === 0);
  return {
    status,
    events: [
      ...(seen.pods.size === 0 && isNew ? [{ kind: 'NoPods' } as const] : []),
      ...undeleted.map((pod) => ({ kind: 'NotDeleted', pod }) as const),
    ],
    ...earliest([requeueAfter, waitsUnwatched ? unwatchedPeriod : undefined]),
  };
}

/** What a pass sees: the budget's Pods and workloads, and what is known of its records. */
export interface Seen extends Snapshot {
  readonly signs: Omit<EntrySigns, 'pods'>;
}

export interface PassPlan {
  readonly annotations: readonly AnnotatePod[];
}

export const planPass = (seen: Seen): PassPlan => ({ annotations: planAnnotations(seen) });

/** A Pod that refuses its annotation delays neither the others nor the status. */
export const stagesOf = ({ annotations }: PassPlan): readonly Stage<AnnotatePod>[] => [
  { name: 'annotate', actions: annotations, onFailure: 'Collect', pace: 'AtOnce' },
];

/**
 * What is decided after the annotations.
 *
 * @param budget the copy on which the status will be written
 * @returns no status if that of the copy says the same
 */
export function conclude(
  budget: PodUnavailableBudget,
  seen: Seen,
  now: Instant,
): { readonly status?: PodUnavailableBudgetStatus; readonly notes: readonly BudgetEvent[]; readonly requeueAfter?: Milliseconds } {
  const { status, events, ...wait } = planStatus(budget, seen, seen.signs, now);
  return { ...(isSameStatus(budget.status, status) ? {} : { status }), notes: events, ...wait };
}
