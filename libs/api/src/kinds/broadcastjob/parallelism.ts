/** How many Pods of a BroadcastJob run at a time. @see spec/broadcastjob.md 2.1 */

/** As Go's `strconv.Atoi` reads it once the percent signs are gone, wherever they stand. */
function parsePercent(text: string): number | undefined {
  const digits = text.replaceAll('%', '');
  const percent = /^[+-]?\d+$/.test(digits) ? Number(digits) : undefined;
  return Number.isSafeInteger(percent) ? percent : undefined;
}

/**
 * The greatest number of active Pods.
 *
 * @param value of any origin: a number of Pods, or a text, which is a percentage with or without its sign
 * @param desired number of nodes that should run the Pod; what a percentage is of, rounded up
 * @returns may be less than 0, which starts as little as 0 does; undefined when the value says no number
 */
export function parallelPods(value: unknown, desired: number): number | undefined {
  if (typeof value !== 'string') return Number.isSafeInteger(value) ? (value as number) : undefined;
  const percent = parsePercent(value);
  return percent === undefined ? undefined : Math.ceil((percent * desired) / 100) + 0;
}
