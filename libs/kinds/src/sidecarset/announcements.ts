/** What the events of a pass say about a SidecarSet, each once for a generation of it. Pure. @see spec/sidecarset.md 3 */
import { eventReasons } from '@kruise/api';
import { formatKey, keyOf, type Failed, type StageResult } from '@kruise/objects';
import { causeOfRefusal } from '@kruise/workloads';
import type { Action } from './action.ts';
import type { Plan } from './plan.ts';

/** An event of a SidecarSet. */
export interface Announcement {
  readonly type: 'Normal' | 'Warning';
  /** Of several announcements with a reason, the first of a generation is given. */
  readonly reason: string;
  readonly message: string;
  /** Whether it is given although one was given for the generation. */
  readonly isNews?: boolean;
}

const refused = (message: string): Announcement => ({ type: 'Warning', reason: eventReasons.budgetRefuses, message });

/** No Pod is updated to a version whose revision was not written. */
export const revisionFailed = ({ message }: Error): Announcement => ({
  type: 'Warning',
  reason: eventReasons.failedRevisionProvision,
  message: `No Pod is updated, because the ControllerRevision of this version was not written: ${message}`,
});

/** Said again whenever Pods join those that cannot be upgraded. */
export function announcementsOfPlan({ notUpgradable, conditions }: Pick<Plan, 'notUpgradable' | 'conditions'>): readonly Announcement[] {
  if (notUpgradable === 0) return [];
  const hasJoined = conditions.some((action) => action.kind === 'SetUpgradable' && !action.upgradable);
  const message = `SidecarSet in-place update detected ${notUpgradable} not upgradable pod(s) in this round, will skip them.`;
  return [{ type: 'Normal', reason: eventReasons.notUpgradablePods, message, isNews: hasJoined }];
}

const ofFailure = ({ action, error }: Failed<Action>): readonly Announcement[] =>
  'pod' in action
    ? [
        {
          type: 'Warning',
          reason: eventReasons.failedUpdatePodInPlace,
          message: `Pod ${formatKey(keyOf(action.pod))} was not updated: ${error.message}`,
        },
      ]
    : [];

/** Budgets that cannot be asked keep every Pod. */
function ofUnanswered({ error, failures }: StageResult<Action>): readonly Announcement[] {
  if (error === undefined || failures.some((failed) => failed.error === error)) return [];
  return [refused(`Budgets cannot be asked, so that no Pod is updated now: ${error.message}`)];
}

/** @param refusals the failures of `changes` that were not reported before, and that say something of the Pod */
export const announcementsOfChanges = (changes: StageResult<Action>, refusals: readonly Failed<Action>[]): readonly Announcement[] => [
  ...refusals.flatMap(ofFailure),
  ...(changes.refused === undefined ? [] : [refused(causeOfRefusal(changes.refused).message)]),
  ...ofUnanswered(changes),
];
