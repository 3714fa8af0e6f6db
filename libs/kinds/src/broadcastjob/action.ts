/** What a BroadcastJob's plan may request. */
import type { Pod } from '@kruise/objects';

export type Action = { readonly because: string } & (
  { readonly kind: 'DeleteJob' } | { readonly kind: 'CreatePod'; readonly pod: Pod } | { readonly kind: 'DeletePod'; readonly pod: Pod }
);

/** Events that are recorded after their status is written. */
export type Note =
  | { readonly kind: 'DuplicatePod'; readonly pod: string; readonly node: string }
  | { readonly kind: 'TooManyActivePods' }
  | { readonly kind: 'Continued' }
  | { readonly kind: 'Paused' }
  | { readonly kind: 'FailedPodFound'; readonly succeeded: number; readonly failed: number }
  | { readonly kind: 'DeadlineExceeded'; readonly succeeded: number; readonly failed: number }
  | { readonly kind: 'Completed'; readonly succeeded: number; readonly failed: number };
