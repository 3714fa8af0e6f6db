/** Asks whoever guards the Pods before updates begin; what is under way goes on in any case. @see spec/cloneset.md 5.7 step 7 */
import type { UpdateGuard } from '../../module/update-guard.ts';
import type { Action, ActionOf } from './action.ts';
import type { BlockingCause } from './blocking-cause.ts';

type Beginning = ActionOf<'UpdatePodInPlace' | 'RecreatePod' | 'SetLifecycle'>;

/** Whether the action takes the first step of an update. */
const isBeginning = (action: Action): action is Beginning =>
  action.kind === 'UpdatePodInPlace' ||
  action.kind === 'RecreatePod' ||
  (action.kind === 'SetLifecycle' && action.transition.to === 'PreparingUpdate');

export interface AdmittedUpdates {
  readonly actions: readonly Action[];
  /** Set when somebody refused: no update after that one begins in this pass. */
  readonly refusedBy?: BlockingCause;
}

/**
 * @param actions in the order in which they are to be done; Pods are asked for one after the other, as each answer may use up what is left
 * @throws what the guard throws
 */
export async function admitUpdates(
  actions: readonly Action[],
  guard: UpdateGuard | undefined,
  signal: AbortSignal,
): Promise<AdmittedUpdates> {
  if (guard === undefined) return { actions };
  const refused = new Set<Action>();
  let refusedBy: BlockingCause | undefined;
  for (const action of actions.filter(isBeginning)) {
    const answer = refusedBy === undefined ? await guard.mayUpdate(action.pod, signal) : undefined;
    if (answer?.kind === 'Allowed') continue;
    refused.add(action);
    refusedBy ??= { reason: 'BudgetRefuses', message: `Pod ${action.pod.metadata.name} may not be updated now: ${answer?.why ?? ''}` };
  }
  return { actions: actions.filter((action) => !refused.has(action)), ...(refusedBy === undefined ? {} : { refusedBy }) };
}
