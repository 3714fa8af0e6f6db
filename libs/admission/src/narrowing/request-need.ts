/** The requests that a webhook is needed for. The API server lets the others pass without a call. */
import type { LabelSelector } from '@kruise/objects';

/** One sort of requests: all given conditions must hold. Illegal selectors select nothing. */
export interface RequestNeed {
  /** The first part of the webhook's name, which a user sees when a call is not answered: a DNS label such as `sidecarset`. */
  readonly reason: string;
  /** Selects by labels of the namespace; any namespace when absent. */
  readonly namespaceSelector?: LabelSelector | null;
  /** Selects by labels of the object; any object when absent. */
  readonly objectSelector?: LabelSelector | null;
  /** A CEL expression over `object`, `oldObject` and `request`. It must never fail and must be cheap for objects of any size. */
  readonly condition?: string;
  /** Such requests pass when the call fails, whatever the installer chose; as the installer chose when absent. All needs of a reason must agree. */
  readonly failurePolicy?: 'Ignore';
}

/** The requests that one webhook has to see. Requests that no need covers are not sent to it. */
export interface WebhookNarrowing {
  /** In any order. A request that is needed for several reasons is sent under the name of the first one in alphabetical order. */
  readonly needs: readonly RequestNeed[];
  /** The object whose labels `objectSelector` selects; `object` when absent. Deletions have only an `oldObject`. */
  readonly subject?: 'object' | 'oldObject';
  /**
   * A CEL expression over `object` that holds for nearly every object that an answer has changed, and may hold for others. It distinguishes a lost
   * call from an answered one, so that a lost call is repeated. Absent: no call is repeated. The handler must leave its own answer unchanged when it
   * is called again.
   */
  readonly answered?: string;
}

/** Narrowings by the installer's name of the webhook. A webhook that is not named here is called for everything. */
export type Narrowing = Readonly<Record<string, WebhookNarrowing>>;
