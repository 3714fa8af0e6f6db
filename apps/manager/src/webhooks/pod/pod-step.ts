/** What a step of the Pod webhook is. Steps know nothing of each other: each gets the Pod as the steps before left it. */
import type { AdmissionRequest } from '@kruise/admission';
import type { Pod } from '@kruise/objects';

export type PodStepResult =
  /** The Pod as it goes on; the very same object when the step has nothing to change. */
  | { readonly kind: 'Pod'; readonly pod: Pod }
  /** The Pod cannot be created as it is (code 500). */
  | { readonly kind: 'Refused'; readonly message: string };

export interface PodStep {
  /** In messages and logs, e.g. `readiness-gate`. */
  readonly name: string;
  /**
   * @param pod its namespace is filled in; shared, so a change is a new object
   * @param request what was asked, for dry runs and the user
   * @remarks What it throws as `ApiError` refuses the Pod with code 500; anything else is a fault of the program.
   */
  apply(pod: Pod, request: AdmissionRequest, signal: AbortSignal): PodStepResult | Promise<PodStepResult>;
}
