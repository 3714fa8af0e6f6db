/** The answer to a request that a budget checks, and how a refusal is reported. Pure. @see spec/podunavailablebudget.md 3, 4.5 */
import { groups, podUnavailableBudgetDeclaration, type PubOperation } from '@kruise/api';
import { controllerOf, type Pod } from '@kruise/objects';
import type { PodCheckResult } from '../../module/pod-check.ts';
import type { ProtectionRecord } from '../../process/protection-log.ts';

/** The answer of a budget. */
export type BudgetAnswer =
  | { readonly kind: 'Allowed' }
  /** In words that programs look for; `cause` says how much is missing. */
  | { readonly kind: 'Refused'; readonly message: string; readonly cause: string }
  /** It cannot be known. */
  | { readonly kind: 'Failed'; readonly message: string };

const resource = `${podUnavailableBudgetDeclaration.singular}.${groups.policy}`;

export const refusalOf = (budget: string, why: string): string => `${resource} "${budget}" is forbidden: ${why}`;

/** The cause that evicting clients look for besides the code, for any reason of the refusal. */
const disruptionBudgetCause = 'DisruptionBudget';

/**
 * A refusal as the client gets it. An eviction is refused as a PodDisruptionBudget of Kubernetes refuses it: evicting programs retry after that
 * answer, and give up after the answer that other operations get.
 */
export const refusalFor = (
  operation: PubOperation,
  { message, cause }: Extract<BudgetAnswer, { readonly kind: 'Refused' }>,
): PodCheckResult =>
  operation === 'EVICT'
    ? { kind: 'NotYet', message, cause: { reason: disruptionBudgetCause, message: cause } }
    : { kind: 'Refused', message };

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
