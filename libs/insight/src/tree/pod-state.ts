/** The state of a Pod and of its containers in a word, as `kubectl get` names it where kubectl has a word for it. */
import { isPodFinished, isPodReady, podCondition, type ContainerStatus, type Pod } from '@kruise/objects';
import type { Health } from './node.ts';

/** A state and how good it is. */
export interface State {
  readonly health: Health;
  readonly state: string;
}

/** Waiting reasons that every container passes through. */
const starting = new Set(['ContainerCreating', 'PodInitializing', '']);

type StateOf<K extends 'waiting' | 'terminated'> = NonNullable<NonNullable<ContainerStatus['state']>[K]>;

const waitingState = ({ reason = '' }: StateOf<'waiting'>): State => ({
  health: starting.has(reason) ? 'Busy' : 'Faulty',
  state: reason === '' ? 'Waiting' : reason,
});

const endedState = ({ exitCode, reason }: StateOf<'terminated'>): State =>
  exitCode === 0
    ? { health: 'Done', state: reason ?? 'Completed' }
    : { health: 'Faulty', state: `${reason ?? 'Error'} (exit code ${exitCode})` };

/** Returns the state of a container; `Waiting` without a status. */
export function containerState(status: ContainerStatus | undefined): State {
  const { waiting, terminated, running } = status?.state ?? {};
  if (waiting !== undefined) return waitingState(waiting);
  if (terminated !== undefined) return endedState(terminated);
  if (running === undefined) return { health: 'Busy', state: 'Waiting' };
  return status?.ready === true ? { health: 'Good', state: 'Running' } : { health: 'Busy', state: 'Running, not ready' };
}

function initState({ status }: Pod): State | undefined {
  const open = (status?.initContainerStatuses ?? []).find(
    ({ state, started }) => state?.terminated?.exitCode !== 0 && (state?.running === undefined || started !== true),
  );
  if (open === undefined) return undefined;
  const { health, state } = containerState(open);
  return { health: health === 'Good' ? 'Busy' : health, state: `Init: ${state}` };
}

function notReadyState(pod: Pod): State {
  const states = (pod.status?.containerStatuses ?? []).map(containerState);
  const worst = states.find(({ health }) => health === 'Faulty') ?? states.find(({ health }) => health === 'Busy');
  return worst ?? { health: 'Busy', state: podCondition(pod, 'Ready')?.reason ?? 'NotReady' };
}

function pendingState(pod: Pod): State {
  const scheduled = podCondition(pod, 'PodScheduled');
  if (scheduled?.status === 'False') return { health: 'Faulty', state: scheduled.reason ?? 'Unschedulable' };
  return initState(pod) ?? (pod.status?.containerStatuses === undefined ? { health: 'Busy', state: 'Pending' } : notReadyState(pod));
}

/** Returns the state of a Pod. */
export function podState(pod: Pod): State {
  if (pod.metadata.deletionTimestamp !== undefined) return { health: 'Busy', state: 'Terminating' };
  if (isPodFinished(pod))
    return pod.status?.phase === 'Succeeded'
      ? { health: 'Done', state: 'Completed' }
      : { health: 'Faulty', state: pod.status?.reason ?? 'Failed' };
  if (pod.status?.phase !== 'Running') return pendingState(pod);
  return isPodReady(pod) ? { health: 'Good', state: 'Ready' } : (initState(pod) ?? notReadyState(pod));
}
