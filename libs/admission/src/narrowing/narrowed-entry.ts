/** What the API server is to ask about under one name; see the head of narrow-webhook.ts. */
import type { Formula } from './formula.ts';
import type { Requirements } from './namespace-partition.ts';

export interface NarrowedEntry {
  /** `''` for the installer's own. */
  readonly prefix: string;
  /** The part of the namespaces, as in the prefix: `''` for any namespace. */
  readonly part: string;
  /** In place of the installer's. */
  readonly failurePolicy?: 'Ignore';
  /** Besides the installer's namespace selector. */
  readonly namespace: Requirements;
  readonly own: Formula;
  /** What others before it are asked about. */
  readonly before: Formula;
}
