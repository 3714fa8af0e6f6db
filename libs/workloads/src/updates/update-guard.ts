/**
 * Asks the budgets that limit how many Pods may be out of service, before a controller of this process updates a Pod.
 * @see spec/podunavailablebudget.md 4.6
 */
import type { Pod, PlannedAction } from '@kruise/objects';
import type { BlockingCause } from '../progress/blocking-cause.ts';

/** The answer of the budgets. */
export type UpdateAnswer =
  | { readonly kind: 'Allowed' }
  /** `why` in the words of who refuses; asked again a second later the answer may be another. */
  | { readonly kind: 'Refused'; readonly why: string };

/** Asks before an update. */
export interface UpdateGuard {
  /**
   * Whether the Pod may be updated now, in place or by recreation. Who allows it has taken note of it: the write that follows need not be
   * admitted a second time, and asking again for the same Pod costs nothing more.
   *
   * @param pod as observed; one without anybody who guards it is allowed
   * @throws what keeps the answer from being known: the caller tries again later
   */
  mayUpdate(pod: Pod, signal: AbortSignal): Promise<UpdateAnswer>;
}

/** One after the other: the first refusal is the answer. */
export const guardedByAll = (guards: readonly UpdateGuard[]): UpdateGuard => ({
  mayUpdate: async (pod, signal) => {
    for (const guard of guards) {
      const answer = await guard.mayUpdate(pod, signal);
      if (answer.kind === 'Refused') return answer;
    }
    return { kind: 'Allowed' };
  },
});

/** Returns what a refused update means to the user. */
export const causeOfRefusal = ({
  action: { pod },
  why,
}: {
  readonly action: PlannedAction & { readonly pod?: Pod };
  readonly why: string;
}): BlockingCause => ({
  reason: 'BudgetRefuses',
  message: `Pod ${pod?.metadata.name ?? ''} may not be updated now: ${why}`,
});
