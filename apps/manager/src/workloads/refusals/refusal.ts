/** What the API server refused, sorted into the causes that a user can do something about. */
import { ApiError, isFailure } from '@kruise/kube';
import { refusalReason, type PassFailure, type PassFailures } from '@kruise/workloads';

/** The refusal as a cause for the condition Blocked, with a reason where its words are known. */
export function refusalOf(error: Error): PassFailure {
  const { message } = error;
  const reason = error instanceof ApiError ? refusalReason(message) : undefined;
  return reason === undefined ? { message } : { reason, message };
}

/** What went wrong in the two parts of a pass. */
export interface PassErrors {
  readonly scale?: Error | undefined;
  readonly update?: Error | undefined;
  /** What failed, in words, if the error does not name it. */
  readonly about?: { readonly scale?: string | undefined; readonly update?: string | undefined };
}

/** A conflict is not reported: the next pass decides on the newer version. */
function failureOf(error: Error | undefined, about: string | undefined): PassFailure | undefined {
  if (error === undefined || isFailure(error, 'Conflict')) return undefined;
  const refusal = refusalOf(error);
  return about === undefined ? refusal : { ...refusal, message: `${about}: ${refusal.message}` };
}

/** What of it is worth telling the user. */
export function failuresOf({ scale, update, about = {} }: PassErrors): PassFailures {
  const [scaling, updating] = [failureOf(scale, about.scale), failureOf(update, about.update)];
  return { ...(scaling === undefined ? {} : { scale: scaling }), ...(updating === undefined ? {} : { update: updating }) };
}

/** A failure that the plan found, as an error for the conclusion of the pass. */
export const plannedFailure = (failure: { readonly message: string } | undefined): Error | undefined =>
  failure === undefined ? undefined : new Error(failure.message);
