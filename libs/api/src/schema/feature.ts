/** A feature that has no kind of its own but is asked about objects of others: its webhooks and rights, as kinds declare theirs. */
import type { GateName } from '../gates/feature-gates.ts';
import type { Right } from './rights.ts';

/** A validating webhook of a feature. @see spec/manager.md 4.4 */
export interface FeatureWebhook {
  /** In the webhook configuration, e.g. `vnamespace.kb.io`. */
  readonly name: string;
  readonly path: string;
  /** '' for the core group. */
  readonly group: string;
  /** Others are answered with code 400. */
  readonly versions: readonly string[];
  /** Plural name. */
  readonly resource: string;
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
  /** Only objects with this label are asked about. */
  readonly objectLabel: string;
  /** Without it the webhook is not served, and so not asked; served always when absent. */
  readonly gate?: GateName;
}

/** All that is known of a feature without a manager. */
export interface FeatureDeclaration {
  /** In messages. */
  readonly name: string;
  readonly webhooks: readonly FeatureWebhook[];
  readonly rights: readonly Right[];
}

/** The webhooks that are served with these gates. */
export const servedWebhooks = (
  { webhooks }: Pick<FeatureDeclaration, 'webhooks'>,
  gates: Readonly<Record<GateName, boolean>>,
): readonly FeatureWebhook[] => webhooks.filter(({ gate }) => gate === undefined || gates[gate]);
