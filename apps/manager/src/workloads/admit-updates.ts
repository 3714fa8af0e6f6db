/** Asks the guards of the Pods before updates begin; updates in progress always continue. @see spec/cloneset.md 5.7 step 7 */
import { milliseconds, type Guard, type Pod, type PlannedAction } from '@kruise/objects';
import type { ControllerDependencies } from '../module/controller-dependencies.ts';
import type { UpdateGuard } from '@kruise/workloads';

/** What a plan of updates consists of, as far as the guard looks at it. */
interface Planned extends PlannedAction {
  readonly pod?: Pod;
  readonly transition?: { readonly to: string };
}

/** Of Pods as a whole, and of the sidecars in them. */
const beginnings: ReadonlySet<string> = new Set(['UpdatePodInPlace', 'RecreatePod', 'UpdatePod', 'FlipPod']);

/** The Pod whose update the action takes the first step of. */
const beginningOf = ({ kind, pod, transition }: Planned): Pod | undefined =>
  beginnings.has(kind) || (kind === 'SetLifecycle' && transition?.to === 'PreparingUpdate') ? pod : undefined;

/**
 * The guard of a stage of updates.
 *
 * @param also kinds of actions that begin an update in this stage, and something else in others
 */
export const guardOfUpdates = (guard: UpdateGuard, also: readonly string[] = []): Guard<Planned> => ({
  concerns: (action) => beginningOf(action) !== undefined || also.includes(action.kind),
  ask: async (action, signal) => {
    const pod = beginningOf(action) ?? action.pod;
    const answer = pod === undefined ? undefined : await guard.mayUpdate(pod, signal);
    return answer?.kind === 'Refused' ? answer.why : undefined;
  },
});

/** The part of a stage that guards its updates; empty if no guard is configured. */
export const updateGuardOf = (
  { gates, updateGuard }: Pick<ControllerDependencies, 'gates' | 'updateGuard'>,
  also: readonly string[] = [],
): { readonly guard?: Guard<Planned> } =>
  gates.PodUnavailableBudgetUpdateGate && updateGuard !== undefined ? { guard: guardOfUpdates(updateGuard, also) } : {};

/** How soon a guard that refused is asked again. */
export const refusedFor = milliseconds(1000);
