/**
 * Decides which containers must be restarted because an in-place update changed the labels or annotations that their environment reads. Pure.
 *
 * The kubelet sees no change there, so the daemon stops the container and the kubelet recreates it. It leaves alone
 * - every Pod outside an in-place update: a label changed by hand restarts nothing;
 * - a container whose spec changed as well: the kubelet restarts that one, and its preStop hook must run once;
 * - an instance that is no longer the newest, or does not run.
 *
 * @see spec/daemon.md 5.6, spec/inplace-update.md 14
 */
import type { Container, Pod } from '@kruise/objects';
import { legacyPlainHash, metadataEnvHash, plainHash, type RuntimeContainerMeta } from '@kruise/pods';
import type { Containers } from './plan-meta.ts';
import { isBeingUpdated } from './plan-triggers.ts';

export interface Restart {
  readonly name: string;
  readonly containerID: string;
  readonly because: string;
}

/** Returns whether the instance was created from the present spec. */
const isOfPresentSpec = (container: Container, meta: RuntimeContainerMeta): boolean =>
  meta.plainHash === plainHash(container) || meta.plainHash === legacyPlainHash(container);

/** Plans restarts. @param metas of {@link containers}, their environments read */
export function planRestarts(pod: Pod, metas: readonly RuntimeContainerMeta[], containers: Containers): readonly Restart[] {
  if (pod.metadata.deletionTimestamp !== undefined || !isBeingUpdated(pod)) return [];
  return pod.spec.containers.flatMap((container) => {
    const meta = metas.find(({ name }) => name === container.name);
    const running = containers.get(container.name);
    if (meta === undefined || running?.isRunning !== true || meta.containerID !== running.containerID) return [];
    const expected = metadataEnvHash(container, pod.metadata);
    if (meta.metadataEnvHash === 0 || meta.metadataEnvHash === expected || !isOfPresentSpec(container, meta)) return [];
    return [
      {
        name: container.name,
        containerID: meta.containerID,
        because: `its environment has hash ${meta.metadataEnvHash}, the Pod's metadata gives ${expected}`,
      },
    ];
  });
}
