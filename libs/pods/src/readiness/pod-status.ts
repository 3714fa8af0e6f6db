/** Changes a Pod's conditions as a new Pod; the caller writes its status on the resourceVersion that it has. */
import type { Pod, PodCondition } from '@kruise/objects';

/** Returns the Pod with these conditions; the rest of its status stays. */
export const withConditions = (pod: Pod, conditions: readonly PodCondition[]): Pod => ({ ...pod, status: { ...pod.status, conditions } });

/** Replaces the condition of the same type by `next` (or appends it), with times and other fields as given. */
export function replaceCondition(conditions: readonly PodCondition[] | undefined, next: PodCondition): readonly PodCondition[] {
  const list = conditions ?? [];
  const at = list.findIndex((condition) => condition.type === next.type);
  return at < 0 ? [...list, next] : list.with(at, next);
}
