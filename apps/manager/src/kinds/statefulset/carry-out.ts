/** The stages of a StatefulSet's plan, and what their results mean to the status. @see spec/statefulset.md 5.3 */
import type { PlanResult, Stage } from '@kruise/objects';
import { conditionTypes, type StatefulSet, type StatefulSetStatus } from '@kruise/api';
import { mostSpecificError, type Outcome } from '@kruise/kube';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { updateGuardOf } from '../../workloads/admit-updates.ts';
import { plannedFailure, type PassErrors } from '../../workloads/refusals/refusal.ts';
import type { Round } from '../../workloads/passes/workload-controller.ts';
import { podNameOf, type Action, type Plan } from '@kruise/kinds/statefulset';
import type { StatefulSetTypes } from './io.ts';

/** What is refused for one Pod says nothing about the next. Only creations start slowly, as a quota refuses all of them. */
function stagesOf(
  { preDownload, claimOwners, upkeep, slots, deletions, update }: Plan,
  dependencies: ControllerDependencies,
): readonly Stage<Action>[] {
  const guard = updateGuardOf(dependencies);
  return [
    { name: 'preDownload', actions: preDownload, onFailure: 'Log', pace: 'ByKind' },
    { name: 'claimOwners', actions: claimOwners, onFailure: 'Collect', pace: 'ByKind' },
    { name: 'upkeep', actions: upkeep, onFailure: 'Collect', pace: 'ByKind', ...guard },
    { name: 'slots', actions: slots, onFailure: 'Collect', pace: 'ByKind', slowly: ['CreatePod'], ...guard },
    { name: 'deletions', actions: deletions, onFailure: 'Collect', pace: 'ByKind' },
    { name: 'update', actions: update, onFailure: 'Collect', pace: 'ByKind', ...guard },
  ];
}

/** Whether the history may be cleaned up: every revision that belongs to the StatefulSet is adopted. */
const isGrounded = ({ stages }: PlanResult<Action>): boolean => stages.get('groundwork')?.error === undefined;

/** Reported once: a retry, also of another replica, finds the message in the condition. Nothing else of the object shows what was reported. */
const isNews = ({ status }: StatefulSet, why: string): boolean =>
  !(status?.conditions ?? []).some(({ type, message }) => type === conditionTypes.failedUpdatePod && message?.endsWith(why));

/** What failed, by what it is for. The failure of an action takes precedence over one that the plan found. */
function errorsOf({ stages }: PlanResult<Action>, { failures }: Plan): PassErrors {
  const errorIn = (...names: readonly string[]): Error | undefined =>
    mostSpecificError(names.flatMap((stage) => stages.get(stage)?.error ?? []));
  const slots = stages.get('slots')?.failures ?? [];
  const isCreation = ({ kind }: Action): boolean => kind === 'CreatePod' || kind === 'CreateClaims';
  const created = mostSpecificError(slots.filter(({ action }) => isCreation(action)).map(({ error }) => error));
  const repaired = mostSpecificError(slots.filter(({ action }) => !isCreation(action)).map(({ error }) => error));
  return {
    scale:
      mostSpecificError([errorIn('groundwork'), created].filter((error) => error !== undefined)) ??
      errorIn('deletions') ??
      plannedFailure(failures.scale),
    update: repaired ?? errorIn('claimOwners', 'upkeep', 'update') ?? plannedFailure(failures.update),
  };
}

export async function carryOut(
  next: Plan,
  { object: set, pass, events, dependencies }: Round<StatefulSet, StatefulSetStatus, Action, StatefulSetTypes>,
): Promise<Outcome> {
  if (next.unresizable !== undefined && isNews(set, next.unresizable.why))
    events.cannotUpdateClaim(next.unresizable.claim, next.unresizable.why);
  const result = await pass.runAfterGroundwork(next.groundwork, stagesOf(next, dependencies), podNameOf);
  return pass.conclude(isGrounded(result) ? next : { ...next, housekeeping: [] }, errorsOf(result, next));
}
