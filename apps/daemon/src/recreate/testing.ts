/** ContainerRecreateRequests for the tests of this folder: valid defaults, and a test names only what it is about. */
import type { ContainerRecreateRequest, ContainerRecreateState } from '@kruise/api';
import { instant, type Instant } from '@kruise/objects';
import { aRecreateRequest, epoch, type RecreateRequestShape } from '@kruise/testing';
import type { ContainerInstance } from './plan-states.ts';

/** When requests are made. */
export const made: Instant = epoch;
/** So many seconds after that. */
export const later = (seconds: number): Instant => instant(made + seconds * 1000);

export interface RequestShape extends Omit<RecreateRequestShape, 'containers' | 'phase'> {
  /** Names, each with the id it had when the request was made: `app` had `containerd://app-1`. */
  readonly containers?: readonly string[];
  /** Of a request that is worked on. */
  readonly states?: readonly ContainerRecreateState[];
}

export function aRequest({ containers = ['app'], states, status, ...shape }: RequestShape = {}): ContainerRecreateRequest {
  const ids = Object.fromEntries(containers.map((container) => [container, `containerd://${container}-1`]));
  const worked = states === undefined ? {} : { phase: 'Recreating' as const, containerRecreateStates: states };
  return aRecreateRequest({ ...shape, containers: ids, status: { ...worked, ...status } });
}

/** The first instance of `app`, running for a minute when requests are made. */
export const anInstance = (shape: Partial<ContainerInstance> = {}): ContainerInstance => ({
  containerID: 'containerd://app-1',
  state: 'Running',
  restartCount: 0,
  startedAt: later(-60),
  ...shape,
});
/** The second one, running since a second after a request was made. */
export const aNewInstance = (shape: Partial<ContainerInstance> = {}): ContainerInstance =>
  anInstance({ containerID: 'containerd://app-2', restartCount: 1, startedAt: later(1), ...shape });
