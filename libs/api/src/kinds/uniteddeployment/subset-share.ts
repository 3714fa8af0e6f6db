/** Parses `replicas`, `minReplicas` and `maxReplicas` of a subset to a number of Pods. @see spec/uniteddeployment.md 2.1 */
export type SubsetShare = { readonly kind: 'Pods'; readonly value: number } | { readonly kind: 'Illegal'; readonly why: string };

const illegal = (why: string): SubsetShare => ({ kind: 'Illegal', why });
const expected = 'must be a whole number of at least 0, or a whole percentage from "0%" to "100%"';

/**
 * Returns a number of Pods, or a whole percentage of `total`, of which half rounds up.
 *
 * @param value of any origin
 * @param total `spec.replicas`; undefined when it is absent, so that no percentage has a meaning
 * @remarks Never throws.
 */
export function parseSubsetShare(value: unknown, total: number | undefined): SubsetShare {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? { kind: 'Pods', value } : illegal(expected);
  const percent = typeof value === 'string' ? /^\+?(\d{1,9})%$/.exec(value)?.[1] : undefined;
  if (percent === undefined || Number(percent) > 100) return illegal(expected);
  if (total === undefined) return illegal('a percentage needs spec.replicas');
  return { kind: 'Pods', value: Math.floor((2 * total * Number(percent) + 100) / 200) };
}
