/** What the controller does for one request. Pure. @see spec/containerrecreaterequest.md 5.2 */
import {
  conditionTypes,
  containerRecreateRequestFinalizer,
  labels,
  podConditions,
  podReadinessWriters,
  type ContainerRecreateRequest,
  type ContainerStatusSnapshot,
} from '@kruise/api';
import {
  earliest,
  hasFinalizer,
  hasReadinessGate,
  milliseconds,
  parseTime,
  seconds,
  type Instant,
  type Milliseconds,
  type Pod,
  type Stage,
} from '@kruise/objects';
import { hasNotReadyKey, type NotReadyKey } from '@kruise/pods';
import { planSnapshot } from './plan-snapshot.ts';
import { expiryOf } from '@kruise/workloads';

export interface Seen {
  readonly request: ContainerRecreateRequest;
  /** Of the request's name, whatever its UID. */
  readonly pod: Pod | undefined;
  /** The node of the request is known to be no longer there. */
  readonly isNodeDeleted: boolean;
}

export type Action = { readonly because: string } & (
  | /** Ends the request abnormally. */ { readonly kind: 'Complete'; readonly message: string }
  | { readonly kind: 'RecordSnapshot'; readonly snapshot: readonly ContainerStatusSnapshot[] }
  | { readonly kind: 'HoldPod' | 'ReleasePod'; readonly pod: Pod }
  | {
      /** `MarkHeld`: from then on the time of grace runs. `Delete`: its time to live is over. */
      readonly kind: 'AddFinalizer' | 'MarkHeld' | 'RemoveFinalizer' | 'Deactivate' | 'Delete';
    }
);

export interface Plan {
  /** In this order; each may be repeated. */
  readonly actions: readonly Action[];
  readonly requeueAfter?: Milliseconds;
}

/** Each action needs those before it, also one that waits after a refusal: so each is a stage. */
export const stagesOf = ({ actions }: Plan): readonly Stage<Action>[] =>
  actions.map((action) => ({ name: action.kind, actions: [action], onFailure: 'Stop' }));

/** The message of a request that the agent of the node has not begun. */
export const silentAgent = 'daemon has not responded for a long time';

const messages = {
  podDeleted: 'pod has gone',
  nodeDeleted: 'node has gone',
  noResponse: silentAgent,
  deadline: 'recreating has exceeded the activeDeadlineSeconds',
} as const;

const responseTime = seconds(60);
/** Events report every change; the poll covers a lost event. */
const poll = seconds(3);
const longestWait = seconds(3600);

/** The key under which the request holds its Pod. */
export const notReadyKeyOf = ({ metadata }: ContainerRecreateRequest): NotReadyKey => ({
  userAgent: podReadinessWriters.containerRecreateRequest,
  key: `${metadata.namespace ?? ''}/${metadata.name}`,
});

const phaseOf = ({ status }: ContainerRecreateRequest): string => status?.phase ?? '';
const isDeleting = ({ metadata }: ContainerRecreateRequest): boolean => metadata.deletionTimestamp !== undefined;
export const isCompleted = ({ status }: ContainerRecreateRequest): boolean => (status?.completionTime ?? '') !== '';

/** The Pod of the request, unless it is being deleted. */
function livingPod({ request, pod }: Seen): Pod | undefined {
  const isIt = pod !== undefined && pod.metadata.uid === request.metadata.labels?.[labels.recreatePodUid];
  return isIt && pod.metadata.deletionTimestamp === undefined ? pod : undefined;
}

const bounded = (wait: number): Milliseconds => milliseconds(Math.min(Math.max(wait, 1), longestWait));

/** Removes the finalizer last, so that no request leaves its Pod held. */
function planRelease(seen: Seen): readonly Action[] {
  if (!hasFinalizer(seen.request, containerRecreateRequestFinalizer)) return [];
  const pod = livingPod(seen);
  const isHeld = pod !== undefined && hasReadinessGate(pod, podConditions.kruisePodReady);
  const because = isDeleting(seen.request) ? 'the request is being deleted' : 'the request has ended';
  return [...(isHeld ? [{ kind: 'ReleasePod', pod, because } as const] : []), { kind: 'RemoveFinalizer', because }];
}

function planEnd(seen: Seen, now: Instant): Plan {
  const { request } = seen;
  const released = planRelease(seen);
  if (isDeleting(request)) return { actions: released };
  const isActive = request.metadata.labels?.[labels.recreateActive] !== undefined;
  const actions: readonly Action[] = [
    ...released,
    ...(isActive ? [{ kind: 'Deactivate', because: 'the request has ended' } as const] : []),
  ];
  const { ttlSecondsAfterFinished: ttl } = request.spec;
  const expiry = expiryOf(request.status?.completionTime, typeof ttl === 'number' ? ttl : undefined, now);
  if (expiry.kind === 'Kept') return { actions };
  if (expiry.kind === 'Waiting') return { actions, requeueAfter: bounded(expiry.left) };
  // What is left to be done changes the request first, and it is deleted in the version that was looked at.
  return actions.length > 0 ? { actions, requeueAfter: milliseconds(0) } : { actions: [{ kind: 'Delete', because: expiry.because }] };
}

interface Limit {
  readonly at: number;
  readonly message: string;
}

/** The times at which the request ends if nothing else ends it. */
function limitsOf(request: ContainerRecreateRequest, now: Instant): readonly Limit[] {
  const createdAt = parseTime(request.metadata.creationTimestamp) ?? now;
  const deadline = request.spec.activeDeadlineSeconds;
  return [
    ...(phaseOf(request) === '' ? [{ at: createdAt + responseTime, message: messages.noResponse }] : []),
    ...(typeof deadline === 'number' ? [{ at: createdAt + deadline * 1000, message: messages.deadline }] : []),
  ];
}

function planHold({ request, pod }: { readonly request: ContainerRecreateRequest; readonly pod: Pod }): readonly Action[] {
  const grace = request.spec.strategy?.unreadyGracePeriodSeconds;
  const isHeld = request.status?.conditions?.some(({ type, status }) => type === conditionTypes.preRecreateGrace && status === 'True');
  if (typeof grace !== 'number' || isHeld === true) return [];
  if (!hasReadinessGate(pod, podConditions.kruisePodReady))
    return [
      { kind: 'MarkHeld', because: `Pod ${pod.metadata.name} has no readiness gate ${podConditions.kruisePodReady}: it stays ready` },
    ];
  const because = `Pod ${pod.metadata.name} is kept unready for ${grace} s`;
  return [
    ...(hasFinalizer(request, containerRecreateRequestFinalizer) ? [] : [{ kind: 'AddFinalizer', because } as const]),
    ...(hasNotReadyKey(pod, notReadyKeyOf(request)) ? [] : [{ kind: 'HoldPod', pod, because } as const]),
    { kind: 'MarkHeld', because },
  ];
}

export function plan(seen: Seen, now: Instant): Plan {
  const { request, isNodeDeleted } = seen;
  if (isDeleting(request) || isCompleted(request)) return planEnd(seen, now);
  const complete = (message: string): Plan => ({ actions: [{ kind: 'Complete', message, because: message }] });
  const pod = livingPod(seen);
  if (pod === undefined) return complete(messages.podDeleted);
  if (isNodeDeleted) return complete(messages.nodeDeleted);
  const limits = limitsOf(request, now);
  const over = limits.find(({ at }) => at <= now);
  if (over !== undefined) return complete(over.message);
  const waits = limits.map(({ at }) => bounded(at - now));
  if (phaseOf(request) !== 'Recreating') return { actions: [], ...earliest(waits) };
  const snapshot = planSnapshot(request, pod);
  const actions: readonly Action[] = [
    ...(snapshot === undefined
      ? []
      : [{ kind: 'RecordSnapshot', snapshot, because: 'the kubelet and the request report different containers' } as const]),
    ...planHold({ request, pod }),
  ];
  return { actions, ...earliest([poll, ...waits]) };
}
