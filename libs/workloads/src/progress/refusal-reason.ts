/**
 * Determines the cause of a refusal of the API server, as far as a user can do something about it.
 *
 * The refusals of a quota and of a webhook are both `Forbidden`, and a webhook that does not answer is an internal error. Only the message
 * distinguishes them. Its wording is the API server's own and has been the same for years. This is the only place that reads it; for an unknown
 * message the reason is only less precise.
 */
import type { BlockingReason } from './blocking-cause.ts';

const signs: readonly (readonly [BlockingReason, RegExp])[] = [
  ['QuotaExceeded', /\bexceeded quota:/],
  // A webhook of this project, with the words of a refusal by its budgets (spec/podunavailablebudget.md 4.5).
  ['BudgetRefuses', /\bpodunavailablebudget\.policy\.kruise\.io "[^"]*" is forbidden:/],
  [
    'AdmissionRefuses',
    /(?:^|: )admission webhook "[^"]+" denied the request|\bValidatingAdmissionPolicy '.+ denied request|\bviolates PodSecurity "/,
  ],
  ['WebhookFails', /\bfailed calling webhook "/],
];

/** Returns the reason, undefined for other messages. @param message of the API server, in its error or in the status of another object */
export const refusalReason = (message: string): BlockingReason | undefined => signs.find(([, pattern]) => pattern.test(message))?.[0];
