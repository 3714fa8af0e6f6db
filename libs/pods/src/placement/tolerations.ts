/** Which taints of a node a Pod lives with. Pure. @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration */
import type { DeepReadonly, Node, PodSpec } from '@kruise/objects';

export type Toleration = NonNullable<PodSpec['tolerations']>[number];
export type Taint = DeepReadonly<{ key: string; value?: string; effect: string }>;

/** An absent key, effect or operator is the same as an empty one; empty means any key and any effect, and the operator Equal. */
function toleratesOne({ key = '', operator = '', value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && value === (taint.value ?? '');
}

export const tolerates = (tolerations: readonly Toleration[] | undefined, taint: Taint): boolean =>
  tolerations?.some((toleration) => toleratesOne(toleration, taint)) ?? false;

/** The taints with one of `effects` that a Pod does not tolerate. */
export const untolerated = (
  { spec }: Pick<Node, 'spec'>,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): readonly Taint[] => (spec?.taints ?? []).filter((taint) => effects.includes(taint.effect) && !tolerates(tolerations, taint));
