/** Changes of a Pod's conditions as new Pods; the caller writes their status on the resourceVersion they carry. */
import type { Pod, PodCondition } from '@kruise/objects';

/** The same Pod when the conditions are the ones it has, so that identity tells whether to write. */
export function withConditions(pod: Pod, conditions: readonly PodCondition[]): Pod {
  const held = pod.status?.conditions;
  if (conditions === held || (held === undefined && conditions.length === 0)) return pod;
  return { ...pod, status: { ...pod.status, conditions } };
}

/** Puts `next` in the place of the condition of its type (or at the end), times and all as given. */
export function replaceCondition(conditions: readonly PodCondition[] | undefined, next: PodCondition): readonly PodCondition[] {
  const list = conditions ?? [];
  const at = list.findIndex((condition) => condition.type === next.type);
  return at < 0 ? [...list, next] : list.with(at, next);
}
