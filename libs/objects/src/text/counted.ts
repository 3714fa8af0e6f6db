/** Numbers of objects in words. */

/**
 * Returns a number with what it counts: `1 Pod`, `2 Pods`, `0 Pods`.
 *
 * @param one follows the number 1; may contain a verb: `Pod waits`
 * @param many follows any other number; without it, `one` with an s
 */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
