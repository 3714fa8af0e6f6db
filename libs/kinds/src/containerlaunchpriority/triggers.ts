/** Decides which changes of a Pod enqueue it, without asking the server. @see spec/containerlaunchpriority.md 5 */
import { isPodActive, type Pod } from '@kruise/objects';
import { hasLevels, isCompleted } from './barrier.ts';
import { waitingLevels } from './plan.ts';

/** What the kubelet says when it misses the ConfigMap or a key, for all containers; '' when it misses nothing. */
const complaints = (pod: Pod): string =>
  (pod.status?.containerStatuses ?? [])
    .filter(({ state }) => state?.waiting?.reason === 'CreateContainerConfigError')
    .map(({ name, state }) => `${name}: ${state?.waiting?.message ?? ''}`)
    .join('\n');

/**
 * Returns whether a change enqueues the Pod.
 *
 * @param previous the Pod before the change; absent for one that is new here
 * @remarks A completed Pod needs us only when the kubelet cannot create one of its containers: then its barrier was deleted. Of the others
 *   only what changes the levels that wait, or what the kubelet misses, is news.
 */
export function isNews(pod: Pod, previous: Pod | undefined): boolean {
  if (!isPodActive(pod) || !hasLevels(pod)) return false;
  if (isCompleted(pod)) return complaints(pod) !== '' && complaints(pod) !== (previous === undefined ? '' : complaints(previous));
  if (previous === undefined || !hasLevels(previous)) return true;
  return waitingLevels(pod).join() !== waitingLevels(previous).join() || complaints(pod) !== complaints(previous);
}
