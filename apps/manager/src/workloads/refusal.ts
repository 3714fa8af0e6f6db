/**
 * What the API server refused, sorted into the causes that a user can do something about.
 *
 * A quota and a webhook that says no both come as `Forbidden`, a webhook that does not answer as an internal error; nothing but the message
 * tells them apart. Its wording is the API server's own and has been the same for years; this is the one place that reads it, and what it
 * does not recognise only gets a less precise reason.
 */
import { ApiError, isFailure } from '@kruise/kube';
import type { BlockingReason, PassFailure, PassFailures } from '@kruise/workloads';

const signs: readonly (readonly [BlockingReason, RegExp])[] = [
  ['QuotaExceeded', /\bexceeded quota:/],
  // A webhook of this project, with the words that its budgets refuse in (spec/podunavailablebudget.md 4.5).
  ['BudgetRefuses', /\bpodunavailablebudget\.policy\.kruise\.io "[^"]*" is forbidden:/],
  [
    'AdmissionRefuses',
    /^admission webhook "[^"]+" denied the request|\bValidatingAdmissionPolicy '.+ denied request|\bviolates PodSecurity "/,
  ],
  ['WebhookFails', /\bfailed calling webhook "/],
];

/** The refusal as a cause for the condition Blocked, with a reason where its words are known. */
export function refusalOf(error: Error): PassFailure {
  const { message } = error;
  const sign = error instanceof ApiError ? signs.find(([, pattern]) => pattern.test(message)) : undefined;
  return sign === undefined ? { message } : { reason: sign[0], message };
}

/** What went wrong in the two parts of a pass. */
export interface PassErrors {
  readonly scale?: Error | undefined;
  readonly update?: Error | undefined;
}

/** A conflict is no news: the next pass decides on what somebody else wrote. */
const failureOf = (error: Error | undefined): PassFailure | undefined =>
  error === undefined || isFailure(error, 'Conflict') ? undefined : refusalOf(error);

/** What of it is worth telling the user. */
export function failuresOf({ scale, update }: PassErrors): PassFailures {
  const [scaling, updating] = [failureOf(scale), failureOf(update)];
  return { ...(scaling === undefined ? {} : { scale: scaling }), ...(updating === undefined ? {} : { update: updating }) };
}
