/** Reads the newest instance of each container of a request from the runtime. @see spec/daemon.md 4 ("kube status") */
import { containerStatus, type CriContainer } from '@kruise/cri';
import { instant, type Instant, type Pod } from '@kruise/objects';
import { restartCountOf } from '../containers/kubelet-metadata.ts';
import { observeContainers, type RunningContainer } from '../containers/observe-containers.ts';
import type { CriRuntime } from '../runtime/runtimes.ts';
import type { ContainerInstance, Instances } from './plan-states.ts';

const stateOf = ({ state }: CriContainer): ContainerInstance['state'] =>
  state === 'CONTAINER_CREATED' ? 'Created' : state === 'CONTAINER_EXITED' ? 'Exited' : 'Running';

/** Parses a time. @param nanoseconds since the epoch, decimal */
const instantOf = (nanoseconds: string): Instant | undefined => {
  const at = BigInt(nanoseconds);
  return at > 0n ? instant(Number(at / 1_000_000n)) : undefined;
};

export interface Observed {
  readonly instances: Instances;
  readonly containers: ReadonlyMap<string, RunningContainer>;
}

/**
 * Reads the instances.
 *
 * @param pod namespace, name and UID of the request's Pod
 * @param names of the request's containers; others are not read
 * @throws CriError
 */
export async function observeInstances(
  runtime: CriRuntime,
  pod: Pick<Pod, 'metadata'>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Observed> {
  const containers = await observeContainers(runtime, pod, signal);
  const instances = new Map<string, ContainerInstance>();
  for (const name of names) {
    const found = containers.get(name);
    if (found === undefined) continue;
    const state = stateOf(found.container);
    const started =
      state === 'Running' ? (await containerStatus(runtime.connection, found.container.id, { signal })).status.startedAt : '0';
    instances.set(name, {
      containerID: found.containerID,
      state,
      restartCount: restartCountOf(found.container),
      startedAt: instantOf(started),
    });
  }
  return { instances, containers };
}
