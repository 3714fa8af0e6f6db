/** What one Pod needs next: which levels are out, and whether it is done. @see spec/containerlaunchpriority.md 5, 6 */
import { containerStatusOf, isPodActive, type ConfigMap, type Pod } from '@kruise/objects';
import { isCompleted, isOfAnotherPod, levelKey, levelOf, released } from './barrier.ts';

export type Action =
  | { readonly kind: 'DeleteForeignBarrier'; readonly uid: string; readonly because: string }
  | { readonly kind: 'CreateBarrier'; readonly data: Readonly<Record<string, string>>; readonly because: string }
  | { readonly kind: 'ReleaseLevels'; readonly uid: string; readonly data: Readonly<Record<string, string>>; readonly because: string }
  | { readonly kind: 'MarkCompleted'; readonly because: string };

/** Every level of the Pod, each once, highest first. */
const levelsOf = (pod: Pod): readonly number[] => {
  const levels = pod.spec.containers.map((container) => levelOf(container, pod.metadata.name));
  return [...new Set(levels)].filter((level) => level !== undefined).toSorted((a, b) => b - a);
};

/** Levels with a container that is not ready, each once, highest first; a container without a status is not ready. */
export function waitingLevels(pod: Pod): readonly number[] {
  const waiting = pod.spec.containers.filter(({ name }) => containerStatusOf(pod, name)?.ready !== true);
  const levels = waiting.map((container) => levelOf(container, pod.metadata.name));
  return [...new Set(levels)].filter((level) => level !== undefined).toSorted((a, b) => b - a);
}

/** The levels that are out by now: all down to the highest one that waits; all of them when none waits or they were all out before. */
function dueLevels(pod: Pod, waiting: readonly number[]): readonly number[] {
  const levels = levelsOf(pod);
  const highest = waiting[0];
  return highest === undefined || isCompleted(pod) ? levels : levels.filter((level) => level >= highest);
}

const dataOf = (levels: readonly number[]): Readonly<Record<string, string>> =>
  Object.fromEntries(levels.map((level) => [levelKey(level), released]));

function barrierActions(barrier: ConfigMap | undefined, pod: Pod, due: readonly number[]): readonly Action[] {
  const names = due.map(levelKey).join(', ');
  if (barrier === undefined)
    return [{ kind: 'CreateBarrier', data: dataOf(due), because: `there is no barrier; levels to release: ${names}` }];
  const uid = barrier.metadata.uid ?? '';
  if (isOfAnotherPod(barrier, pod)) {
    return [
      { kind: 'DeleteForeignBarrier', uid, because: 'it belongs to an earlier Pod of the same name' },
      { kind: 'CreateBarrier', data: dataOf(due), because: `the barrier belonged to another Pod; levels to release: ${names}` },
    ];
  }
  const missing = due.filter((level) => barrier.data?.[levelKey(level)] === undefined);
  const because = `every container above ${levelKey(missing.at(-1) ?? 0)} has been ready`;
  return missing.length === 0 ? [] : [{ kind: 'ReleaseLevels', uid, data: dataOf(missing), because }];
}

/** Whether the lowest level that waits is out: nothing is left to release. */
function isLastOut(barrier: ConfigMap | undefined, waiting: readonly number[], due: readonly number[]): boolean {
  const lowest = waiting.at(-1);
  return lowest === undefined || due.includes(lowest) || barrier?.data?.[levelKey(lowest)] !== undefined;
}

/**
 * The next steps, in order; safe to repeat.
 *
 * @param barrier the current ConfigMap of the barrier's name, created by any client
 * @returns nothing for a Pod without levels, or for one that is being deleted
 * @remarks A level is released when the containers of all higher levels are ready. For levels that are already released, it is enough that they were once.
 */
export function plan(pod: Pod, barrier: ConfigMap | undefined): readonly Action[] {
  if (!isPodActive(pod) || levelsOf(pod).length === 0) return [];
  const waiting = waitingLevels(pod);
  const due = dueLevels(pod, waiting);
  const actions = barrierActions(barrier, pod, due);
  const own = barrier !== undefined && !isOfAnotherPod(barrier, pod) ? barrier : undefined;
  return isCompleted(pod) || !isLastOut(own, waiting, due)
    ? actions
    : [...actions, { kind: 'MarkCompleted', because: 'no level is left to release' }];
}
