/** The barrier of a Pod: the ConfigMap whose keys let the kubelet create containers, level by level. @see spec/containerlaunchpriority.md 3 */
import { annotations, envNames } from '@kruise/api';
import { pods, type ConfigMap, type Container, type EnvVar, type KubeObject, type OwnerReference, type Pod } from '@kruise/objects';
import { launchPriority } from '@kruise/pods';

const suffix = '-barrier';

/** Longer names leave no room for the name of the barrier. */
export const longestPodName = 253 - suffix.length;

export const barrierName = (podName: string): string => `${podName}${suffix}`;

export const levelKey = (priority: number): string => `p_${priority}`;

/** What a key holds once its level is released. */
export const released = 'true';

/** The environment entry that holds a container back until its level is released. */
export const barrierEnv = (podName: string, priority: number): EnvVar => ({
  name: envNames.containerBarrier,
  valueFrom: { configMapKeyRef: { name: barrierName(podName), key: levelKey(priority) } },
});

export const hasBarrierEnv = (container: Container): boolean =>
  container.env?.some(({ name }) => name === envNames.containerBarrier) === true;

const isLevelKey = (key: string): boolean => /^p_-?\d+$/.test(key);

/** The container without the barriers that it has from the manifest of another Pod: nothing would open them for this one. */
export function withoutForeignBarriers(container: Container, podName: string): Container {
  const isForeign = ({ name, valueFrom }: EnvVar): boolean => {
    const reference = name === envNames.containerBarrier ? valueFrom?.configMapKeyRef : undefined;
    const of = reference?.name ?? '';
    return of.endsWith(suffix) && of !== barrierName(podName) && isLevelKey(reference?.key ?? '');
  };
  const env = (container.env ?? []).filter((entry) => !isForeign(entry));
  return env.length === (container.env ?? []).length ? container : { ...container, env };
}

/**
 * The level of a container.
 *
 * @returns undefined for one that no barrier of this very Pod holds back: without the entry, with one that a user made up, or with one that
 *   was copied from another Pod
 */
export function levelOf(container: Container, podName: string): number | undefined {
  const entry = container.env?.find(({ name }) => name === envNames.containerBarrier);
  return entry?.valueFrom?.configMapKeyRef?.name === barrierName(podName) ? launchPriority(container) : undefined;
}

export const hasLevels = (pod: Pod): boolean =>
  pod.spec.containers.some((container) => levelOf(container, pod.metadata.name) !== undefined);

/** Whether every level has been released once. */
export const isCompleted = (pod: Pod): boolean => pod.metadata.annotations?.[annotations.containerLaunchPriorityCompleted] === 'true';

/** Not a controller reference: the garbage collector takes the barrier away with the Pod, and nothing else is claimed. */
const ownedByPod = ({ metadata: { name, uid = '' } }: Pod): OwnerReference => ({ apiVersion: 'v1', kind: pods.kind, name, uid });

export const newBarrier = (pod: Pod, data: Readonly<Record<string, string>>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: barrierName(pod.metadata.name),
    namespace: pod.metadata.namespace ?? '',
    ownerReferences: [ownedByPod(pod)],
  },
  data,
});

const isOfPods = ({ kind, apiVersion }: OwnerReference): boolean => kind === pods.kind && apiVersion === 'v1';

/**
 * Whether the ConfigMap is the barrier of an earlier Pod of the same name, which must not release anything for this one.
 *
 * @remarks A ConfigMap without owners that holds anything but levels is a user's: it is used, never deleted.
 */
export function isOfAnotherPod(barrier: ConfigMap, pod: KubeObject): boolean {
  const owners = (barrier.metadata.ownerReferences ?? []).filter(isOfPods);
  if (owners.length > 0) return !owners.some(({ uid }) => uid === pod.metadata.uid);
  const data = Object.entries(barrier.data ?? {});
  return data.length > 0 && data.every(([key, value]) => isLevelKey(key) && value === released);
}
