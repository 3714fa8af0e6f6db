/** What the tests look at of a Pod. */
import { annotations, labels } from '@kruise/api';
import { isTerminating, isPodReady, type Pod, podCondition } from '@kruise/objects';

export const lifecycleState = (pod: Pod): string | undefined => pod.metadata.labels?.[labels.lifecycleState];
export const revisionOf = (pod: Pod): string | undefined => pod.metadata.labels?.[labels.controllerRevisionHash];
export const imageOf = (pod: Pod): string | undefined => pod.spec.containers[0]?.image;
/** In the order of the Pods. */
export const uidsOf = (pods: readonly Pod[]): readonly (string | undefined)[] => pods.map(({ metadata }) => metadata.uid);
export const restartsOf = (pod: Pod): number | undefined => pod.status?.containerStatuses?.[0]?.restartCount;
export const inPlaceReady = (pod: Pod): string | undefined => podCondition(pod, 'InPlaceUpdateReady')?.status;

/** Ready, not terminating, and in the lifecycle state Normal. */
export const isAvailable = (pod: Pod): boolean => !isTerminating(pod) && isPodReady(pod) && lifecycleState(pod) === 'Normal';

/** The state of the last in-place update. */
export interface InPlaceState {
  readonly revision?: string;
  readonly lastContainerStatuses?: Readonly<Record<string, { readonly imageID?: string }>>;
  readonly containerBatchesRecord?: readonly { readonly containers?: readonly string[] }[];
}

export const inPlaceState = (pod: Pod): InPlaceState =>
  JSON.parse(pod.metadata.annotations?.[annotations.inPlaceUpdateState] ?? '{}') as InPlaceState;
