/** Computes the status of a NodeImage from those of its tags. @see spec/daemon.md 5.2 */
import type { ImageTagStatus, NodeImageStatus } from '@kruise/api';
import { taskKey, type ImageTask } from './task/image-task.ts';

type Phase = ImageTagStatus['phase'];

/**
 * Computes the status. @param tasks by image and tag in ascending order; the status keeps that order @param known by task key; a task without status
 * only counts as desired
 */
export function computeStatus(tasks: readonly ImageTask[], known: ReadonlyMap<string, ImageTagStatus>): NodeImageStatus {
  const byImage = new Map<string, ImageTagStatus[]>();
  for (const task of tasks) {
    const status = known.get(taskKey(task));
    if (status === undefined) continue;
    byImage.set(task.image, [...(byImage.get(task.image) ?? []), status]);
  }
  const statuses = [...byImage.values()].flat();
  const count = (wanted: Phase): number => statuses.filter(({ phase }) => phase === wanted).length;
  return {
    desired: tasks.length,
    succeeded: count('Succeeded'),
    failed: count('Failed'),
    pulling: count('Pulling'),
    waiting: count('Waiting'),
    ...(byImage.size === 0 ? {} : { imageStatuses: Object.fromEntries([...byImage].map(([image, tags]) => [image, { tags }])) }),
  };
}

/** Returns whether work continues, or a status is of another version than the spec. */
export const isUnsettled = (
  tasks: readonly ImageTask[],
  { desired, succeeded = 0, failed = 0, imageStatuses = {} }: NodeImageStatus,
): boolean =>
  succeeded + failed < desired ||
  tasks.some(({ image, tag, version }) => {
    const entries = Object.hasOwn(imageStatuses, image) ? (imageStatuses[image]?.tags ?? []) : [];
    return entries.some((entry) => entry.tag === tag && (entry.version ?? 0) !== version);
  });
