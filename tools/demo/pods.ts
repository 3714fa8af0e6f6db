/** What the scenarios compare Pods by. */
import { compareUtf8, containerStatusOf, pods as podType, type Pod } from '@kruise/objects';
import { namespace } from './names.ts';
import type { Stage } from './scenarios/stage.ts';

/** @returns the Pods of the app in the demo's namespace, by name */
export async function listPods({ client, signal }: Stage, app: string): Promise<readonly Pod[]> {
  const { items } = await client.list(podType, { namespace, labelSelector: `app=${app}`, signal });
  return [...items].sort((a, b) => compareUtf8(a.metadata.name, b.metadata.name));
}

/** Name, UID, IP and node of each Pod: what a Pod keeps when it is updated in place. */
export const identities = (pods: readonly Pod[]): readonly string[] =>
  pods.map((pod) => `${pod.metadata.name} ${pod.metadata.uid} ${pod.status?.podIP} ${pod.spec.nodeName}`);

export const haveSameIdentities = (before: readonly Pod[], after: readonly Pod[]): boolean =>
  identities(before).join() === identities(after).join();

/** How often the container of each Pod was restarted; -1 where it has no status. */
export const restarts = (pods: readonly Pod[], container: string): readonly number[] =>
  pods.map((pod) => containerStatusOf(pod, container)?.restartCount ?? -1);

/** Id of the running container of each Pod: a container that is not restarted keeps it. */
const containerIds = (pods: readonly Pod[], container: string): readonly string[] =>
  pods.map((pod) => containerStatusOf(pod, container)?.containerID ?? '');

export const haveSameContainers = (before: readonly Pod[], after: readonly Pod[], container: string): boolean =>
  containerIds(before, container).join() === containerIds(after, container).join();

export const imageOf = (pod: Pod, container: string): string | undefined =>
  pod.spec.containers.find(({ name }) => name === container)?.image;
