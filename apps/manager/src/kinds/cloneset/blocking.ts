/**
 * Why a CloneSet does not get on, in words: the first cause, faults before hooks before what the user asked for. It is shown as condition
 * `Blocked`, which is there while, and only while, something blocks; a Pod that merely takes its time to start does not.
 *
 * Causes say nothing that changes by itself (no back-off times, no alternating reasons), so that a CloneSet that stands still is not written.
 */
import type { CloneSet, CloneSetStatus, LifecycleHook } from '@kruise/api';
import {
  milliseconds,
  parseTime,
  podCondition,
  removeCondition,
  setCondition,
  type Condition,
  type ContainerStatus,
  type Instant,
  type Milliseconds,
  type Pod,
} from '@kruise/objects';
import { isAllHooked, isHooked, lifecycleStateOf, updateCompletion } from '@kruise/pods';
import { isAvailable } from './pod-facts.ts';
import type { Context } from './snapshot.ts';
import { isOnDelete, isPaused, partitionOf, replicasOf } from './strategy.ts';

export const blocked = 'Blocked';

export type BlockingReason =
  /** The spec went past admission but cannot be worked with. */
  | 'InvalidSpec'
  /** Creating or deleting Pods fails: a quota, a webhook, the server. */
  | 'ScalingFails'
  /** Updating Pods fails, or the update policy does not allow what the template asks for. */
  | 'UpdatingFails'
  | 'ImageCannotBePulled'
  | 'ContainerCannotStart'
  | 'ContainerCrashes'
  | 'Unschedulable'
  | 'WaitingForHook'
  /** Terminating Pods hold the names that are to be used again. */
  | 'WaitingForNames'
  /** `scaleStrategy.maxUnavailable` lets no Pod be created. */
  | 'ScaleLimited'
  /** A Pod runs but is not ready for longer than {@link patience}. */
  | 'NotReady'
  | 'Paused'
  | 'OnDelete'
  | 'PartitionReached';

export interface BlockingCause {
  readonly reason: BlockingReason;
  readonly message: string;
}

type Conditions = NonNullable<CloneSetStatus['conditions']>;
type Blocked = Condition<typeof blocked, 'True', BlockingReason>;

/** A Pod may be this long not ready before it is worth a word. */
export const patience = milliseconds(60_000);

/** What keeps the scaling of a pass from doing all it should. */
export interface ScalingObstacles {
  /** Pods that can be made again only when those of the same names are gone. */
  readonly waitingForNames: readonly string[];
  /** How many Pods `scaleStrategy.maxUnavailable` lets be created now; undefined when it holds none back. */
  readonly limitedTo: number | undefined;
}

export interface BlockingInput {
  readonly cloneSet: CloneSet;
  /** Active and claimed, by name. */
  readonly pods: readonly Pod[];
  /** With its counters computed. */
  readonly status: CloneSetStatus;
  readonly scaling: ScalingObstacles;
}

export interface Blocking {
  readonly cause?: BlockingCause;
  /** When a Pod's time to get ready is over. */
  readonly lookAgainAfter?: Milliseconds;
}

const pullReasons = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);
const startReasons = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PreStartHookError',
  'PostStartHookError',
]);

const longestDetail = 300;
const detail = (text: string | undefined): string =>
  text === undefined || text === '' ? '' : `: ${text.length > longestDetail ? `${text.slice(0, longestDetail)}…` : text}`;

const imageOf = (pod: Pod, container: string): string =>
  [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(({ name }) => name === container)?.image ?? '';

function containerFault(pod: Pod, { name, state, lastState }: ContainerStatus): BlockingCause | undefined {
  const waiting = state?.waiting;
  const reason = waiting?.reason ?? '';
  const who = `container ${name} of Pod ${pod.metadata.name}`;
  if (pullReasons.has(reason)) return { reason: 'ImageCannotBePulled', message: `${who} cannot pull image ${imageOf(pod, name)}` };
  if (startReasons.has(reason))
    return { reason: 'ContainerCannotStart', message: `${who} cannot be started${detail(waiting?.message ?? reason)}` };
  if (reason !== 'CrashLoopBackOff') return undefined;
  const ended = lastState?.terminated;
  return { reason: 'ContainerCrashes', message: `${who} keeps crashing${ended ? `, last with exit code ${ended.exitCode}` : ''}` };
}

function faultOf(pod: Pod): BlockingCause | undefined {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  for (const status of statuses) {
    const fault = containerFault(pod, status);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function unschedulable(pod: Pod): BlockingCause | undefined {
  const scheduled = podCondition(pod, 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  return {
    reason: 'Unschedulable',
    message: `Pod ${pod.metadata.name} cannot be scheduled${detail(scheduled.message ?? scheduled.reason)}`,
  };
}

/** The parts of a hook that the Pod does, or does not, carry. */
function hookParts(hook: LifecycleHook | undefined, pod: Pod, carried: boolean): string {
  const finalizers = (hook?.finalizersHandler ?? []).filter((name) => (pod.metadata.finalizers?.includes(name) ?? false) === carried);
  const labelled = Object.entries(hook?.labelsHandler ?? {}).filter(([key, value]) => (pod.metadata.labels?.[key] === value) === carried);
  return [...finalizers.map((name) => `finalizer ${name}`), ...labelled.map(([key, value]) => `label ${key}=${value}`)].join(', ');
}

const hookCause = (pod: Pod, state: string, what: string): BlockingCause => ({
  reason: 'WaitingForHook',
  message: `Pod ${pod.metadata.name} is held in ${state} ${what}`,
});

function hookOf(pod: Pod, { spec: { lifecycle } }: CloneSet): BlockingCause | undefined {
  const state = lifecycleStateOf(pod);
  const heldBy = (hook: LifecycleHook | undefined): BlockingCause | undefined =>
    isHooked(hook, pod) ? hookCause(pod, state, `by ${hookParts(hook, pod, true)}`) : undefined;
  const lacks = (hook: LifecycleHook | undefined): BlockingCause | undefined =>
    hook === undefined || isAllHooked(hook, pod) ? undefined : hookCause(pod, state, `until it carries ${hookParts(hook, pod, false)}`);
  switch (state) {
    case 'PreparingUpdate':
      return heldBy(lifecycle?.inPlaceUpdate);
    case 'PreparingDelete':
      return heldBy(lifecycle?.preDelete);
    case 'PreparingNormal':
      return lacks(lifecycle?.preNormal);
    case 'Updated':
      return lacks(lifecycle?.inPlaceUpdate);
    default:
      return undefined;
  }
}

/** How much longer a Pod that is not ready is given; undefined when it is ready or has not begun. */
function timeLeft(pod: Pod, now: Instant): number | undefined {
  const ready = podCondition(pod, 'Ready');
  const since = parseTime(ready?.lastTransitionTime);
  return ready?.status !== 'False' || since === undefined ? undefined : since + patience - now;
}

function notReady(pod: Pod, at: Context): BlockingCause | undefined {
  const left = timeLeft(pod, at.now);
  if (left === undefined || left > 0) return undefined;
  const update = updateCompletion(pod, at.resources !== 'Ignored');
  const why = update.kind === 'Incomplete' ? update.why : podCondition(pod, 'Ready')?.message;
  return { reason: 'NotReady', message: `Pod ${pod.metadata.name} is not ready${detail(why)}` };
}

const firstOf = (pods: readonly Pod[], causeOf: (pod: Pod) => BlockingCause | undefined): BlockingCause | undefined => {
  for (const pod of pods) {
    const cause = causeOf(pod);
    if (cause !== undefined) return cause;
  }
  return undefined;
};

function scalingObstacle({ waitingForNames, limitedTo }: ScalingObstacles): BlockingCause | undefined {
  if (waitingForNames.length > 0)
    return {
      reason: 'WaitingForNames',
      message: `terminating Pods hold the names that are to be used again: ${waitingForNames.join(', ')}`,
    };
  return limitedTo === 0
    ? { reason: 'ScaleLimited', message: 'no Pod may be created: scaleStrategy.maxUnavailable is used up by Pods that are not available' }
    : undefined;
}

/** What the user asked for, which stops updates as long as there is something to update. */
function wanted({ cloneSet, status }: BlockingInput): BlockingCause | undefined {
  const { updatedReplicas, replicas, updatedAvailableReplicas = 0, expectedUpdatedReplicas = 0 } = status;
  const old = replicas - updatedReplicas;
  if (old <= 0 || status.currentRevision === status.updateRevision) return undefined;
  if (isOnDelete(cloneSet))
    return {
      reason: 'OnDelete',
      message: `${old} Pods of older revisions are updated when somebody deletes them (update strategy OnDelete)`,
    };
  if (isPaused(cloneSet) && updatedReplicas < expectedUpdatedReplicas)
    return { reason: 'Paused', message: `the update is paused, ${expectedUpdatedReplicas - updatedReplicas} Pods wait for it` };
  return expectedUpdatedReplicas < replicasOf(cloneSet) && expectedUpdatedReplicas <= updatedAvailableReplicas
    ? { reason: 'PartitionReached', message: `the partition is reached: ${partitionOf(cloneSet)} Pods are to stay at older revisions` }
    : undefined;
}

/** What holds the CloneSet up as far as its objects tell; what the API server refuses is added by {@link withBlocking}. */
export function findBlocking(input: BlockingInput, at: Context): Blocking {
  const { cloneSet, pods, status, scaling } = input;
  const waiting = status.availableReplicas === pods.length ? [] : pods.filter((pod) => !isAvailable(cloneSet, pod, at));
  const cause =
    firstOf(waiting, faultOf) ??
    firstOf(waiting, unschedulable) ??
    firstOf(waiting, (pod) => hookOf(pod, cloneSet)) ??
    scalingObstacle(scaling) ??
    firstOf(waiting, (pod) => notReady(pod, at)) ??
    wanted(input);
  if (cause !== undefined) return { cause };
  const left = waiting.flatMap((pod) => timeLeft(pod, at.now) ?? []);
  return left.length === 0 ? {} : { lookAgainAfter: milliseconds(Math.min(...left)) };
}

/** What went wrong when the pass was carried out, as messages. */
export interface PassFailures {
  readonly scale?: string;
  readonly update?: string;
}

/** A refusal of this pass comes before what the objects tell: it is why nothing was done. */
export function firstCause({ scale, update }: PassFailures, found: BlockingCause | undefined): BlockingCause | undefined {
  if (scale !== undefined) return { reason: 'ScalingFails', message: `Pods cannot be created or deleted: ${scale}` };
  return update === undefined ? found : { reason: 'UpdatingFails', message: `Pods cannot be updated: ${update}` };
}

/** The status with the condition for this cause, or without the condition. */
export function withBlocking(status: CloneSetStatus, cause: BlockingCause | undefined, now: Instant): CloneSetStatus {
  const held = status.conditions ?? [];
  const next: Blocked | undefined = cause === undefined ? undefined : { type: blocked, status: 'True', ...cause };
  const conditions = next === undefined ? removeCondition(held, blocked) : setCondition<Conditions[number]>(held, next, now);
  if (conditions.length > 0) return { ...status, conditions };
  const { conditions: _none, ...rest } = status;
  return rest;
}
