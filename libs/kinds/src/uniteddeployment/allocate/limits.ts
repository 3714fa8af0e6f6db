/** The least and the most Pods of each subset. Pure. @see spec/uniteddeployment.md 5.4 */
import { parseSubsetShare } from '@kruise/api';
import type { IntOrPercent } from '@kruise/objects';
import type { SubsetSeen } from './subset.ts';

export interface Limits {
  readonly min: number;
  /** Infinity for none. */
  readonly max: number;
}

export type LimitsOfAll =
  { readonly kind: 'Limits'; readonly limits: readonly Limits[] } | { readonly kind: 'Impossible'; readonly why: string };

function limitsOf({ name, minReplicas, maxReplicas }: SubsetSeen, total: number): Limits | string {
  const read = (value: IntOrPercent | undefined, absent: number): number | string => {
    if (value === undefined) return absent;
    const share = parseSubsetShare(value, total);
    return share.kind === 'Pods' ? share.value : `${JSON.stringify(value)} of subset ${name} ${share.why}`;
  };
  const [min, max] = [read(minReplicas, 0), read(maxReplicas, Infinity)];
  if (typeof min === 'string') return `minReplicas ${min}`;
  if (typeof max === 'string') return `maxReplicas ${max}`;
  return min > max ? `subset ${name} wants at least ${min} and at most ${max} Pods` : { min, max };
}

/** Those of every subset, or the first that makes no sense. @param total the 100 percent */
export function limitsOfAll(subsets: readonly SubsetSeen[], total: number): LimitsOfAll {
  const all = subsets.map((subset) => limitsOf(subset, total));
  const fault = all.find((limits) => typeof limits === 'string');
  return fault === undefined
    ? { kind: 'Limits', limits: all.filter((limits) => typeof limits !== 'string') }
    : { kind: 'Impossible', why: fault };
}
