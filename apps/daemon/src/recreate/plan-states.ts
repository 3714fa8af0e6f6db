/** Computes the progress of each container of a request from the reports of runtime and kubelet. Pure. @see spec/containerrecreaterequest.md 5.3.1 */
import type { ContainerRecreateRequest, ContainerRecreateRequestContainer, ContainerRecreateState } from '@kruise/api';
import { milliseconds, type Instant, type Milliseconds } from '@kruise/objects';

/** The newest instance of a container in the runtime. */
export interface ContainerInstance {
  /** With the runtime's scheme. */
  readonly containerID: string;
  readonly state: 'Created' | 'Running' | 'Exited';
  readonly restartCount: number;
  /** Undefined before it was started. */
  readonly startedAt: Instant | undefined;
}

export type Instances = ReadonlyMap<string, ContainerInstance>;

const stopping = 'stopping ';

/**
 * Returns the message that is written before an instance is stopped under `forceRecreate`, where nothing else shows afterwards that this request has
 * stopped one: the next agent after a crash sees that the named instance has ended, and stops no other. The state of a container has no other member
 * that could hold it, and the schema is that of OpenKruise.
 */
export const intentMessage = (containerID: string): string => `${stopping}${containerID}`;
const intentOf = ({ message = '' }: ContainerRecreateState): string | undefined =>
  message.startsWith(stopping) ? message.slice(stopping.length) : undefined;

/** Returns whether the next event under `forceRecreate` may only be the end of exactly this instance. */
export const isIntended = (state: ContainerRecreateState, containerID: string): boolean => intentOf(state) === containerID;

export function newState(
  name: string,
  phase: ContainerRecreateState['phase'],
  { isKilled = false, message = '' }: { readonly isKilled?: boolean | undefined; readonly message?: string } = {},
): ContainerRecreateState {
  return { name, phase, ...(message === '' ? {} : { message }), ...(isKilled ? { isKilled } : {}) };
}

/** Returns whether the instance to stop has ended, by a stop or by itself. */
function hasEnded(previous: ContainerRecreateState | undefined, instance: ContainerInstance | undefined): boolean {
  const intent = previous === undefined ? undefined : intentOf(previous);
  return intent !== undefined && (instance?.containerID !== intent || instance.state === 'Exited');
}

const snapshotOf = ({ status }: ContainerRecreateRequest, name: string) =>
  status?.containerStatusSnapshot?.find((snapshot) => snapshot.name === name);
const minStartedMs = ({ spec }: ContainerRecreateRequest): number => (spec.strategy?.minStartedSeconds ?? 0) * 1000;

/**
 * Returns when the new instance has run long enough; undefined while the kubelet does not report it ready. When it seems to start in the future,
 * because the clock was set to an earlier time, its age is unknown, and it is not waited for.
 */
function settledAt(request: ContainerRecreateRequest, name: string, instance: ContainerInstance, now: Instant): number | undefined {
  const snapshot = snapshotOf(request, name);
  if (snapshot?.ready !== true || snapshot.containerID !== instance.containerID || instance.startedAt === undefined) return undefined;
  return instance.startedAt > now ? now - 1 : instance.startedAt + minStartedMs(request);
}

const isReplaced = ({ statusContext }: ContainerRecreateRequestContainer, instance: ContainerInstance): boolean =>
  statusContext === undefined || instance.containerID !== statusContext.containerID || instance.restartCount > statusContext.restartCount;

/** Returns the state of a container of which there is an instance that has not ended. */
function computeLiveState(
  container: ContainerRecreateRequestContainer,
  request: ContainerRecreateRequest,
  instance: ContainerInstance,
  { previous, isKilled, now }: { readonly previous: ContainerRecreateState | undefined; readonly isKilled: boolean; readonly now: Instant },
): ContainerRecreateState {
  const { name } = container;
  if (request.spec.strategy?.forceRecreate === true && !isKilled) {
    const isDecided = previous !== undefined && isIntended(previous, instance.containerID);
    return newState(name, 'Pending', isDecided ? { message: intentMessage(instance.containerID) } : {});
  }
  if (!isReplaced(container, instance)) return newState(name, 'Pending', { isKilled });
  const at = settledAt(request, name, instance, now);
  if (at === undefined || now <= at) return newState(name, 'Recreating', { isKilled });
  // A container that others recreated counts as stopped, whether there was time to record it or not.
  return newState(name, 'Succeeded', { isKilled: isKilled || previous?.phase === 'Recreating' });
}

function computeState(
  container: ContainerRecreateRequestContainer,
  request: ContainerRecreateRequest,
  instance: ContainerInstance | undefined,
  now: Instant,
): ContainerRecreateState {
  const { name } = container;
  const previous = request.status?.containerRecreateStates?.find((state) => state.name === name);
  if (previous?.phase === 'Failed' || previous?.phase === 'Succeeded') return previous;
  const isKilled = previous?.isKilled === true || hasEnded(previous, instance);
  if (instance === undefined) return newState(name, 'Pending', { isKilled, message: 'not found container on Node' });
  if (instance.state === 'Exited') return newState(name, 'Recreating', { isKilled });
  return computeLiveState(container, request, instance, { previous, isKilled, now });
}

/** Returns the states in the order of the spec, one for each container of the request. */
export const computeStates = (request: ContainerRecreateRequest, instances: Instances, now: Instant): readonly ContainerRecreateState[] =>
  request.spec.containers.map((container) => computeState(container, request, instances.get(container.name), now));

/** Returns how long until the first new ready instance has run long enough; undefined when none only waits for time to pass. */
export function timeToSettle(request: ContainerRecreateRequest, instances: Instances, now: Instant): Milliseconds | undefined {
  const left = request.spec.containers.flatMap(({ name }) => {
    const instance = instances.get(name);
    const at = instance === undefined ? undefined : settledAt(request, name, instance, now);
    return at === undefined || at < now ? [] : [at - now + 1];
  });
  return left.length === 0 ? undefined : milliseconds(Math.min(...left));
}
