/** Whoever guards the Pods is asked before updates begin; what is under way goes on in any case. @see spec/cloneset.md 5.7 step 7 */
import type { Guard, StageResult } from '@kruise/kube';
import type { UpdateGuard } from '../../module/update-guard.ts';
import type { Action, ActionOf } from './action.ts';
import type { BlockingCause } from '@kruise/workloads';

type Beginning = ActionOf<'UpdatePodInPlace' | 'RecreatePod' | 'SetLifecycle'>;

/** Whether the action takes the first step of an update. */
const isBeginning = (action: Action): action is Beginning =>
  action.kind === 'UpdatePodInPlace' ||
  action.kind === 'RecreatePod' ||
  (action.kind === 'SetLifecycle' && action.transition.to === 'PreparingUpdate');

/** The guard of the stage of updates. */
export const guardOfUpdates = (guard: UpdateGuard): Guard<Action> => ({
  concerns: isBeginning,
  ask: async (action, signal) => {
    const answer = isBeginning(action) ? await guard.mayUpdate(action.pod, signal) : undefined;
    return answer?.kind === 'Refused' ? answer.why : undefined;
  },
});

/** What a refusal means to the user. */
export const refusalByGuard = ({ action, why }: NonNullable<StageResult<Action>['refused']>): BlockingCause => {
  const name = 'pod' in action ? action.pod.metadata.name : '';
  return { reason: 'BudgetRefuses', message: `Pod ${name} may not be updated now: ${why}` };
};
