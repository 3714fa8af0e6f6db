/** The example of README.md. */
import { CriChannel, isCriFailure, listContainers, stopContainer } from './index.ts';

/** Stops the running containers of one Pod and returns their number. A container that was removed meanwhile counts as stopped. */
export async function stopContainersOf(socket: string, podUid: string, graceSeconds: number, signal: AbortSignal): Promise<number> {
  const cri = new CriChannel(socket);
  try {
    const containers = await listContainers(cri, { labelSelector: { 'io.kubernetes.pod.uid': podUid } }, { signal });
    const running = containers.filter(({ state }) => state === 'CONTAINER_RUNNING');
    for (const { id } of running) {
      await stopContainer(cri, id, graceSeconds, { signal }).catch((error: unknown) => {
        if (!isCriFailure(error, 'NotFound')) throw error;
      });
    }
    return running.length;
  } finally {
    cri.close();
  }
}
