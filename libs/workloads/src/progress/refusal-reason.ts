/**
 * Which of the causes that a user can do something about a refusal of the API server is.
 *
 * A quota and a webhook that says no both come as `Forbidden`, a webhook that does not answer as an internal error; nothing but the message
 * tells them apart. Its wording is the API server's own and has been the same for years; this is the one place that reads it, and what it
 * does not recognise only gets a less precise reason.
 */
import type { BlockingReason } from './blocking-cause.ts';

const signs: readonly (readonly [BlockingReason, RegExp])[] = [
  ['QuotaExceeded', /\bexceeded quota:/],
  // A webhook of this project, with the words that its budgets refuse in (spec/podunavailablebudget.md 4.5).
  ['BudgetRefuses', /\bpodunavailablebudget\.policy\.kruise\.io "[^"]*" is forbidden:/],
  [
    'AdmissionRefuses',
    /(?:^|: )admission webhook "[^"]+" denied the request|\bValidatingAdmissionPolicy '.+ denied request|\bviolates PodSecurity "/,
  ],
  ['WebhookFails', /\bfailed calling webhook "/],
];

/** Undefined for other words. @param message of the API server, as its error or the status of another object has it */
export const refusalReason = (message: string): BlockingReason | undefined => signs.find(([, pattern]) => pattern.test(message))?.[0];
