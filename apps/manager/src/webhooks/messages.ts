/** What the main thread and the webhook thread say to each other. */
import type { KeyPair } from '@kruise/admission';
import type { Gates } from '@kruise/api';
import type { ManagerFlags } from '../options/flags.ts';

/** Handed to the thread when it starts. */
export interface ThreadData {
  readonly port: number;
  readonly flags: ManagerFlags;
  readonly gates: Gates;
  readonly podNamespace: string;
  readonly keyPair: KeyPair;
}

export type ToThread =
  | { readonly kind: 'UseKeyPair'; readonly keyPair: KeyPair }
  | { readonly kind: 'CollectMetrics'; readonly id: number }
  | { readonly kind: 'Stop'; readonly graceMs: number };

export type FromThread =
  { readonly kind: 'Listening'; readonly port: number } | { readonly kind: 'Metrics'; readonly id: number; readonly text: string };
