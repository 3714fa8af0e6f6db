import { labels } from '@kruise/api';
import { isPodReady, type Pod } from '@kruise/objects';

const leaving: readonly (string | undefined)[] = ['PreparingDelete', 'PreparingUpdate'];

/** Whether users can count on `pod`: it is ready, and the controller has neither deleted it nor announced to its hooks that it will be taken out of service. */
export const isServing = (pod: Pod): boolean =>
  isPodReady(pod) && pod.metadata.deletionTimestamp === undefined && !leaving.includes(pod.metadata.labels?.[labels.lifecycleState]);
