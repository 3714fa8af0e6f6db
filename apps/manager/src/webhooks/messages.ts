/** The messages between the main thread and the webhook thread. Their kinds differ in both directions, so one union contains all of them. */
import type { KeyPair, Narrowing, NeedAhead } from '@kruise/admission';
import type { Gates } from '@kruise/api';
import type { ClusterConfig } from '@kruise/kube';
import type { ManagerFlags } from '../options/flags.ts';
import type { InstalledKinds } from '../process/discovery.ts';
import type { ProtectionRecord } from '../process/protection-log.ts';

/** The data of the thread when it starts. */
export interface ThreadData {
  readonly port: number;
  /** The main thread has read it, so the thread loads no parser of kubeconfigs. */
  readonly cluster: ClusterConfig;
  readonly flags: ManagerFlags;
  readonly gates: Gates;
  readonly podNamespace: string;
  /** The kinds that are known to be installed when the thread starts: they decide which handlers there are. */
  readonly installedKinds: InstalledKinds;
  readonly keyPair: KeyPair;
  /** PEM: the authorities that sign the certificates of known callers; absent where any caller may ask. */
  readonly clientAuthorities?: string;
  /** Minor version of the API server: 34 for Kubernetes 1.34. */
  readonly kubernetes: number;
}

/** From the main thread to the webhook thread. */
export type ToThread =
  | { readonly kind: 'UseKeyPair'; readonly keyPair: KeyPair }
  /** PEM, which replaces the previous authorities. */
  | { readonly kind: 'UseClientAuthorities'; readonly pem: string }
  /** More kinds are installed. */
  | { readonly kind: 'UseKinds'; readonly kinds: InstalledKinds }
  /** Answered with `Metrics`. */
  | { readonly kind: 'CollectMetrics'; readonly id: number }
  /** The answer to `Widen`; `failure` says why the webhooks were not widened. */
  | { readonly kind: 'Widened'; readonly id: number; readonly failure?: string }
  /** A budget refused an update by a controller; it is counted with the refusals of admission. */
  | { readonly kind: 'Protected'; readonly record: ProtectionRecord }
  /** Answers end their connections from now on. */
  | { readonly kind: 'Drain' }
  | { readonly kind: 'Stop'; readonly graceMs: number };

/** From the webhook thread to the main thread. */
export type FromThread =
  | { readonly kind: 'Listening'; readonly port: number }
  /** Every cache that a handler reads holds its first complete list. */
  | { readonly kind: 'Synced' }
  /** The needs that the webhooks must cover, each time they have changed. */
  | { readonly kind: 'Needs'; readonly narrowing: Narrowing }
  /** Webhooks must cover these needs as well before an object is admitted. Answered with `Widened`. */
  | { readonly kind: 'Widen'; readonly id: number; readonly needs: readonly NeedAhead[] }
  | { readonly kind: 'Metrics'; readonly id: number; readonly text: string };

export type Message = ToThread | FromThread;
