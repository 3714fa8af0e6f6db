/** Reads the containers of a Pod from the runtime. @see spec/daemon.md 4 ("kube status") */
import { listContainers, podSandboxStatus, type CriContainer, type PodSandboxStatus } from '@kruise/cri';
import { keyOf, type Pod } from '@kruise/objects';
import type { CriRuntime } from '../runtime/runtimes.ts';
import { containerNameOf, podSelector } from './kubelet-metadata.ts';

export interface RunningContainer {
  readonly name: string;
  /** With the runtime's scheme, as in the Pod's status. */
  readonly containerID: string;
  readonly isRunning: boolean;
  readonly container: CriContainer;
}

export const containerIdOf = (runtime: Pick<CriRuntime, 'name'>, id: string): string => `${runtime.name}://${id}`;

/** Parses a container id, undefined when it has no scheme or no id. */
export function parseContainerId(containerID: string): { readonly runtime: string; readonly id: string } | undefined {
  const [, runtime, id] = /^([^:/]+):\/\/(.+)$/.exec(containerID) ?? [];
  return runtime === undefined || id === undefined ? undefined : { runtime, id };
}

/** Returns the runtime of the Pod's containers, by its first container that has an id. */
export function runtimeNameOf(pod: Pod): string | undefined {
  const containerID = pod.status?.containerStatuses?.map((status) => status.containerID ?? '').find((id) => id !== '');
  return containerID === undefined ? undefined : parseContainerId(containerID)?.runtime;
}

/**
 * Returns whether one instance is newer. Runtimes that count in seconds give both the same time: then the attempt decides, then the id, so that the
 * order of the list never does.
 */
function isNewer(one: CriContainer, other: CriContainer): boolean {
  const [created, before] = [BigInt(one.createdAt), BigInt(other.createdAt)];
  if (created !== before) return created > before;
  const [attempt, earlier] = [one.metadata?.attempt ?? 0, other.metadata?.attempt ?? 0];
  return attempt === earlier ? one.id > other.id : attempt > earlier;
}

/** Returns the newest instance of each container, by name: older ones may or may not have been removed. */
export function newestOfEach(
  runtime: Pick<CriRuntime, 'name'>,
  containers: readonly CriContainer[],
): ReadonlyMap<string, RunningContainer> {
  const newest = new Map<string, CriContainer>();
  for (const container of containers) {
    const name = containerNameOf(container);
    const held = newest.get(name);
    if (held === undefined || isNewer(container, held)) newest.set(name, container);
  }
  return new Map(
    [...newest].map(([name, container]) => [
      name,
      { name, containerID: containerIdOf(runtime, container.id), isRunning: container.state === 'CONTAINER_RUNNING', container },
    ]),
  );
}

/** Reads the containers. @param pod of this node, as the API has it: only its own containers are read */
export async function observeContainers(
  runtime: CriRuntime,
  pod: Pick<Pod, 'metadata'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RunningContainer>> {
  const { uid = '' } = pod.metadata;
  // An empty value would select containers without the label.
  if (uid === '') return new Map();
  return newestOfEach(runtime, await listContainers(runtime.connection, { labelSelector: podSelector(uid) }, { signal }));
}

/**
 * Returns the sandbox of a container, requested right before something is done to it: any creator of containers can set labels, but the sandbox is
 * the kubelet's.
 *
 * @returns undefined when it is not the Pod's
 */
export async function sandboxOf(
  runtime: CriRuntime,
  pod: Pick<Pod, 'metadata'>,
  container: CriContainer,
  signal: AbortSignal,
): Promise<PodSandboxStatus | undefined> {
  const sandbox = await podSandboxStatus(runtime.connection, container.podSandboxId, { signal });
  const { metadata } = sandbox;
  const { namespace, name } = keyOf(pod);
  const isThePods = metadata !== null && metadata.uid === pod.metadata.uid && metadata.namespace === namespace && metadata.name === name;
  return isThePods ? sandbox : undefined;
}

/** Returns whether a container really is the Pod's. @see sandboxOf */
export const isContainerOf = async (...of: Parameters<typeof sandboxOf>): Promise<boolean> => (await sandboxOf(...of)) !== undefined;
