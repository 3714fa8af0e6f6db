/**
 * Pods of which the API server refused a creation or an update: with Parallel they go behind the others in the next pass, so that one that is refused
 * does not use up, in every pass, what may be done at a time.
 */
import type { Action } from './action.ts';

/** By name. */
export type RefusedPods = ReadonlySet<string>;

export const noneRefused: RefusedPods = new Set();

const podOf = (action: Action): string | undefined => ('pod' in action ? action.pod.metadata.name : undefined);

/**
 * Whose turn it is last from now on.
 *
 * @param planned what was planned for Pods in the pass; a Pod that was not in it stays among those that were refused
 * @param refused those of them that were refused
 */
export function refusedAfter(before: RefusedPods, planned: readonly Action[], refused: readonly Action[]): RefusedPods {
  const tried = new Set(planned.map(podOf));
  return new Set([...[...before].filter((name) => !tried.has(name)), ...refused.flatMap((action) => podOf(action) ?? [])]);
}

/** In the order given, but those that were refused behind the others. @param nameOf of the Pod */
export const refusedLast = <T>(all: readonly T[], nameOf: (one: T) => string, refused: RefusedPods): readonly T[] =>
  refused.size === 0 ? all : [...all.filter((one) => !refused.has(nameOf(one))), ...all.filter((one) => refused.has(nameOf(one)))];
