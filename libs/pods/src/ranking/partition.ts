/** Computes how many Pods a rollout does not update. @see spec/cloneset.md 5.4, spec/sidecarset.md 5.6 */
import { scaleIntOrPercent } from '@kruise/objects';

/**
 * Returns a partition in Pods. A percentage rounds up, but only `100%` excludes all of several Pods.
 *
 * @param value of the field, with its default filled in
 * @returns 0 to `total`; undefined when the field is neither a count nor a percentage
 */
export function partitionInPods(value: unknown, total: number): number | undefined {
  const scaled = scaleIntOrPercent(value, total, 'up');
  if (scaled.kind === 'Illegal') return undefined;
  const isAlmostAll = total > 1 && scaled.value === total && typeof value === 'string' && value !== '100%';
  return Math.min(Math.max(isAlmostAll ? total - 1 : scaled.value, 0), total);
}
