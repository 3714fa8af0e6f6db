/**
 * Determines which updates of a Pod matter to a workload: changes that are not named here affect no plan and no status.
 * @see spec/cloneset.md 5.9
 */
import { podConditions, type Lifecycle } from '@kruise/api';
import { deepEqual, hasFinalizer, hasReadinessGate, isPodActive, isPodReady, podCondition, type Pod } from '@kruise/objects';
import { containersCompletion, lifecycleStateOf, updateStateOf } from '@kruise/pods';
import { containerFaults, unschedulable } from './progress/pod-causes.ts';

/** The input of the changes of a Pod besides the Pod. */
export interface ChangeContext {
  readonly lifecycle: Lifecycle | undefined;
  /** Gate InPlaceWorkloadVerticalScaling. */
  readonly isScalingOn: boolean;
}

const hookFinalizers = ({ preDelete, inPlaceUpdate, preNormal }: Lifecycle): readonly string[] =>
  [preDelete, inPlaceUpdate, preNormal].flatMap((hook) => hook?.finalizersHandler ?? []);

function hasHookChanged(before: Pod, after: Pod, lifecycle: Lifecycle | undefined): boolean {
  return lifecycle !== undefined && hookFinalizers(lifecycle).some((name) => hasFinalizer(before, name) !== hasFinalizer(after, name));
}

/** Returns whether an in-place update may be complete now, and is not marked so yet. */
function mayBeUpdated(pod: Pod, isScalingOn: boolean): boolean {
  if (!hasReadinessGate(pod, podConditions.inPlaceUpdateReady) && lifecycleStateOf(pod) === 'Normal') return false;
  const state = updateStateOf(pod);
  const isComplete = state.kind === 'Parsed' && containersCompletion(pod, state.value, isScalingOn).kind === 'Complete';
  return isComplete && (isScalingOn || podCondition(pod, podConditions.inPlaceUpdateReady)?.status !== 'True');
}

/** Returns what the condition Blocked reports of the Pod. */
const wordsOf = (pod: Pod): unknown => [containerFaults(pod), unschedulable(pod)];

/** Returns whether a change of a Pod with the same owner matters. Being assigned to a node matters as well: it ends PreparingNormal. */
export function mayMatter(before: Pod, after: Pod, { lifecycle, isScalingOn }: ChangeContext): boolean {
  return (
    !deepEqual(before.metadata.ownerReferences, after.metadata.ownerReferences) ||
    !deepEqual(before.metadata.labels, after.metadata.labels) ||
    before.metadata.generation !== after.metadata.generation ||
    before.spec.nodeName !== after.spec.nodeName ||
    hasHookChanged(before, after, lifecycle) ||
    isPodReady(before) !== isPodReady(after) ||
    isPodActive(before) !== isPodActive(after) ||
    !deepEqual(wordsOf(before), wordsOf(after)) ||
    mayBeUpdated(after, isScalingOn)
  );
}
