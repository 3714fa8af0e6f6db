/** What a plan may request. Every action says why, and may be done twice. */
import type { ControllerRevision } from '@kruise/objects';
import type { HistoryAction, OnPod } from '@kruise/workloads';
import type { NameRevision } from './revisions/revisions.ts';

export type Action =
  | HistoryAction
  | NameRevision
  | ({ readonly kind: 'SetUpgradable'; readonly upgradable: boolean } & OnPod)
  | ({ readonly kind: 'FlipPod' } & OnPod)
  | ({ readonly kind: 'UpdatePod' } & OnPod)
  | { readonly kind: 'AdoptRevision'; readonly revision: ControllerRevision; readonly because: string };

export type ActionOf<K extends Action['kind']> = Extract<Action, { readonly kind: K }>;
