/** Which subset a new Pod goes to, and what that does to the counters. Pure. @see spec/workloadspread.md 4.3, 4.5 */
import type { WorkloadSpread, WorkloadSpreadSubsetStatus } from '@kruise/api';
import { formatTime, type Instant } from '@kruise/objects';
import { unlimited, unlimitedRoom } from '../subsets/replicas.ts';
import { isUnschedulable } from '../subsets/schedulable.ts';
import { missingOf } from '../subsets/status.ts';

type Subset = WorkloadSpread['spec']['subsets'][number];
type States = readonly WorkloadSpreadSubsetStatus[];

/** Subsets of a StatefulSet are ranges of ordinals. */
export const isSpreadByOrdinal = ({ spec }: Pick<WorkloadSpread, 'spec'>): boolean => spec.targetRef.kind === 'StatefulSet';

/** Where nothing has to be counted: one subset, and it takes all. */
export function onlyOpenSubset({ spec }: Pick<WorkloadSpread, 'spec'>): Subset | undefined {
  const [only, ...others] = spec.subsets;
  return only !== undefined && others.length === 0 && isUnlimited(only) ? only : undefined;
}

const isUnlimited = ({ maxReplicas }: Subset): boolean => maxReplicas === undefined || maxReplicas === null;

/** The number at the end of a name; -1 when there is none. */
export function ordinalOf(name: string): number {
  const digits = /-(\d{1,10})$/.exec(name)?.[1];
  return digits === undefined ? -1 : Number(digits);
}

/** @param limits in the order of the subsets. Reserved ordinals and another first one are not looked at */
export function subsetOfOrdinal(spread: WorkloadSpread, limits: readonly number[], ordinal: number): Subset | undefined {
  const states = new Map((spread.status?.subsetStatuses ?? []).map(({ name, conditions }) => [name, conditions]));
  let threshold = 0;
  for (const [index, subset] of spread.spec.subsets.entries()) {
    if (isUnschedulable(states.get(subset.name))) continue;
    const limit = limits[index] ?? 0;
    threshold += limit === unlimited ? unlimitedRoom : limit;
    if (ordinal < threshold) return subset;
  }
  return undefined;
}

/** A version of which nothing has been counted. */
export const initialStates = (subsets: readonly Subset[], limits: readonly number[]): States =>
  subsets.map(({ name }, index) => ({ name, replicas: 0, missingReplicas: limits[index] ?? 0 }));

export type Placing =
  /** It has been counted before. */
  | { readonly kind: 'Held'; readonly subset: string }
  /** The subset has no limit: nothing to count. */
  | { readonly kind: 'Open'; readonly subset: string }
  | { readonly kind: 'Taken'; readonly subset: string; readonly states: States }
  | { readonly kind: 'NoRoom' };

const holds = ({ creatingPods, deletingPods }: WorkloadSpreadSubsetStatus, id: string): boolean =>
  [creatingPods, deletingPods].some((entries) => entries !== undefined && entries !== null && Object.hasOwn(entries, id));

/** Whether a Pod of that id was counted and is not seen yet. */
export const isBeingCreated = (states: States, id: string): boolean =>
  states.some(({ creatingPods }) => creatingPods !== undefined && creatingPods !== null && Object.hasOwn(creatingPods, id));

/** The first schedulable subset with a free place. @param id of the Pod: its name, or what replaces it. Times are in whole seconds */
export function placePod(states: States, id: string, now: Instant): Placing {
  const held = states.find((state) => holds(state, id));
  if (held !== undefined) return { kind: 'Held', subset: held.name };
  const index = states.findIndex(
    ({ conditions, missingReplicas }) => !isUnschedulable(conditions) && (missingReplicas > 0 || missingReplicas === unlimited),
  );
  const state = states[index];
  if (state === undefined) return { kind: 'NoRoom' };
  if (state.missingReplicas === unlimited) return { kind: 'Open', subset: state.name };
  const creatingPods = { ...state.creatingPods, [id]: formatTime(now) };
  const next = { ...state, creatingPods, missingReplicas: state.missingReplicas - 1 };
  return { kind: 'Taken', subset: state.name, states: states.with(index, next) };
}

const countOf = (entries: Readonly<Record<string, unknown>> | undefined | null): number => Object.keys(entries ?? {}).length;

const countedIn = ({ replicas, creatingPods, deletingPods }: WorkloadSpreadSubsetStatus) => ({
  active: replicas,
  creating: countOf(creatingPods),
  deleting: countOf(deletingPods),
});

export type Releasing = { readonly kind: 'Nothing' } | { readonly kind: 'Released'; readonly states: States };

/**
 * Counts the deletion of a Pod: its place is free from now on, unless the subset is above its limit.
 *
 * @param limit of the subset, if it is known without the number of all Pods: a full subset counts as not above its limit
 */
export function releasePod(
  states: States,
  { pod, subset, limit }: { readonly pod: string; readonly subset: string; readonly limit: number | undefined },
  now: Instant,
): Releasing {
  const index = states.findIndex(({ name }) => name === subset);
  const state = states[index];
  if (state === undefined || state.missingReplicas === unlimited || states.some((one) => holds(one, pod))) return { kind: 'Nothing' };
  const deletingPods = { ...state.deletingPods, [pod]: formatTime(now) };
  const counted = countedIn({ ...state, deletingPods });
  const missingReplicas = limit === undefined ? state.missingReplicas + 1 : missingOf(limit, counted);
  return { kind: 'Released', states: states.with(index, { ...state, deletingPods, missingReplicas }) };
}

/**
 * The counters under limits that have grown since: for percentages of a workload whose new size this process has seen before the controller reported it.
 * Places are only added, never removed.
 *
 * @param limits in the order of the subsets
 */
export function widened(states: States, subsets: readonly Subset[], limits: readonly number[]): States {
  const limitBy = new Map(subsets.map(({ name }, index) => [name, limits[index] ?? 0]));
  return states.map((state) => {
    const limit = limitBy.get(state.name);
    if (limit === undefined || state.missingReplicas === unlimited) return state;
    return { ...state, missingReplicas: Math.max(state.missingReplicas, missingOf(limit, countedIn(state))) };
  });
}
