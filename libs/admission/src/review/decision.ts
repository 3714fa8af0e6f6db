/** The requests of an admission handler and its possible answers. */
import type { Json, KubeObject } from '@kruise/objects';
import type { WebhookNarrowing } from '../narrowing/request-need.ts';

/** The operation on the object. DELETE has only an `oldObject`, CREATE only an `object`. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** `request` of an AdmissionReview. Objects are as sent, in the version of `resource.version`. */
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

/** The reason for a refusal, for programs: `details.causes` of the answer. */
export interface StatusCause {
  /** One word, e.g. `DisruptionBudget`. */
  readonly reason: string;
  readonly message: string;
}

/** Shown to the user beside the result. The API server cuts each after 256 characters. */
type Warnings = { readonly warnings?: readonly string[] };

/** The answer of a handler. `warnings` are shown to the user with any answer. */
export type Decision =
  | ({ readonly kind: 'Allowed' } & Warnings)
  /** Allowed with the object changed to this one. The server sends the difference as a JSON patch. */
  | ({ readonly kind: 'Changed'; readonly object: KubeObject } & Warnings)
  /** Refused by a rule: code 403, reason Forbidden. */
  | ({ readonly kind: 'Denied'; readonly message: string } & Warnings)
  /** Refused for now, as a disruption budget of Kubernetes does it, and worth retrying: code 429, reason TooManyRequests. */
  | ({ readonly kind: 'NotYet'; readonly message: string; readonly cause: StatusCause } & Warnings)
  /** The object or its processing is faulty: this code, no reason. */
  | ({ readonly kind: 'Failed'; readonly code: 400 | 403 | 422 | 500; readonly message: string } & Warnings);

/** Allowed unchanged, without a warning. */
export const allowed: Decision = { kind: 'Allowed' };

/** The requests that one webhook has to send to its handler; see `RequestNeed`. */
export interface HandlerNeeds {
  /** The installer's name, e.g. `mpod.kb.io`. */
  readonly webhook: string;
  /** Whether the caches that `current` reads hold their first list. */
  readonly isReady: () => boolean;
  /** Returns the needs of the present caches. */
  readonly current: () => WebhookNarrowing;
  /** Calls `changed` whenever `current` may have changed, until the process ends. */
  readonly watch: (changed: () => void) => void;
}

/** Decides on the requests of one path. An error that it throws is answered as code 500 and counted; the process continues. */
export interface AdmissionHandler {
  /** For example `/mutate-apps-kruise-io-cloneset`. */
  readonly path: string;
  /** Paths of older installations with the same meaning. */
  readonly aliases?: readonly string[];
  /** Needs by webhook. A webhook that is not named here has to be called for everything. */
  readonly needs?: readonly HandlerNeeds[];
  decide(request: AdmissionRequest, signal: AbortSignal): Decision | Promise<Decision>;
}
