/** The example of README.md. */
import type { ControllerRevision, Pod } from '@kruise/objects';
import { rankForUpdate } from '@kruise/pods';
import { isOf, planPodUpdates, planUpkeep, withinBudget, withoutSuperseded, type UpdateAction, type Workload } from './index.ts';

/** How this workload recreates a Pod: a deleted one is missing in its next pass. */
interface DeletePod {
  readonly kind: 'DeletePod';
  readonly pod: Pod;
  readonly because: string;
}

/** Plans one pass of a workload that only has `maxUnavailable`: upkeep of its Pods, then as many updates as allowed. */
export function planPass(
  pods: readonly Pod[],
  revision: ControllerRevision,
  maxUnavailable: number,
  workload: Workload,
): readonly (UpdateAction | DeletePod)[] {
  const upkeep = planUpkeep(pods, workload);
  if (upkeep.busy.size > 0) return upkeep.actions;
  const target = { revision, limit: maxUnavailable, because: `${maxUnavailable} Pods may be unavailable` };
  const isCandidate = (pod: Pod): boolean => !isOf(workload, pod, revision.metadata.name);
  const rank = (those: readonly Pod[]): readonly Pod[] => rankForUpdate(those, pods, { preparingFirst: true });
  const chosen = withinBudget({ isCandidate, rank }, pods, target, workload);
  const { actions } = planPodUpdates<DeletePod>(chosen, target, workload, (pod, because) => [{ kind: 'DeletePod', pod, because }]);
  return [...withoutSuperseded(upkeep.actions, actions), ...actions];
}
