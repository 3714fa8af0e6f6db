/** The requests that the API server sends under one name; see the head of narrow-webhook.ts. */
import type { Formula } from './formula.ts';
import type { Requirements } from './namespace-partition.ts';

export interface NarrowedEntry {
  /** `''` for the installer's own entry. */
  readonly prefix: string;
  /** The part of the namespaces, as in the prefix: `''` for any namespace. */
  readonly part: string;
  /** Replaces the installer's policy. */
  readonly failurePolicy?: 'Ignore';
  /** In addition to the installer's namespace selector. */
  readonly namespace: Requirements;
  readonly own: Formula;
  /** The requests of earlier entries. */
  readonly before: Formula;
}
