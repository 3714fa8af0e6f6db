/** What is answered to whoever asks a budget, and what others hear of a refusal. Pure. @see spec/podunavailablebudget.md 3, 4.5 */
import { groups, podUnavailableBudgetDeclaration, type PubOperation } from '@kruise/api';
import { controllerOf, type Pod } from '@kruise/objects';
import type { ProtectionRecord } from '../../process/protection-log.ts';

/** The answer of a budget. */
export type BudgetAnswer =
  | { readonly kind: 'Allowed' }
  /** In words for whoever asked. */
  | { readonly kind: 'Refused'; readonly message: string }
  /** It cannot be known. */
  | { readonly kind: 'Failed'; readonly message: string };

const resource = `${podUnavailableBudgetDeclaration.singular}.${groups.policy}`;

export const refusalOf = (budget: string, why: string): string => `${resource} "${budget}" is forbidden: ${why}`;

/** 429 is what clients that evict try again after, and 403 what they give up on. */
export const refusalCode = (operation: PubOperation): 403 | 429 => (operation === 'EVICT' ? 429 : 403);

/** For the metric and the protection log. */
export function protectionRecord(pod: Pod, user: string): ProtectionRecord {
  const owner = controllerOf(pod);
  return {
    Event: 'PodUnavailableBudget',
    Kind: owner?.kind ?? 'unknown',
    Namespace: pod.metadata.namespace ?? '',
    Name: owner?.name ?? pod.metadata.name,
    UserAgent: user,
  };
}
