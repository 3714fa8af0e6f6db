/** Computes how many Pods of a BroadcastJob run at a time. @see spec/broadcastjob.md 2.1 */

/** Parses a percentage as Go's `strconv.Atoi` does after the percent signs are removed, wherever they are. */
function parsePercent(text: string): number | undefined {
  const digits = text.replaceAll('%', '');
  const percent = /^[+-]?\d+$/.test(digits) ? Number(digits) : undefined;
  return Number.isSafeInteger(percent) ? percent : undefined;
}

/**
 * Returns the maximum of active Pods.
 *
 * @param value of any origin: a number of Pods, or a string, which is a percentage with or without its sign
 * @param desired number of nodes that should run the Pod; the base of a percentage, rounded up
 * @returns may be less than 0, which starts as few Pods as 0 does; undefined when the value contains no number
 */
export function parallelPods(value: unknown, desired: number): number | undefined {
  if (typeof value !== 'string') return Number.isSafeInteger(value) ? (value as number) : undefined;
  const percent = parsePercent(value);
  return percent === undefined ? undefined : Math.ceil((percent * desired) / 100) + 0;
}
