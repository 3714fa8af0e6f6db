/** What the results of a pass over a SidecarSet change in memories, what they report, and when the next pass begins. @see spec/sidecarset.md 5.5 */
import type { SidecarSet } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import {
  announcementsOfChanges,
  announcementsOfPlan,
  housekeepingStage,
  revisionFailed,
  statusWithCollisions,
  type Action,
  type Announcement,
  type Context,
  type PassPlan,
  type Seen,
} from '@kruise/kinds/sidecarset';
import { earliest, keyOf, type Stage } from '@kruise/objects';
import type { AwaitedRevisions } from '@kruise/workloads';
import { refusedFor } from '../../workloads/admit-updates.ts';
import type { Conclusion, Passed, Planned } from '../../workloads/passes/plan-definition.ts';
import { newFailureOf } from '../../workloads/passes/run-paced.ts';
import { doubtCheckedAfter, type InDoubt } from '../../workloads/refusals/in-doubt.ts';
import type { AnnouncedOnce } from './announced-once.ts';
import type { Sources } from './observe-pass.ts';

/** What passes read and remember. */
interface Known extends Sources {
  readonly context: Context;
  /** The part of a stage that guards its updates. */
  readonly guarded: Pick<Stage<Action>, 'guard'>;
  readonly announced: AnnouncedOnce;
  readonly doubts: InDoubt;
  readonly revisions: AwaitedRevisions;
}

export interface Types {
  readonly object: SidecarSet;
  readonly known: Known;
  readonly snapshot: Seen;
  readonly action: Action;
  readonly plan: PassPlan;
  /** How many names of revisions were taken. */
  readonly note: number;
}

/** No update depends on a status that the API server refuses. A conflict shows that the pass has read an older version. */
const mayChangePods = (statusError: Error): boolean => !isFailure(statusError, 'Conflict', 'Unreachable', 'Aborted');

export const runsUnopened = (stage: string, error: Error): boolean => stage === housekeepingStage || mayChangePods(error);

/** The next pass begins with the revision. */
function concludeRevisions({ object, known }: Planned<Types>, { error, notes }: Passed<Types>): Conclusion<Types> {
  const status = statusWithCollisions(object, Math.max(0, ...notes));
  const { uid = '' } = object.metadata;
  return {
    ...(status === undefined ? {} : { status }),
    ...(error === undefined ? { requeueAfter: known.revisions.written(uid) } : {}),
  };
}

/** Returns when the write in doubt is checked again, and when the budgets are asked again. */
function repetitionOf({ snapshot: { doubt } }: Planned<Types>, passed: Passed<Types>): Conclusion<Types> {
  if (doubt?.failure !== undefined) return { failure: doubt.failure };
  const isRefused = passed.stages.get('changes')?.refused !== undefined;
  return earliest([doubt === undefined ? undefined : doubtCheckedAfter, isRefused ? refusedFor : undefined]);
}

export function conclude(pass: Planned<Types>, passed: Passed<Types>): Conclusion<Types> {
  const { object, plan, known, clock } = pass;
  if (plan.revisions.length > 0) return concludeRevisions(pass, passed);
  const { uid = '' } = object.metadata;
  known.revisions.shown(uid);
  const changes = passed.stages.get('changes');
  known.doubts.note(uid, changes?.failures ?? [], clock.now());
  return repetitionOf(pass, passed);
}

/** Events are about the version that the pass has read. */
const announce = ({ known, snapshot: { snapshot } }: Planned<Types>, announcements: readonly Announcement[]): void =>
  known.announced.announce(snapshot.sidecarSet, announcements);

export function announceOpening(pass: Planned<Types>, error: Error | undefined): void {
  const { object, plan, logger } = pass;
  if (plan.opening !== undefined && error === undefined) {
    const { matchedPods, updatedPods, readyPods, updatedReadyPods: updateReadyPods } = plan.opening;
    const about = { sidecarSet: object.metadata.name, matchedPods, updatedPods, readyPods, updateReadyPods };
    logger.info(about, 'SidecarSet updated status success');
  }
  if (error === undefined || mayChangePods(error)) announce(pass, announcementsOfPlan(plan));
}

/** Reports the failures of this pass. */
export function announceResults(pass: Planned<Types>, passed: Passed<Types>): void {
  const failure = newFailureOf(passed, 'revisions');
  if (failure !== undefined) announce(pass, [revisionFailed(failure)]);
  const changes = passed.stages.get('changes');
  if (changes === undefined) return;
  const fresh = changes.failures.filter(({ error }) => !passed.held.has(error) && !isFailure(error, 'Conflict'));
  const { name: sidecarSet } = pass.object.metadata;
  for (const { action, error } of fresh)
    if ('pod' in action) pass.logger.warn({ sidecarSet, pod: keyOf(action.pod), error }, 'Failed to update a Pod');
  const refused = fresh.filter(({ error }) => !isFailure(error, 'Unreachable'));
  announce(pass, announcementsOfChanges(changes, refused));
}
