/** ContainerRecreateRequests for the tests of this folder, with valid defaults: a test names only what it checks. */
import type { ContainerRecreateRequest, ContainerRecreateState } from '@kruise/api';
import { instant, type Instant } from '@kruise/objects';
import { aRecreateRequest, epoch, type RecreateRequestShape } from '@kruise/testing';
import type { ContainerInstance } from './plan-states.ts';

/** When requests are created. */
export const made: Instant = epoch;
/** Returns the time this many seconds later. */
export const later = (seconds: number): Instant => instant(made + seconds * 1000);

export interface RequestShape extends Omit<RecreateRequestShape, 'containers' | 'phase'> {
  /** Names, each with its id when the request was created: `app` had `containerd://app-1`. */
  readonly containers?: readonly string[];
  /** Of a request that is being processed. */
  readonly states?: readonly ContainerRecreateState[];
}

export function aRequest({ containers = ['app'], states, status, ...shape }: RequestShape = {}): ContainerRecreateRequest {
  const ids = Object.fromEntries(containers.map((container) => [container, `containerd://${container}-1`]));
  const worked = states === undefined ? {} : { phase: 'Recreating' as const, containerRecreateStates: states };
  return aRecreateRequest({ ...shape, containers: ids, status: { ...worked, ...status } });
}

/** Returns the first instance of `app`, running for a minute when requests are created. */
export const anInstance = (shape: Partial<ContainerInstance> = {}): ContainerInstance => ({
  containerID: 'containerd://app-1',
  state: 'Running',
  restartCount: 0,
  startedAt: later(-60),
  ...shape,
});
/** Returns the second one, running since a second after a request was created. */
export const aNewInstance = (shape: Partial<ContainerInstance> = {}): ContainerInstance =>
  anInstance({ containerID: 'containerd://app-2', restartCount: 1, startedAt: later(1), ...shape });
