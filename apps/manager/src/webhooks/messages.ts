/** What the main thread and the webhook thread say to each other. */
import type { KeyPair, Narrowing, NeedAhead } from '@kruise/admission';
import type { Gates } from '@kruise/api';
import type { ManagerFlags } from '../options/flags.ts';
import type { InstalledKinds } from '../process/discovery.ts';
import type { ProtectionRecord } from '../process/protection-log.ts';

/** Handed to the thread when it starts. */
export interface ThreadData {
  readonly port: number;
  readonly flags: ManagerFlags;
  readonly gates: Gates;
  readonly podNamespace: string;
  /** The kinds that are known to be there when the thread starts: they decide which handlers there are. */
  readonly installedKinds: InstalledKinds;
  readonly keyPair: KeyPair;
  /** PEM: who signs the certificates of those who may ask; absent where anybody may. */
  readonly clientAuthorities?: string;
  /** Minor version of the API server: 34 for Kubernetes 1.34. */
  readonly kubernetes: number;
}

export type ToThread =
  | { readonly kind: 'UseKeyPair'; readonly keyPair: KeyPair }
  /** PEM, in place of those before. */
  | { readonly kind: 'UseClientAuthorities'; readonly pem: string }
  /** There are more kinds now. */
  | { readonly kind: 'UseKinds'; readonly kinds: InstalledKinds }
  | { readonly kind: 'CollectMetrics'; readonly id: number }
  /** The answer to `Widen`; `failure` says why it is not in force. */
  | { readonly kind: 'Widened'; readonly id: number; readonly failure?: string }
  /** A controller was refused by a budget: counted where refusals of admission are. */
  | { readonly kind: 'Protected'; readonly record: ProtectionRecord }
  /** Answers end their connections from now on. */
  | { readonly kind: 'Drain' }
  | { readonly kind: 'Stop'; readonly graceMs: number };

export type FromThread =
  | { readonly kind: 'Listening'; readonly port: number }
  /** Every cache that a handler reads holds its first complete list. */
  | { readonly kind: 'Synced' }
  /** What the webhooks have to be asked about, each time it has changed. */
  | { readonly kind: 'Needs'; readonly narrowing: Narrowing }
  /** Webhooks have to be asked about these, too, before an object is admitted. */
  | { readonly kind: 'Widen'; readonly id: number; readonly needs: readonly NeedAhead[] }
  | { readonly kind: 'Metrics'; readonly id: number; readonly text: string };
