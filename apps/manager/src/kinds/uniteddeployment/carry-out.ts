/** The stages of a UnitedDeployment's plan, and what their results mean to events and status. @see spec/uniteddeployment.md 5.2 */
import type { UnitedDeployment, UnitedDeploymentStatus } from '@kruise/api';
import { giveUp, isFailure, type Outcome } from '@kruise/kube';
import { findCondition, formatKey, keyOf, type PlanResult } from '@kruise/objects';
import type { Round } from '../../workloads/passes/workload-controller.ts';
import { subsetOfAction, type Action, type ActionOf, type Plan, withFailures, withSuccess, burstOf } from '@kruise/kinds/uniteddeployment';
import { failureIn, undoneIn, type ChildFailure } from './child-failures.ts';
import type { UnitedDeploymentTypes } from './io.ts';

type UnitedRound = Round<UnitedDeployment, UnitedDeploymentStatus, Action, UnitedDeploymentTypes>;

/** Whether the update takes no Pod away. */
const isGrowing = ({ child, wish }: ActionOf<'UpdateChild'>): boolean => wish.replicas >= (child.spec?.replicas ?? 1);

/** The children that were created and deleted, as events. */
function announceDone({ snapshot, events }: UnitedRound, results: readonly PlanResult<Action>[]): void {
  const done = (...stages: readonly string[]): number =>
    results.reduce((sum, result) => stages.reduce((own, stage) => own + (result.stages.get(stage)?.done ?? 0), sum), 0);
  const [created, deleted] = [done('creations'), done('deletions', 'strays')];
  if (created > 0) events.done('Create', created, snapshot.seen.kind);
  if (deleted > 0) events.done('Delete', deleted, snapshot.seen.kind);
}

function announceFailure({ events, pass }: UnitedRound, failure: ChildFailure | undefined): void {
  if (failure === undefined || pass.isHeld(failure.error) || isFailure(failure.error, 'Conflict', 'Aborted')) return;
  events.failedChild(failure.about === undefined ? 'this round' : `this round: ${failure.about}`, failure.error);
}

/** Only a change of the specification corrects it: reported once. */
async function concludeFault({ object: united, pass, events, now }: UnitedRound, next: Plan, why: string): Promise<Outcome> {
  const isReported =
    findCondition(united.status?.conditions, 'SubsetProvisioned')?.status === 'False' &&
    united.status?.observedGeneration === united.metadata.generation;
  if (!isReported) events.failedAllocation(why);
  const status = withFailures(next.status, { scale: { message: why } }, now);
  const outcome = await pass.conclude({ ...next, status, blockedBy: { reason: 'InvalidSpec', message: why } }, {});
  return outcome.kind === 'Settled' ? giveUp(new Error(why)) : outcome;
}

/** Reports what was done to the children in events and conditions. */
function concludeRound(round: UnitedRound, next: Plan, results: readonly PlanResult<Action>[], changes: boolean): Promise<Outcome> {
  const scale = failureIn(results, ['groundwork', 'creations', 'deletions', 'strays']);
  const update = failureIn(results, ['growing', 'updates', 'stuckPods']);
  announceDone(round, results);
  // Groundwork reports its failures itself.
  for (const failure of [failureIn(results, ['creations', 'deletions', 'strays']), update]) announceFailure(round, failure);
  const succeeded = { provisioned: scale === undefined && (changes ? 'Now' : 'Before'), updated: update === undefined } as const;
  const status = withSuccess(next.status, succeeded, round.now);
  const about = { scale: scale?.about, update: update?.about };
  return round.pass.conclude({ ...next, status }, { scale: scale?.error, update: update?.error, about });
}

/**
 * What is refused for one subset does not hold back the others, except that no Pod is given up for Pods that the refused subset will run: subsets that grow
 * are tried first, or wait for the next pass. A conflict ends the pass, because the state that it was planned on has changed.
 */
export async function carryOut(next: Plan, round: UnitedRound): Promise<Outcome> {
  const { pass, dependencies, object: united } = round;
  const { nameless } = round.snapshot;
  if (nameless.length > 0)
    dependencies.logger.warn({ unitedDeployment: formatKey(keyOf(united)), nameless }, 'Ignoring workloads without the name of a subset');
  const { result: ground, refused: ungrounded } = await pass.runGroundwork(next.groundwork, subsetOfAction);
  const isGrounded = ground.error === undefined;
  const grounded = isGrounded ? next : { ...next, housekeeping: [] };
  if (ground.stoppedAt !== undefined) return pass.conclude(grounded, { scale: ground.error });
  const isFree = (action: Action): boolean => !ungrounded.has(subsetOfAction(action));
  const creations = next.creations.filter(isFree);
  const first = await pass.run([
    { name: 'creations', actions: creations, onFailure: 'Collect', pace: 'AtOnce', burst: burstOf(creations) },
  ]);
  if (next.allocationFault !== undefined) return concludeFault(round, grounded, next.allocationFault);
  const unmade = new Set([...ungrounded, ...undoneIn(first, 'creations')]);
  const growing = next.giving(unmade).updates.filter((update) => isFree(update) && isGrowing(update));
  const second = await pass.run([{ name: 'growing', actions: growing, onFailure: 'Collect', pace: 'AtOnce', burst: burstOf(growing) }]);
  const giving = next.giving(new Set([...unmade, ...undoneIn(second, 'growing')]));
  const deletions = giving.deletions.filter(isFree);
  const grown = new Set(growing.map(subsetOfAction));
  const updates = giving.updates.filter((update) => isFree(update) && !grown.has(subsetOfAction(update)));
  const third = await pass.run([
    { name: 'deletions', actions: deletions, onFailure: 'Collect', pace: 'AtOnce' },
    { name: 'strays', actions: unmade.size === 0 ? next.strays : [], onFailure: 'Collect', pace: 'AtOnce' },
    { name: 'updates', actions: updates, onFailure: 'Collect', pace: 'AtOnce', burst: burstOf(updates) },
    { name: 'stuckPods', actions: next.stuckPods.filter(isFree), onFailure: 'Collect', pace: 'AtOnce' },
  ]);
  const changes = creations.length + deletions.length + next.strays.length > 0;
  return concludeRound(round, grounded, [ground, first, second, third], changes);
}
