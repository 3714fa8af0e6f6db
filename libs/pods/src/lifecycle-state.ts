/** Lifecycle states of a Pod and the hooks that keep it in one. @see spec/inplace-update.md 8 */
import { type LifecycleHook, labels, lifecycleStates } from '@kruise/api';
import { hasFinalizer, type Pod } from '@kruise/objects';

/** A value of the label `lifecycle.apps.kruise.io/state`. */
export type LifecycleState = (typeof lifecycleStates)[keyof typeof lifecycleStates];

const states: readonly LifecycleState[] = Object.values(lifecycleStates);

/** Returns the state, '' for a Pod without the label (created before there were states) and for an unknown value. */
export function lifecycleStateOf(pod: Pod): LifecycleState | '' {
  const held = pod.metadata.labels?.[labels.lifecycleState];
  return states.find((state) => state === held) ?? '';
}

const carriesLabel = (pod: Pod, [key, value]: readonly [string, string]): boolean => pod.metadata.labels?.[key] === value;

/** Returns whether the Pod has any label or finalizer of the hook. False for an absent or empty hook. */
export const isHooked = (hook: LifecycleHook | undefined, pod: Pod): boolean =>
  (hook?.finalizersHandler ?? []).some((finalizer) => hasFinalizer(pod, finalizer)) ||
  Object.entries(hook?.labelsHandler ?? {}).some((label) => carriesLabel(pod, label));

/** Returns whether the Pod has every label and finalizer of the hook: false for an absent hook, true for an empty one. */
export const isAllHooked = (hook: LifecycleHook | undefined, pod: Pod): boolean =>
  hook !== undefined &&
  (hook.finalizersHandler ?? []).every((finalizer) => hasFinalizer(pod, finalizer)) &&
  Object.entries(hook.labelsHandler ?? {}).every((label) => carriesLabel(pod, label));
