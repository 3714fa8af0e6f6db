/** What the controller of a PodProbeMarker may do to the cluster. Each action may be repeated. */
import type { NodePodProbe } from '@kruise/api';
import type { Pod } from '@kruise/objects';

export type Action = { readonly because: string } & (
  | { readonly kind: 'AddFinalizer' | 'RemoveFinalizer' }
  /** Brings the marker's share in the list of one node up to date: probes for these Pods and no others. */
  | { readonly kind: 'UpdateList'; readonly list: NodePodProbe; readonly pods: readonly Pod[] }
  | { readonly kind: 'MarkServerlessPod'; readonly pod: Pod; readonly patch: object }
);
