/** Lifecycle states of a Pod and the hooks that hold it in one. @see spec/inplace-update.md 8 */
import { type LifecycleHook, labels, lifecycleStates } from '@kruise/api';
import { hasFinalizer, type Pod } from '@kruise/objects';

/** A value of the label `lifecycle.apps.kruise.io/state`. */
export type LifecycleState = (typeof lifecycleStates)[keyof typeof lifecycleStates];

const states: readonly LifecycleState[] = Object.values(lifecycleStates);

/** @returns '' for a Pod without the label (made before there were states) and for a label that is no state */
export function lifecycleStateOf(pod: Pod): LifecycleState | '' {
  const held = pod.metadata.labels?.[labels.lifecycleState];
  return states.find((state) => state === held) ?? '';
}

const carriesLabel = (pod: Pod, [key, value]: readonly [string, string]): boolean => pod.metadata.labels?.[key] === value;

/** Whether the Pod carries any label or finalizer of the hook. An absent or empty hook holds nothing. */
export const isHooked = (hook: LifecycleHook | undefined, pod: Pod): boolean =>
  (hook?.finalizersHandler ?? []).some((finalizer) => hasFinalizer(pod, finalizer)) ||
  Object.entries(hook?.labelsHandler ?? {}).some((label) => carriesLabel(pod, label));

/** Whether the Pod carries every label and finalizer of the hook: false for an absent hook, true for an empty one. */
export const isAllHooked = (hook: LifecycleHook | undefined, pod: Pod): boolean =>
  hook !== undefined &&
  (hook.finalizersHandler ?? []).every((finalizer) => hasFinalizer(pod, finalizer)) &&
  Object.entries(hook.labelsHandler ?? {}).every((label) => carriesLabel(pod, label));
