/** Which requests a webhook is needed for; the rest is let through by the API server without asking anybody. */
import type { LabelSelector } from '@kruise/objects';

/** One sort of requests: all that is given must hold. Selectors that are illegal select nothing. */
export interface RequestNeed {
  /** Becomes the first part of the webhook's name, which is what a user sees when nobody answers: a DNS label such as `sidecarset`. */
  readonly reason: string;
  /** Labels of the namespace; absent is any namespace. */
  readonly namespaceSelector?: LabelSelector | null;
  /** Labels of the object; absent is any object. */
  readonly objectSelector?: LabelSelector | null;
  /** A CEL expression over `object`, `oldObject` and `request`. It may never fail and must be cheap for objects of any size. */
  readonly condition?: string;
  /** Such requests go on when the call fails, whatever the installer chose; as the installer chose when absent. Of a reason all needs say the same. */
  readonly failurePolicy?: 'Ignore';
}

/** The requests that one webhook has to see. Those that no need covers are not sent to it. */
export interface WebhookNarrowing {
  /** In any order. A request that is needed for several reasons is sent under the name of the one that comes first in the alphabet. */
  readonly needs: readonly RequestNeed[];
  /** Whose labels `objectSelector` is about; `object` when absent. Deletions have only an `oldObject`. */
  readonly subject?: 'object' | 'oldObject';
  /**
   * A CEL expression over `object` that holds for nearly every object that an answer has changed, and may hold for others: by it a call that was
   * lost is told from one that was answered, and made once more. Absent: no call is repeated. The handler must leave what it answered as it is
   * when it is asked again.
   */
  readonly answered?: string;
}

/** By the name that the installer gave the webhook. A webhook that is not named here is asked about everything. */
export type Narrowing = Readonly<Record<string, WebhookNarrowing>>;
