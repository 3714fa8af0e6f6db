/**
 * The readiness gate `KruisePodReady`: several writers share one condition. Its message is the set of keys that keep the Pod out of service; its
 * status is False while the set is not empty.
 *
 * @see spec/podreadiness.md 5, spec/inplace-update.md 9.1
 */
import { podConditions } from '@kruise/api';
import {
  compareUtf8,
  formatTime,
  goString,
  hasReadinessGate,
  parseJsonText,
  podCondition,
  recomputeReady,
  type Instant,
  type Pod,
  type PodCondition,
  type StoredCondition,
} from '@kruise/objects';
import { replaceCondition, withConditions } from './pod-status.ts';

/** One reason to be out of service: its writer, and which of the writer's reasons it is. */
export interface NotReadyKey {
  readonly userAgent: string;
  readonly key: string;
}

const compareKeys = (a: NotReadyKey, b: NotReadyKey): number => compareUtf8(a.userAgent, b.userAgent) || compareUtf8(a.key, b.key);
const isSameKey = (a: NotReadyKey, b: NotReadyKey): boolean => a.userAgent === b.userAgent && a.key === b.key;

function isNotReadyKey(value: unknown): value is NotReadyKey {
  const { userAgent, key } = (value ?? {}) as Partial<Record<keyof NotReadyKey, unknown>>;
  return typeof userAgent === 'string' && typeof key === 'string';
}

/** Returns the keys of a condition's message; none for an unreadable message. */
export function parseNotReadyKeys(message: string | undefined): readonly NotReadyKey[] {
  try {
    const list: unknown = parseJsonText(message ?? '[]');
    return Array.isArray(list) ? list.filter(isNotReadyKey) : [];
  } catch {
    return [];
  }
}

/** Returns compact JSON, sorted by userAgent, then key; `[]` when there are none. */
export const formatNotReadyKeys = (keys: readonly NotReadyKey[]): string =>
  `[${[...keys]
    .sort(compareKeys)
    .map(({ userAgent, key }) => `{"userAgent":${goString(userAgent)},"key":${goString(key)}}`)
    .join(',')}]`;

const heldKeys = (condition: PodCondition | undefined): readonly NotReadyKey[] => parseNotReadyKeys(condition?.message);

/** Returns whether adding the key would change nothing. */
export function hasNotReadyKey(pod: Pod, key: NotReadyKey): boolean {
  const condition = podCondition(pod, podConditions.kruisePodReady);
  return condition?.status !== 'True' && heldKeys(condition).some((held) => isSameKey(held, key));
}

function withKeys(pod: Pod, keys: readonly NotReadyKey[], now: Instant): readonly PodCondition[] {
  const old = podCondition(pod, podConditions.kruisePodReady);
  return replaceCondition(pod.status?.conditions, {
    ...old,
    type: podConditions.kruisePodReady,
    status: keys.length === 0 ? 'True' : 'False',
    message: formatNotReadyKeys(keys),
    lastTransitionTime: formatTime(now),
  });
}

/**
 * Takes the Pod out of service: adds the key and sets Ready to False, as the kubelet will.
 *
 * @returns the Pod with its new status; the same Pod when it has no such gate or has the key already
 * @remarks Safe to repeat; other keys stay.
 */
export function addNotReadyKey(pod: Pod, key: NotReadyKey, now: Instant): Pod {
  if (!hasReadinessGate(pod, podConditions.kruisePodReady) || hasNotReadyKey(pod, key)) return pod;
  const others = heldKeys(podCondition(pod, podConditions.kruisePodReady)).filter((held) => !isSameKey(held, key));
  return withConditions(pod, recomputeReady(pod, withKeys(pod, [...others, key], now), now));
}

/**
 * Removes one key; after the last one the condition is True again. The kubelet sets Ready.
 *
 * @returns the same Pod when it has no such gate, condition or key
 */
export function removeNotReadyKey(pod: Pod, key: NotReadyKey, now: Instant): Pod {
  if (!hasReadinessGate(pod, podConditions.kruisePodReady)) return pod;
  const held = heldKeys(podCondition(pod, podConditions.kruisePodReady));
  const rest = held.filter((one) => !isSameKey(one, key));
  return rest.length === held.length ? pod : withConditions(pod, withKeys(pod, rest, now));
}

/** Returns whether the pod-readiness controller has to add the first condition of the Pod. @see spec/podreadiness.md 4 */
export const lacksKruisePodReady = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  hasReadinessGate(pod, podConditions.kruisePodReady) &&
  podCondition(pod, podConditions.kruisePodReady) === undefined;

/** Returns a strategic merge patch for the status subresource of a Pod that {@link lacksKruisePodReady}. */
export const firstKruisePodReady = (now: Instant): Readonly<Record<'status', { readonly conditions: readonly StoredCondition[] }>> => ({
  status: {
    conditions: [{ type: podConditions.kruisePodReady, status: 'True', lastProbeTime: null, lastTransitionTime: formatTime(now) }],
  },
});
