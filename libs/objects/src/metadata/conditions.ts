/** Lists of status conditions, and which times a change sets. */
import { formatTime, type Instant } from '../values/time.ts';

/** `Unknown` is a status of its own, different from a missing condition. */
type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A possible combination of a condition's type, status and reason. A kind lists its own as a union of these. */
export interface Condition<Type extends string = string, Status extends string = ConditionStatus, Reason extends string = string> {
  readonly type: Type;
  readonly status: Status;
  readonly reason?: Reason;
  readonly message?: string;
}

/** A condition as stored in a status. Times are absent, null or RFC 3339. */
export interface StoredCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
  readonly lastUpdateTime?: string | null;
  readonly lastProbeTime?: string | null;
  readonly observedGeneration?: number;
}

/** The differences between kinds. */
export interface ConditionRule {
  /** The new condition changes nothing when these members are equal to those of the old one. */
  readonly equalWhen: readonly ('status' | 'reason' | 'message')[];
  /** Whether a change writes `lastUpdateTime` (CloneSet's Progressing). */
  readonly stampsUpdateTime: boolean;
  /** Whether a changed condition moves to the end of the list. */
  readonly movesToEnd: boolean;
}

/** Any difference is written; only a change of the status sets the transition time. */
const plainConditionRule: ConditionRule = { equalWhen: ['status', 'reason', 'message'], stampsUpdateTime: false, movesToEnd: false };
/** A new reason or message with an equal status is not written. @see spec/inplace-update.md 6.2 */
export const statusOnlyConditionRule: ConditionRule = { equalWhen: ['status'], stampsUpdateTime: false, movesToEnd: false };
/** A new message with an equal status and reason is not written. @see spec/cloneset.md 5.8 */
export const progressConditionRule: ConditionRule = { equalWhen: ['status', 'reason'], stampsUpdateTime: true, movesToEnd: true };

/**
 * Puts `next` into the list.
 *
 * @param list the conditions as observed; may be absent
 * @param next without times; other members (observedGeneration) are kept
 * @returns the same list when nothing changes, so that identity shows whether to write; `lastTransitionTime` is kept while the status stays the same
 */
export function setCondition<C extends StoredCondition>(
  list: readonly C[] | undefined,
  next: C,
  now: Instant,
  rule: ConditionRule = plainConditionRule,
): readonly C[] {
  const conditions = list ?? [];
  const at = conditions.findIndex((condition) => condition.type === next.type);
  const old = conditions[at];
  if (old !== undefined && rule.equalWhen.every((member) => (old[member] ?? '') === (next[member] ?? ''))) return conditions;
  const stamped = stamp(old, next, now, rule);
  if (old === undefined) return [...conditions, stamped];
  if (rule.movesToEnd) return [...conditions.toSpliced(at, 1), stamped];
  return conditions.with(at, stamped);
}

function stamp<C extends StoredCondition>(old: C | undefined, next: C, now: Instant, rule: ConditionRule): C {
  const kept = old !== undefined && old.status === next.status ? old.lastTransitionTime : undefined;
  const lastTransitionTime = kept ?? formatTime(now);
  return rule.stampsUpdateTime ? { ...next, lastUpdateTime: formatTime(now), lastTransitionTime } : { ...next, lastTransitionTime };
}

/** Removes a condition. @returns the same list when there is no such condition */
export function removeCondition<C extends StoredCondition>(list: readonly C[] | undefined, type: string): readonly C[] {
  const conditions = list ?? [];
  return conditions.some((condition) => condition.type === type) ? conditions.filter((condition) => condition.type !== type) : conditions;
}

/** Returns the first condition of this type; undefined without one, also for a missing list. */
export const findCondition = <C extends { readonly type?: unknown }>(list: readonly C[] | undefined, type: string): C | undefined =>
  list?.find((condition) => condition.type === type);

/** Returns whether the condition exists and has status True. */
export const isConditionTrue = (
  list: readonly { readonly type?: unknown; readonly status?: unknown }[] | undefined,
  type: string,
): boolean => findCondition(list, type)?.status === 'True';
