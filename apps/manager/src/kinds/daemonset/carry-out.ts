/** The stages of a DaemonSet's plan, and what their results mean to the status. @see spec/daemonset.md 5.2 */
import type { PlanResult, Stage } from '@kruise/objects';
import type { DaemonSet, DaemonSetStatus } from '@kruise/api';
import { mostSpecificError, type Outcome } from '@kruise/kube';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { updateGuardOf } from '../../workloads/admit-updates.ts';
import { nodeOfAction } from '@kruise/workloads';
import { plannedFailure, type PassErrors } from '../../workloads/refusals/refusal.ts';
import type { Round } from '../../workloads/passes/workload-controller.ts';
import { type Action, type Plan, burstFaultOf } from '@kruise/kinds/daemonset';
import type { DaemonSetTypes } from './io.ts';

/** What is refused for one node says nothing about the next. */
function stagesOf(
  { preDownload, creations, deletions, replacements, upkeep, update }: Plan,
  dependencies: ControllerDependencies,
): readonly Stage<Action>[] {
  // Pods that are recreated are deleted, and their nodes get others in a later pass.
  const guard = updateGuardOf(dependencies, ['DeletePod']);
  return [
    { name: 'preDownload', actions: preDownload, onFailure: 'Log', pace: 'ByKind' },
    { name: 'creations', actions: creations, onFailure: 'EndStage', pace: 'ByKind', slowly: ['CreatePod'] },
    { name: 'deletions', actions: deletions, onFailure: 'Collect', pace: 'AtOnce' },
    { name: 'replacements', actions: replacements, onFailure: 'Collect', pace: 'AtOnce', ...guard },
    { name: 'upkeep', actions: upkeep, onFailure: 'Collect', pace: 'ByKind', ...guard },
    { name: 'update', actions: update, onFailure: 'Collect', pace: 'ByKind', ...guard },
  ];
}

/** What failed, by what it is for. */
function errorsOf({ stages }: PlanResult<Action>, { failures }: Plan): PassErrors {
  const errorIn = (...names: readonly string[]): Error | undefined =>
    mostSpecificError(names.flatMap((stage) => stages.get(stage)?.error ?? []));
  return {
    scale: errorIn('groundwork', 'creations', 'deletions', 'replacements') ?? plannedFailure(failures.scale),
    update: errorIn('upkeep', 'update') ?? plannedFailure(failures.update),
  };
}

export async function carryOut(
  next: Plan,
  { object: set, pass, events, dependencies }: Round<DaemonSet, DaemonSetStatus, Action, DaemonSetTypes>,
): Promise<Outcome> {
  const burstFault = burstFaultOf(set);
  if (burstFault !== undefined && set.status?.observedGeneration !== set.metadata.generation) events.invalid(burstFault);
  const result = await pass.runAfterGroundwork(next.groundwork, stagesOf(next, dependencies), nodeOfAction);
  const isGrounded = result.stages.get('groundwork')?.error === undefined;
  return pass.conclude(isGrounded ? next : { ...next, housekeeping: [] }, errorsOf(result, next));
}
