/** Changes of a Pod's conditions as new Pods; the caller writes their status on the resourceVersion they carry. */
import type { Pod, PodCondition } from '@kruise/objects';

/** The Pod with these conditions; the rest of its status stays. */
export const withConditions = (pod: Pod, conditions: readonly PodCondition[]): Pod => ({ ...pod, status: { ...pod.status, conditions } });

/** Puts `next` in the place of the condition of its type (or at the end), times and all as given. */
export function replaceCondition(conditions: readonly PodCondition[] | undefined, next: PodCondition): readonly PodCondition[] {
  const list = conditions ?? [];
  const at = list.findIndex((condition) => condition.type === next.type);
  return at < 0 ? [...list, next] : list.with(at, next);
}
