/** What the rules of a DaemonSet ask about one Pod. @see spec/daemonset.md 5.6, 5.11 */
import { labels, podConditions, type DaemonSet } from '@kruise/api';
import {
  compareUtf8,
  hasReadinessGate,
  isPodAvailable,
  isPodReady,
  memoizedList,
  parseTime,
  podCondition,
  shortest,
  type Instant,
  type Milliseconds,
  type Pod,
} from '@kruise/objects';
import { daemonSetRevisions, isOfRevision } from '@kruise/pods';
import { podViewsOf, type PodView } from '@kruise/workloads';
import { generationOf } from './new-pod.ts';
import { minReadySecondsOf } from '../snapshot/strategy.ts';

export const isFailed = ({ status }: Pod): boolean => status?.phase === 'Failed';

/** Ready for longer than `minReadySeconds`; whatever its lifecycle. */
export const isAvailable = (set: DaemonSet, pod: Pod, now: Instant): boolean => isPodAvailable(pod, minReadySecondsOf(set), now);

/** The same for the Pod of the view. */
export function isViewAvailable(set: DaemonSet, { isReady, readySince }: PodView, now: Instant): boolean {
  const minReady = minReadySecondsOf(set) * 1000;
  return isReady && (minReady <= 0 || (readySince !== undefined && readySince + minReady < now));
}

/** Whether nothing of an update in place is left to do. */
export const isUpdateGateOpen = (pod: Pod): boolean =>
  !hasReadinessGate(pod, podConditions.inPlaceUpdateReady) ||
  (podCondition(pod, podConditions.inPlaceUpdateReady)?.status ?? 'True') === 'True';

/** Available for the status: nothing of an update in place is left to do. */
export const countsAsAvailable = (set: DaemonSet, pod: Pod, now: Instant): boolean => isAvailable(set, pod, now) && isUpdateGateOpen(pod);

const areGatesOpen = memoizedList(isUpdateGateOpen);

/** The Pods that do not count as available, in their order. */
export function unavailablePods(set: DaemonSet, pods: readonly Pod[], now: Instant): readonly Pod[] {
  const [views, gates] = [podViewsOf(set.metadata, pods), areGatesOpen(set.metadata, pods)];
  const isWaiting = (view: PodView | undefined, isOpen: boolean | undefined): boolean =>
    view !== undefined && !(isViewAvailable(set, view, now) && isOpen === true);
  return pods.filter((_, index) => isWaiting(views[index], gates[index]));
}

/**
 * Whether the Pod is unavailable because an update in place has taken it out of service, or because it is on its way back from there: its containers
 * are ready and its readiness gates open, and only the kubelet or `minReadySeconds` is waited for. Until it is available it uses up budget, whichever
 * revision it is of.
 */
export function isOutForUpdate(set: DaemonSet, pod: Pod, now: Instant): boolean {
  if (!hasReadinessGate(pod, podConditions.inPlaceUpdateReady) || isAvailable(set, pod, now)) return false;
  const isTrue = (type: string): boolean => podCondition(pod, type)?.status === 'True';
  const isOpen = (pod.spec.readinessGates ?? []).every(({ conditionType }) => isTrue(conditionType));
  return podCondition(pod, podConditions.inPlaceUpdateReady)?.status === 'False' || (isOpen && isTrue('ContainersReady'));
}

/**
 * Whether the Pod is of the update revision. The number of a template's generation, which Pods of migrated DaemonSets carry, counts only where
 * there is no hash: it is the same for every Pod, so that nothing would ever be updated.
 *
 * @param hash of the update revision
 * @see spec/daemonset.md 8
 */
export const isUpdated = (set: DaemonSet, pod: Pod, hash: string): boolean => isOfUpdate(pod, hash, generationOf(set));

/** The same for the generation of the template that a migrated DaemonSet carries. */
export function isOfUpdate(pod: Pod, hash: string, generation: string | undefined): boolean {
  const carried = pod.metadata.labels?.[labels.controllerRevisionHash] ?? '';
  if (carried !== '') return isOfRevision(daemonSetRevisions, pod, hash);
  return generation !== undefined && pod.metadata.labels?.[labels.podTemplateGeneration] === generation;
}

const areUpdated = memoizedList(isOfUpdate);

/** Whether every Pod is of the update revision. @param hash of it */
export const areAllUpdated = (set: DaemonSet, pods: readonly Pod[], hash: string): boolean =>
  areUpdated(set.metadata, pods, hash, generationOf(set)).every(Boolean);

/** Availability is strict (later than, not at), so the look comes a moment after. */
const moment = 50;

/** When time alone makes the first of the Pods available; undefined when it does so for none. */
export function nextAvailable(set: DaemonSet, pods: readonly Pod[], now: Instant): Milliseconds | undefined {
  const minReady = minReadySecondsOf(set) * 1000;
  if (minReady <= 0) return undefined;
  const waits = pods.flatMap((pod) => {
    const since = parseTime(podCondition(pod, 'Ready')?.lastTransitionTime);
    return since !== undefined && isPodReady(pod) && since + minReady >= now ? [(since + minReady + moment - now) as Milliseconds] : [];
  });
  return shortest(waits);
}

const createdAt = ({ metadata }: Pod): number => parseTime(metadata.creationTimestamp) ?? Number.POSITIVE_INFINITY;
const isBound = ({ spec }: Pod): boolean => (spec.nodeName ?? '') !== '';

/** Which of several Pods of a node counts first: one that is on it, the older one, by name. @see spec/daemonset.md 5.5 */
export const compareOnNode = (a: Pod, b: Pod): number =>
  Number(isBound(b)) - Number(isBound(a)) || createdAt(a) - createdAt(b) || compareUtf8(a.metadata.name, b.metadata.name);
