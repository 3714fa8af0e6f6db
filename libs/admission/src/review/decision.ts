/** What an admission handler is asked and what it may answer. */
import type { Json, KubeObject } from '@kruise/objects';
import type { WebhookNarrowing } from '../narrowing/request-need.ts';

/** What is done to the object. DELETE has only an `oldObject`, CREATE only an `object`. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** `request` of an AdmissionReview; objects are as sent, in the version of `resource.version`. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: Operation;
  readonly userInfo: { readonly username?: string; readonly uid?: string; readonly groups?: readonly string[] };
  readonly object?: KubeObject | null;
  readonly oldObject?: KubeObject | null;
  readonly options?: Json;
  readonly dryRun?: boolean;
}

/** Why something cannot be done now, as programs tell it: `details.causes` of the answer. */
export interface StatusCause {
  /** In one word, e.g. `DisruptionBudget`. */
  readonly reason: string;
  readonly message: string;
}

/** Shown to the user beside the result; the API server cuts each after 256 characters. */
type Warnings = { readonly warnings?: readonly string[] };

/** What a handler answers. `warnings` are shown to the user whatever the answer. */
export type Decision =
  | ({ readonly kind: 'Allowed' } & Warnings)
  /** Allowed with the object changed to this one; the server sends the difference to what was asked as a JSON patch. */
  | ({ readonly kind: 'Changed'; readonly object: KubeObject } & Warnings)
  /** Refused by a rule: code 403, reason Forbidden. */
  | ({ readonly kind: 'Denied'; readonly message: string } & Warnings)
  /** Refused for now, as a disruption budget of Kubernetes does it, and worth asking again: code 429, reason TooManyRequests. */
  | ({ readonly kind: 'NotYet'; readonly message: string; readonly cause: StatusCause } & Warnings)
  /** The object or the handling is faulty: this code, no reason. */
  | ({ readonly kind: 'Failed'; readonly code: 400 | 403 | 422 | 500; readonly message: string } & Warnings);

/** Let through as it is, without a warning. */
export const allowed: Decision = { kind: 'Allowed' };

/** What one webhook has to ask its handler about; see `RequestNeed`. */
export interface HandlerNeeds {
  /** As the installer named it, e.g. `mpod.kb.io`. */
  readonly webhook: string;
  /** Whether the caches that `current` reads hold their first list. */
  readonly isReady: () => boolean;
  /** From what the caches hold now. */
  readonly current: () => WebhookNarrowing;
  /** Calls `changed` whenever `current` may have become another; for the life of the process. */
  readonly watch: (changed: () => void) => void;
}

/** Decides on the requests of one path. Throwing is answered as code 500 and counted; the process lives on. */
export interface AdmissionHandler {
  /** e.g. `/mutate-apps-kruise-io-cloneset`. */
  readonly path: string;
  /** Paths of older installations that mean the same. */
  readonly aliases?: readonly string[];
  /** By webhook; a webhook that is not named here has to ask about everything. */
  readonly needs?: readonly HandlerNeeds[];
  decide(request: AdmissionRequest, signal: AbortSignal): Decision | Promise<Decision>;
}
