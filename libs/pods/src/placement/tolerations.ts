/** Which taints of a node a Pod lives with. Pure. @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration */
import type { DeepReadonly, Node, PodSpec } from '@kruise/objects';

export type Toleration = NonNullable<PodSpec['tolerations']>[number];
export type Taint = DeepReadonly<{ key: string; value?: string; effect: string }>;

/** An absent one is the same as an empty one, and both mean any. */
const isAnyOr = (wanted: string | undefined, held: string): boolean => wanted === undefined || wanted === '' || wanted === held;

/** Without an operator it is Equal. */
const isValueFit = ({ operator, value = '' }: Toleration, taint: Taint): boolean =>
  operator === 'Exists' || (isAnyOr(operator, 'Equal') && value === (taint.value ?? ''));

const toleratesOne = (toleration: Toleration, taint: Taint): boolean =>
  isAnyOr(toleration.effect, taint.effect) && isAnyOr(toleration.key, taint.key) && isValueFit(toleration, taint);

export const tolerates = (tolerations: readonly Toleration[] | undefined, taint: Taint): boolean =>
  tolerations?.some((toleration) => toleratesOne(toleration, taint)) ?? false;

/** The taints with one of `effects` that a Pod does not tolerate. */
export const untolerated = (
  { spec }: Pick<Node, 'spec'>,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): readonly Taint[] => (spec?.taints ?? []).filter((taint) => effects.includes(taint.effect) && !tolerates(tolerations, taint));
