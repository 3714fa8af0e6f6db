/** The single criteria that orders of Pods are made of, and how they are joined. */
import { type Instant, type Pod, parseTime, podCondition, podPhaseRank } from '@kruise/objects';

/** Negative: the first Pod comes earlier. */
export type PodOrder = (a: Pod, b: Pod) => number;

/** The first order that tells the two apart decides. */
export const inTurn =
  (...orders: readonly PodOrder[]): PodOrder =>
  (a, b) => {
    for (const order of orders) {
      const sign = order(a, b);
      if (sign !== 0) return sign;
    }
    return 0;
  };

/** Pods for which it does not hold come first. */
export const lackingFirst =
  (holds: (pod: Pod) => boolean): PodOrder =>
  (a, b) =>
    Number(holds(a)) - Number(holds(b));

/** Larger numbers come first. */
export const largerFirst =
  (value: (pod: Pod) => number): PodOrder =>
  (a, b) =>
    Math.sign(value(b) - value(a));

/** Smaller numbers come first. */
export const smallerFirst =
  (value: (pod: Pod) => number): PodOrder =>
  (a, b) =>
    Math.sign(value(a) - value(b));

/** Later times come first, a missing time before all. */
const laterFirst =
  (time: (pod: Pod) => Instant | undefined): PodOrder =>
  (a, b) => {
    const left = time(a);
    const right = time(b);
    if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
    return Math.sign(right - left);
  };

/** Not on a node before on a node. */
export const unassignedFirst: PodOrder = lackingFirst((pod) => (pod.spec.nodeName ?? '') !== '');
/** Pending before Unknown before Running. */
export const earlierPhaseFirst: PodOrder = smallerFirst(podPhaseRank);
/** Not ready before ready. */
export const unreadyFirst: PodOrder = lackingFirst((pod) => podCondition(pod, 'Ready')?.status === 'True');

const laterReadyFirst = laterFirst((pod) => parseTime(podCondition(pod, 'Ready')?.lastTransitionTime));
/** Ready for a shorter time first; says nothing unless both are ready. */
export const shorterReadyFirst: PodOrder = (a, b) =>
  podCondition(a, 'Ready')?.status === 'True' && podCondition(b, 'Ready')?.status === 'True' ? laterReadyFirst(a, b) : 0;

/** Newer Pods first. */
export const newerFirst: PodOrder = laterFirst((pod) => parseTime(pod.metadata.creationTimestamp));

/** Most restarts of one container, and of one restartable init container. */
export function restartsOf(pod: Pod): { readonly main: number; readonly sidecar: number } {
  const restartable = (pod.spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always').map(({ name }) => name);
  const most = (counts: readonly number[]): number => counts.reduce((a, b) => Math.max(a, b), 0);
  return {
    main: most((pod.status?.containerStatuses ?? []).map((status) => status.restartCount)),
    sidecar: most(
      (pod.status?.initContainerStatuses ?? []).filter(({ name }) => restartable.includes(name)).map((status) => status.restartCount),
    ),
  };
}

/** Computes a trait of each Pod once, since a sort asks for it many times. Only for Pods of the list. */
export function lookedUp<T>(pods: readonly Pod[], trait: (pod: Pod) => T): (pod: Pod) => T {
  const traits = new Map(pods.map((pod) => [pod, trait(pod)]));
  return (pod) => traits.get(pod) as T;
}

/** Sorts, keeping the order of Pods that the order does not tell apart. */
export const sortPods = (pods: readonly Pod[], order: PodOrder): readonly Pod[] => [...pods].sort(order);
