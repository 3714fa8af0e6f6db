/** The example of README.md. */
import type { ControllerRevision, Pod } from '@kruise/objects';
import { rankForUpdate } from '@kruise/pods';
import { isOf, planPodUpdates, planUpkeep, withinBudget, withoutSuperseded, type UpdateAction, type Workload } from './index.ts';

/** What a workload with nothing but `maxUnavailable` does with its Pods in one pass: looks after them, then updates as many as may be. */
export function planPass(
  pods: readonly Pod[],
  revision: ControllerRevision,
  maxUnavailable: number,
  workload: Workload,
): readonly UpdateAction[] {
  const upkeep = planUpkeep(pods, workload);
  if (upkeep.startsNothingNew) return upkeep.actions;
  const target = { revision, limit: maxUnavailable, because: `${maxUnavailable} Pods may be unavailable` };
  const candidates = pods.filter((pod) => !isOf(workload, pod, revision.metadata.name));
  const rank = (those: readonly Pod[]): readonly Pod[] => rankForUpdate(those, pods, { preparingFirst: true });
  const { actions } = planPodUpdates(withinBudget({ candidates, rank }, pods, target, workload), target, workload);
  return [...withoutSuperseded(upkeep.actions, actions), ...actions];
}
