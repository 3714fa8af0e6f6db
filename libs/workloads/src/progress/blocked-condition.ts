/** The condition `Blocked`: there while, and only while, something blocks. @see docs/decisions/blocked-condition.md */
import { conditionTypes } from '@kruise/api';
import { removeCondition, setCondition, shortest, type Condition, type Instant, type Milliseconds, type Pod } from '@kruise/objects';
import type { BlockingCause, BlockingReason } from './blocking-cause.ts';
import { patienceLeft } from './pod-causes.ts';

/** What a Pod says of a cause that holds its workload up; undefined when it names none. */
export type PodCause = (pod: Pod) => BlockingCause | undefined;

/** The cause that the first rule finds which finds one, at the first Pod that it finds it at. @param pods those that are not available, by name */
export function firstCauseOf(pods: readonly Pod[], rules: readonly PodCause[]): BlockingCause | undefined {
  for (const rule of rules) {
    for (const pod of pods) {
      const cause = rule(pod);
      if (cause !== undefined) return cause;
    }
  }
  return undefined;
}

/** When the patience with the first of these Pods is over; undefined when that of none runs. */
export const patienceEnds = (pods: readonly Pod[], now: Instant): Milliseconds | undefined =>
  shortest(pods.map((pod) => patienceLeft(pod, now)).filter((left) => left !== undefined && left > 0));

/** What the API server refused in a pass, as far as its words tell. */
export interface PassFailure {
  /** Undefined when the error is none that a user can do something about. */
  readonly reason?: BlockingReason;
  readonly message: string;
}

/** What failed in this pass while Pods were created or deleted, and while they were updated. */
export interface PassFailures {
  readonly scale?: PassFailure;
  readonly update?: PassFailure;
}

/**
 * A refusal of this pass comes before what the objects tell: it is why nothing was done.
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
interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

interface WithConditions {
  readonly conditions?: readonly StatusCondition[];
}

type Blocked = Condition<typeof conditionTypes.blocked, 'True', BlockingReason>;

/** The status with these conditions; without the member when there are none. */
export function withConditions<S extends WithConditions>(status: S, conditions: NonNullable<S['conditions']>): S {
  if (conditions.length > 0) return { ...status, conditions };
  const { conditions: _none, ...rest } = status;
  return rest as S;
}

/** The status with the condition for this cause, or without the condition. */
export function withBlocking<S extends WithConditions>(status: S, cause: BlockingCause | undefined, now: Instant): S {
  const held = status.conditions ?? [];
  if (cause === undefined) return withConditions(status, removeCondition(held, conditionTypes.blocked));
  const next: Blocked = { type: conditionTypes.blocked, status: 'True', ...cause };
  return withConditions(status, setCondition<StatusCondition>(held, next, now));
}
