/** The condition `Blocked`: it exists while, and only while, there is a cause. @see docs/decisions/blocked-condition.md */
import { conditionTypes } from '@kruise/api';
import { removeCondition, setCondition, shortest, type Condition, type Instant, type Milliseconds, type Pod } from '@kruise/objects';
import type { BlockingCause, BlockingReason } from './blocking-cause.ts';
import { patienceLeft } from './pod-causes.ts';

/** Returns the causes that a Pod shows for blocking its workload; undefined when there is none. */
export type PodCause = (pod: Pod) => BlockingCause | readonly BlockingCause[] | undefined;

/** Returns the cause that the condition names, while there is one. */
export function heldCauseOf({ status }: { readonly status?: WithConditions }): BlockingCause | undefined {
  const held = status?.conditions?.find(({ type }) => type === conditionTypes.blocked);
  return held === undefined ? undefined : { reason: held.reason as BlockingReason, message: held.message ?? '' };
}

const listOf = (found: ReturnType<PodCause>): readonly BlockingCause[] => (found === undefined ? [] : 'reason' in found ? [found] : found);

/** Yields causes rule by rule, one Pod after the other, only as far as needed. */
function* causesOf(pods: readonly Pod[], rules: readonly PodCause[]): Iterable<BlockingCause> {
  // eslint-disable-next-line kruise/cross-product -- the program writes the rules
  for (const rule of rules) for (const pod of pods) yield* listOf(rule(pod));
}

/**
 * Returns the first cause: that of the first rule that finds one, at its first Pod. Of several causes the one that the condition names already stays
 * as long as it is found: a Pod that crashes and runs in turn does not change the report of another one.
 *
 * @param pods those that are not available, by name
 * @param held the cause in the condition
 */
export function firstCauseOf(pods: readonly Pod[], rules: readonly PodCause[], held?: BlockingCause): BlockingCause | undefined {
  let first: BlockingCause | undefined;
  let alike: BlockingCause | undefined;
  for (const cause of causesOf(pods, rules)) {
    // The condition is all that is kept of a cause, and a reason does not say at which object. The kind may have appended to the message.
    if (held === undefined || held.message.startsWith(cause.message)) return cause;
    first ??= cause;
    if (cause.reason === held.reason) alike ??= cause;
  }
  return alike ?? first;
}

/** Returns when the patience with the first of these Pods is over; undefined when it runs for none. */
export const patienceEnds = (pods: readonly Pod[], now: Instant): Milliseconds | undefined =>
  shortest(pods.map((pod) => patienceLeft(pod, now)).filter((left) => left !== undefined && left > 0));

/** The refusal of the API server in a pass, as far as its message shows the reason. */
export interface PassFailure {
  /** Undefined when a user cannot do anything about the error. */
  readonly reason?: BlockingReason;
  readonly message: string;
}

/** The failures of this pass while Pods were created or deleted, and while they were updated. */
export interface PassFailures {
  readonly scale?: PassFailure;
  readonly update?: PassFailure;
}

/**
 * Returns the cause of a pass. A refusal of this pass precedes the causes of the objects: it is why nothing was done.
 *
 * @param what the pass creates, deletes and updates
 */
export function causeOfPass(
  { scale, update }: PassFailures,
  found: BlockingCause | undefined,
  what: 'Pods' | 'children' = 'Pods',
): BlockingCause | undefined {
  if (scale !== undefined)
    return { reason: scale.reason ?? 'ScalingFails', message: `${what} cannot be created or deleted: ${scale.message}` };
  return update === undefined
    ? found
    : { reason: update.reason ?? 'UpdatingFails', message: `${what} cannot be updated: ${update.message}` };
}

/** One of a list of conditions, as the shared rules write it. */
export interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface WithConditions {
  readonly conditions?: readonly StatusCondition[];
}

type Blocked = Condition<typeof conditionTypes.blocked, 'True', BlockingReason>;

/** Returns the status with these conditions; without the field when there are none. */
export function withConditions<S extends WithConditions>(status: S, conditions: NonNullable<S['conditions']>): S {
  if (conditions.length > 0) return { ...status, conditions };
  const { conditions: _none, ...rest } = status;
  return rest as S;
}

/** Returns the status with the condition for this cause, or without the condition. */
export function withBlocking<S extends WithConditions>(status: S, cause: BlockingCause | undefined, now: Instant): S {
  const held = status.conditions ?? [];
  if (cause === undefined) return withConditions(status, removeCondition(held, conditionTypes.blocked));
  const next: Blocked = { type: conditionTypes.blocked, status: 'True', ...cause };
  return withConditions(status, setCondition<StatusCondition>(held, next, now));
}
