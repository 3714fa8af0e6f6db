/** Defines a step of the Pod webhook. Steps do not depend on each other: each gets the Pod as the steps before it left it. */
import type { AdmissionRequest, RequestNeed } from '@kruise/admission';
import type { Pod } from '@kruise/objects';

export type PodStepResult =
  /** The Pod for the next step; the same object when the step changes nothing. The client that creates the Pod sees the warnings. */
  | { readonly kind: 'Pod'; readonly pod: Pod; readonly warnings?: readonly string[] }
  /** The Pod cannot be created as it is; code 500 when none is given, 400 for a fault that the user can see and mend in the Pod. */
  | { readonly kind: 'Refused'; readonly message: string; readonly code?: 400 | 500 };

/** The Pods that a step has to see. It must name every Pod that the step would change or refuse, were the step the only one. */
export interface PodNeeds {
  /**
   * A CEL expression over `object` that holds for a Pod that the step has changed; it may hold for others. Absent for a step whose Pods others of
   * the steps change anyway. A Pod that bears no such trace may come twice.
   */
  readonly trace?: string;
  /** Whether the caches that `current` reads hold their first list; absent when it reads none. */
  isReady?(): boolean;
  /** From what the caches hold now; pure. */
  current(): readonly RequestNeed[];
  /** Calls `changed` whenever `current` may have become another; absent when it never does. */
  watch?(changed: () => void): void;
}

export interface PodStep {
  /** In messages and logs, e.g. `readiness-gate`. */
  readonly name: string;
  /** Absent: every Pod. As long as one step has none, the webhook is asked about every Pod, and none is created while no manager answers. */
  readonly needs?: PodNeeds;
  /**
   * @param pod its namespace is filled in; shared, so a change is a new object
   * @param request what was asked, for dry runs and the user
   * @remarks A Pod may come twice, the second time as the step has left it, and must then stay as it is. What it throws as `ApiError` refuses the Pod with code 500; anything else is a fault of the program.
   */
  apply(pod: Pod, request: AdmissionRequest, signal: AbortSignal): PodStepResult | Promise<PodStepResult>;
}
