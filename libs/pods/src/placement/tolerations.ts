/** Determines which taints of a node a Pod tolerates. Pure. @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration */
import type { DeepReadonly, Node, PodSpec } from '@kruise/objects';

export type Toleration = NonNullable<PodSpec['tolerations']>[number];
export type Taint = DeepReadonly<{ key: string; value?: string; effect: string }>;

/** Returns whether a taint is tolerated. */
export type Tolerance = (taint: Taint) => boolean;

const textOf = (effect: string, key: string, value: string | null): string => JSON.stringify([effect, key, value]);

/**
 * Compiles tolerations once for the taints of many nodes: an answer takes eight look-ups, however many tolerations there are.
 *
 * An absent effect or key equals an empty one, and both mean any. Without an operator it is `Equal`; with an unknown one nothing is tolerated.
 */
export function toleranceOf(tolerations: readonly Toleration[] | undefined): Tolerance {
  const held = new Set<string>();
  for (const { effect = '', key = '', operator = '', value = '' } of tolerations ?? []) {
    if (operator === 'Exists') held.add(textOf(effect, key, null));
    else if (operator === '' || operator === 'Equal') held.add(textOf(effect, key, value));
  }
  if (held.size === 0) return () => false;
  return ({ effect, key, value = '' }) =>
    ['', effect].some((ofEffect) =>
      ['', key].some((ofKey) => held.has(textOf(ofEffect, ofKey, null)) || held.has(textOf(ofEffect, ofKey, value))),
    );
}

/** Returns the taints with one of `effects` that a Pod does not tolerate. */
export const untolerated = ({ spec }: Pick<Node, 'spec'>, tolerates: Tolerance, effects: readonly string[]): readonly Taint[] =>
  // eslint-disable-next-line kruise/cross-product -- the program writes the effects
  (spec?.taints ?? []).filter((taint) => effects.includes(taint.effect) && !tolerates(taint));
