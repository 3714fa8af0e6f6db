/** What one pass over a ResourceDistribution does, from what could be read. Pure. @see spec/resourcedistribution.md 5 */
import type { DistributionCondition, ResourceDistribution, ResourceDistributionStatus } from '@kruise/api';
import {
  milliseconds,
  seconds,
  shortest,
  unreachable,
  type Instant,
  type Milliseconds,
  type Failed,
  type Stage,
  type StageResult,
} from '@kruise/objects';
import { plan, conflictIn, type Action, type Plan, type Snapshot } from './plan.ts';
import { computeStatus, waitsForOthers, type Outcomes, type Problem } from './status.ts';

/** What could be read of a distribution and its copies. */
export type Seen = { readonly distribution: ResourceDistribution } & (
  | { readonly kind: 'Readable'; readonly snapshot: Snapshot }
  /** @param targets names of the namespaces that should have a copy */
  | { readonly kind: 'Faulty'; readonly why: string; readonly targets: readonly string[] }
  /** The first list of the copies may still come. @param left until the next look; their watch enqueues the distribution before */
  | { readonly kind: 'Listing'; readonly left: Milliseconds }
  | { readonly kind: 'Unlisted'; readonly error: Error; readonly targets: readonly string[] }
);

export interface PassPlan extends Plan {
  readonly status?: ResourceDistributionStatus;
  readonly requeueAfter?: Milliseconds;
  readonly failure?: Error;
}

/** What no event reports is looked for so often. */
const lookForOthers = seconds(60);

const nothing: Plan = { distribute: [], clean: [], desired: 0, problems: [] };

/** Every target fails for the same reason. */
function allFail(distribution: ResourceDistribution, targets: readonly string[], reason: string, now: Instant): ResourceDistributionStatus {
  const problemOf = (namespace: string): Problem => ({ namespace, condition: 'GetResourceFailed', reason });
  return computeStatus(distribution, { desired: targets.length, problems: targets.map(problemOf), leftovers: [problemOf('')] }, now);
}

export function planPass(seen: Seen, now: Instant): PassPlan {
  const { distribution } = seen;
  switch (seen.kind) {
    case 'Readable':
      return plan(seen.snapshot);
    case 'Listing':
      return { ...nothing, requeueAfter: seen.left };
    case 'Faulty':
      return { ...nothing, status: allFail(distribution, seen.targets, seen.why, now) };
    case 'Unlisted':
      return { ...nothing, status: allFail(distribution, seen.targets, seen.error.message, now), failure: seen.error };
    default:
      return unreachable(seen);
  }
}

/** One namespace does not depend on another one. */
export const stagesOf = ({ distribute, clean }: Plan): readonly Stage<Action>[] => [
  { name: 'distribute', actions: distribute, onFailure: 'Collect', pace: 'AtOnce' },
  { name: 'clean', actions: clean, onFailure: 'Collect', pace: 'AtOnce' },
];

/** What came of the actions. */
export interface Results {
  readonly stages: ReadonlyMap<string, StageResult<Action>>;
  readonly notes: readonly Problem[];
  /** Namespaces whose copy is left alone for a while, after the writes of this pass. */
  readonly pauses: ReadonlyMap<string, Milliseconds>;
  readonly conditionOf: (error: Error) => DistributionCondition | undefined;
}

/** Whether every action was begun, or waits after a refusal. */
function isWhole({ stages }: Results, { distribute, clean }: Plan): boolean {
  const begun = [...stages.values()].reduce((sum, { done, failures }) => sum + done + failures.length, 0);
  return begun === distribute.length + clean.length;
}

/** Where the API server does not answer, nothing is known of the actions that were not begun: the status stays as it is. */
export function conclude(
  distribution: ResourceDistribution,
  planned: Plan,
  results: Results,
  now: Instant,
): { readonly status?: ResourceDistributionStatus; readonly requeueAfter?: Milliseconds } {
  if (!isWhole(results, planned)) return {};
  const { stages, notes, pauses, conditionOf } = results;
  const problemOf = ({ action, error }: Failed<Action>): Problem => ({
    namespace: action.namespace,
    condition: conditionOf(error) ?? 'GetResourceFailed',
    reason: error.message,
  });
  const problemsOf = (stage: string): readonly Problem[] => (stages.get(stage)?.failures ?? []).map(problemOf);
  const written = planned.distribute.map(({ namespace }) => namespace).filter((namespace) => pauses.has(namespace));
  const outcomes: Outcomes = {
    desired: planned.desired,
    problems: [...planned.problems, ...notes, ...problemsOf('distribute'), ...written.map(conflictIn)],
    leftovers: problemsOf('clean'),
  };
  const look = shortest([...pauses.values(), ...(waitsForOthers(outcomes) ? [lookForOthers] : [])]);
  return { status: computeStatus(distribution, outcomes, now), ...(look === undefined ? {} : { requeueAfter: milliseconds(look) }) };
}
