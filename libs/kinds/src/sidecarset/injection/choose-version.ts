/** Whether a new Pod gets the present version of a SidecarSet or a former one. @see spec/sidecarset.md 5.2 step 3 */
import { revisionReferenceOf, type RevisionReference } from '../revisions/revision-reference.ts';
import type { SidecarSet } from '@kruise/api';
import { fnv1a, labelMatcherOrNothing, parseIntOrPercent } from '@kruise/objects';

export type VersionChoice = { readonly kind: 'Current' } | { readonly kind: 'History'; readonly reference: RevisionReference };

const current: VersionChoice = { kind: 'Current' };

/** Between 0 and 1, the same for the same text: which part of new Pods a Pod is among. */
export const shareOf = (text: string): number => fnv1a(text) / 2 ** 32;

/** Whether a partition in percent keeps a Pod on the former version; a number of Pods says nothing of new ones. */
function isKeptBack(partition: unknown, share: number): boolean {
  const parsed = parseIntOrPercent(partition ?? 0);
  return parsed.kind === 'Percent' && share <= Number(parsed.mantissa) / 10 ** parsed.decimals / 100;
}

/**
 * @param podLabels of the Pod, which the SidecarSet matches
 * @param share of this Pod, from 0 to less than 1
 */
export function chooseVersion(sidecarSet: SidecarSet, podLabels: Readonly<Record<string, string>>, share: number): VersionChoice {
  const reference = revisionReferenceOf(sidecarSet);
  if (reference === undefined) return current;
  const history: VersionChoice = { kind: 'History', reference };
  const { updateStrategy = {}, injectionStrategy } = sidecarSet.spec;
  if (updateStrategy.paused === true || injectionStrategy?.revision?.policy !== 'Partial') return history;
  const { selector, partition } = updateStrategy;
  const isSelected = selector === undefined || selector === null || labelMatcherOrNothing(selector).matches(podLabels);
  return !isSelected || isKeptBack(partition, share) ? history : current;
}
