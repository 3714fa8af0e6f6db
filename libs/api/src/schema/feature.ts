/** A feature without a kind of its own that handles objects of other kinds: its webhooks and rights, declared as kinds declare theirs. */
import type { GateName } from '../gates/feature-gates.ts';
import type { Right } from './rights.ts';

/** A validating webhook of a feature. @see spec/manager.md 4.4 */
export interface FeatureWebhook {
  /** Name in the webhook configuration, e.g. `vnamespace.kb.io`. */
  readonly name: string;
  readonly path: string;
  /** '' for the core group. */
  readonly group: string;
  /** Others are answered with code 400. */
  readonly versions: readonly string[];
  /** Plural name. */
  readonly resource: string;
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
  /** Only objects with this label are sent. */
  readonly objectLabel: string;
  /** Without this gate the webhook is not served, and so not called. Always served when absent. */
  readonly gate?: GateName;
}

/** Everything about a feature that is known without a manager. */
export interface FeatureDeclaration {
  /** Name in messages. */
  readonly name: string;
  readonly webhooks: readonly FeatureWebhook[];
  readonly rights: readonly Right[];
}

/** Returns the webhooks that are served with these gates. */
export const servedWebhooks = (
  { webhooks }: Pick<FeatureDeclaration, 'webhooks'>,
  gates: Readonly<Record<GateName, boolean>>,
): readonly FeatureWebhook[] => webhooks.filter(({ gate }) => gate === undefined || gates[gate]);
