/**
 * Decides the next step of the request that is processed. Pure. @see spec/containerrecreaterequest.md 5.3
 *
 *   states as they are -> recorded -> walked in order -> (under force: the decision recorded) -> one container stopped -> recorded -> …
 *
 * Each step ends with a write, and the next one begins from what was written, so the process may die between any two of them.
 */
import type { ContainerRecreateRequest, ContainerRecreateState } from '@kruise/api';
import { deepEqual, milliseconds, parseTime, seconds, type Instant, type Milliseconds } from '@kruise/objects';
import { graceCondition, type Waited } from './grace-watch.ts';
import { computeStates, intentMessage, isIntended, newState, timeToSettle, type Instances } from './plan-states.ts';

export type Step =
  /** The states that the request does not show yet. */
  | { readonly kind: 'Record'; readonly states: readonly ContainerRecreateState[] }
  /** `states` before the stop; the stop sets the one named `container` to Recreating or Failed. */
  | { readonly kind: 'Stop'; readonly container: string; readonly states: readonly ContainerRecreateState[] }
  | { readonly kind: 'Complete' }
  /** Without a time only an event continues. */
  | { readonly kind: 'Wait'; readonly after?: Milliseconds };

/** How soon to check an instance that does not run yet. */
const startPoll = milliseconds(500);
/** How soon to check a missing container: there is no event when it appears without the kubelet reporting it running. */
const absencePoll = seconds(5);

interface Walk {
  readonly states: readonly ContainerRecreateState[];
  readonly isOver: boolean;
  /** What the first container that must still be stopped requires. */
  readonly pending?: Pending;
}

type Pending = { readonly stop: string } | { readonly poll: Milliseconds };

function planPending({ name, isKilled = false }: ContainerRecreateState, instances: Instances): Pending {
  const instance = instances.get(name);
  if (instance === undefined) return { poll: absencePoll };
  // One that was stopped is never stopped again, whatever the runtime reports.
  return instance.state === 'Created' || isKilled ? { poll: startPoll } : { stop: name };
}

/** Walks the containers in the order of the spec, until one has to be waited for. One is stopped at a time. */
function walk(request: ContainerRecreateRequest, states: readonly ContainerRecreateState[], instances: Instances): Walk {
  const { failurePolicy = 'Fail', orderedRecreate = false } = request.spec.strategy ?? {};
  const next = [...states];
  let waits = false;
  for (const [i, state] of states.entries()) {
    if (state.phase === 'Succeeded') continue;
    if (state.phase === 'Failed') {
      if (failurePolicy === 'Fail') return { states: next, isOver: true };
      continue;
    }
    waits = true;
    if (state.phase === 'Recreating') {
      next[i] = { ...state, isKilled: true };
      if (orderedRecreate) break;
      continue;
    }
    return { states: next, isOver: false, pending: planPending(state, instances) };
  }
  return { states: next, isOver: !waits };
}

/** Decides a stop. Under force only the recorded message shows afterwards which instance was stopped. */
function decideStop(
  request: ContainerRecreateRequest,
  states: readonly ContainerRecreateState[],
  name: string,
  instances: Instances,
): Step {
  const containerID = instances.get(name)?.containerID ?? '';
  const isDecided = states.some((state) => state.name === name && isIntended(state, containerID));
  if (request.spec.strategy?.forceRecreate !== true || isDecided) return { kind: 'Stop', container: name, states };
  return { kind: 'Record', states: withState(states, newState(name, 'Pending', { message: intentMessage(containerID) })) };
}

export const withState = (states: readonly ContainerRecreateState[], next: ContainerRecreateState): readonly ContainerRecreateState[] =>
  states.map((state) => (state.name === next.name ? next : state));

/** Normalises states: other writers may write `isKilled` as false and an empty message. */
const normalized = (states: readonly ContainerRecreateState[] = []): readonly ContainerRecreateState[] =>
  states.map(({ name, phase, isKilled, message }) => newState(name, phase, { isKilled, ...(message === undefined ? {} : { message }) }));

/** Plans a step. @param instances the newest of each container that the runtime knows */
export function planStep(request: ContainerRecreateRequest, instances: Instances, now: Instant): Step {
  const states = computeStates(request, instances, now);
  if (!deepEqual(states, normalized(request.status?.containerRecreateStates))) return { kind: 'Record', states };
  const { states: walked, isOver, pending } = walk(request, states, instances);
  if (isOver) return { kind: 'Complete' };
  if (!deepEqual(walked, states)) return { kind: 'Record', states: walked };
  if (pending !== undefined && 'stop' in pending) return decideStop(request, states, pending.stop, instances);
  const waits = [pending?.poll, timeToSettle(request, instances, now)].filter((wait) => wait !== undefined);
  return { kind: 'Wait', ...(waits.length === 0 ? {} : { after: milliseconds(Math.min(...waits)) }) };
}

const graceSlack = milliseconds(100);
const longestWait = seconds(3600);

export type Grace = 'Over' | { readonly kind: 'Wait'; readonly after?: Milliseconds };

/**
 * Returns whether the Pod has been out of service for long enough; without a time only an event continues. The time in the condition is the
 * manager's, whose clock may be ahead or behind: it counts only when this process has not seen the grace period begin, and never lengthens it.
 *
 * @param waited measured with the clock of this process
 */
export function planGrace(request: ContainerRecreateRequest, now: Instant, { measured, isWhole }: Waited): Grace {
  const grace = request.spec.strategy?.unreadyGracePeriodSeconds;
  if (typeof grace !== 'number') return 'Over';
  const held = graceCondition(request);
  if (held === undefined) return { kind: 'Wait' };
  const since = Math.max(now - (parseTime(held.lastTransitionTime) ?? now), 0);
  const left = grace * 1000 - (isWhole ? measured : Math.max(measured, since));
  return left <= 0 ? 'Over' : { kind: 'Wait', after: milliseconds(Math.min(left + graceSlack, longestWait)) };
}
