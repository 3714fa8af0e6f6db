/** What a Pod says of its budget. Pure. @see spec/podunavailablebudget.md 3 */
import { podUnavailableBudgetAnnotations as names } from '@kruise/api';
import type { Pod } from '@kruise/objects';

const annotationOf = ({ metadata }: Pod, name: string): string => {
  const value: unknown = metadata.annotations?.[name];
  return typeof value === 'string' ? value : '';
};

/** Name of the Pod's budget; '' for a Pod without one. */
export const relatedPubOf = (pod: Pod): string => annotationOf(pod, names.relatedPub) || annotationOf(pod, names.legacyRelatedPub);

/** Both annotations, which are always written together. */
export const relatedPubAnnotations = (budget: string): Readonly<Record<string, string>> => ({
  [names.relatedPub]: budget,
  [names.legacyRelatedPub]: budget,
});

/** The Pod with its budget's name; the very same Pod when it has it already. */
export function withRelatedPub(pod: Pod, budget: string): Pod {
  const wanted = relatedPubAnnotations(budget);
  if (Object.entries(wanted).every(([name, value]) => annotationOf(pod, name) === value)) return pod;
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...wanted } } };
}

/** As Go reads a boolean. */
const truths: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Whether the user has taken the Pod out of protection. */
export const isExempt = (pod: Pod): boolean => truths.has(annotationOf(pod, names.noProtect));
