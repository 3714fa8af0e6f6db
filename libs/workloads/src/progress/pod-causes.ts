/**
 * The causes that one unavailable Pod shows, each rule separately. The kind decides which comes first (`firstCauseOf`).
 *
 * Messages contain nothing that changes by itself: the status of a workload that makes no progress is not written repeatedly.
 */
import type { Lifecycle, LifecycleHook } from '@kruise/api';
import {
  containerStartFailures,
  imagePullFailures,
  isNodeLost,
  isPodReady,
  milliseconds,
  parseTime,
  podCondition,
  type ContainerStatus,
  type Instant,
  type Node,
  type Pod,
} from '@kruise/objects';
import { graceSpecOf, isAllHooked, isHooked, lifecycleStateOf, updateCompletion, updateStateOf, type ResourceWriting } from '@kruise/pods';
import { podViewOf } from '../pods/pod-view.ts';
import type { BlockingCause } from './blocking-cause.ts';

/** How long a Pod may be not ready, or in the middle of an update, before it is reported. */
const patience = milliseconds(60_000);

/** A time that is further in the future than this was written by another clock. */
const clockTolerance = milliseconds(10_000);

const longestDetail = 300;
const detail = (text: string | undefined): string =>
  text === undefined || text === '' ? '' : `: ${text.length > longestDetail ? `${text.slice(0, longestDetail)}…` : text}`;

const imageOf = (pod: Pod, container: string): string =>
  [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(({ name }) => name === container)?.image ?? '';

/** The properties of the workload. */
export interface FaultContext {
  readonly now: Instant;
  /** The cause in its condition `Blocked`. */
  readonly held: BlockingCause | undefined;
}

/**
 * Returns whether a crashed container is running again and has not recovered yet: it crashes and runs in turn. That it crashed is only known from the
 * message of the condition, which names the container.
 */
function isUpAgain({ ready, state }: ContainerStatus, crash: string, { held, now }: FaultContext): boolean {
  if (ready || held?.reason !== 'ContainerCrashes' || !held.message.startsWith(crash)) return false;
  const started = parseTime(state?.running?.startedAt);
  return state?.terminated !== undefined || (started !== undefined && started + patience > now);
}

function crashOf(who: string, status: ContainerStatus, context: FaultContext | undefined): BlockingCause | undefined {
  const { state, lastState } = status;
  const crash = `${who} keeps crashing`;
  const isUp = context !== undefined && isUpAgain(status, crash, context);
  if (state?.waiting?.reason !== 'CrashLoopBackOff' && !isUp) return undefined;
  const ended = state?.terminated ?? lastState?.terminated;
  return { reason: 'ContainerCrashes', message: `${crash}${ended ? `, last with exit code ${ended.exitCode}` : ''}` };
}

function containerFault(pod: Pod, status: ContainerStatus, context: FaultContext | undefined): BlockingCause | undefined {
  const { name, state } = status;
  const reason = state?.waiting?.reason ?? '';
  const who = `container ${name} of Pod ${pod.metadata.name}`;
  if (imagePullFailures.has(reason)) return { reason: 'ImageCannotBePulled', message: `${who} cannot pull image ${imageOf(pod, name)}` };
  if (containerStartFailures.has(reason))
    return { reason: 'ContainerCannotStart', message: `${who} cannot be started${detail(state?.waiting?.message ?? reason)}` };
  return crashOf(who, status, context);
}

/**
 * Returns containers that cannot pull, start or keep running.
 * @param context without it a container that runs at the moment does not count as crashing
 */
export function containerFaults(pod: Pod, context?: FaultContext): readonly BlockingCause[] {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return statuses.flatMap((status) => containerFault(pod, status, context) ?? []);
}

/** Reports that the Pod cannot be scheduled. */
export function unschedulable(pod: Pod): BlockingCause | undefined {
  const scheduled = podCondition(pod, 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  return {
    reason: 'Unschedulable',
    message: `Pod ${pod.metadata.name} cannot be scheduled${detail(scheduled.message ?? scheduled.reason)}`,
  };
}

/** Reports that the Pod's node does not report. Nothing is reported for an unknown node. */
export function nodeLost(pod: Pod, nodes: ReadonlyMap<string, Node>): BlockingCause | undefined {
  const { nodeName = '' } = pod.spec;
  const node = nodes.get(nodeName);
  return node === undefined || !isNodeLost(node)
    ? undefined
    : {
        reason: 'NodeLost',
        message: `node ${nodeName} of Pod ${pod.metadata.name} no longer reports; restore the node, or delete its Node object after it is shut down`,
      };
}

/** Reports that the node cannot, or not yet, grant the containers what an in-place update requests. */
export function resizePending(pod: Pod): BlockingCause | undefined {
  if (lifecycleStateOf(pod) !== 'Updating') return undefined;
  const pending = podCondition(pod, 'PodResizePending');
  if (pending?.status !== 'True') return undefined;
  return {
    reason: 'ResizePending',
    message: `the new CPU and memory of Pod ${pod.metadata.name} are ${(pending.reason ?? 'not granted').toLowerCase()}${detail(pending.message)}`,
  };
}

/** Returns the parts of a hook that the Pod has, or lacks. */
function hookParts(hook: LifecycleHook | undefined, pod: Pod, carried: boolean): string {
  const held = new Set(pod.metadata.finalizers);
  const finalizers = (hook?.finalizersHandler ?? []).filter((name) => held.has(name) === carried);
  const labelled = Object.entries(hook?.labelsHandler ?? {}).filter(([key, value]) => (pod.metadata.labels?.[key] === value) === carried);
  return [...finalizers.map((name) => `finalizer ${name}`), ...labelled.map(([key, value]) => `label ${key}=${value}`)].join(', ');
}

const hookCause = (pod: Pod, state: string, what: string): BlockingCause => ({
  reason: 'WaitingForHook',
  message: `Pod ${pod.metadata.name} is held in ${state} ${what}`,
});

/** Reports the hook that keeps the Pod in its state. */
export function waitingForHook(pod: Pod, lifecycle: Lifecycle | undefined): BlockingCause | undefined {
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

/** Returns when the running update of a Pod that waits for its grace period began. */
function graceBegan(pod: Pod): string | undefined {
  const state = graceSpecOf(pod).kind === 'Absent' ? undefined : updateStateOf(pod);
  return state?.kind === 'Parsed' ? state.value.updateTimestamp : undefined;
}

/** Reports that a time the Pod waits from is in the future: another clock wrote it, and the wait is longer by the difference. */
export function clockSkew(pod: Pod, minReadySeconds: number, now: Instant): BlockingCause | undefined {
  const isWaiting = isPodReady(pod) && minReadySeconds > 0;
  const ready = isWaiting ? podCondition(pod, 'Ready')?.lastTransitionTime : undefined;
  const ahead = [
    ['minReadySeconds', ready],
    ['the grace period', graceBegan(pod)],
  ].find(([, time]) => (parseTime(time) ?? now) > now + clockTolerance);
  return ahead === undefined
    ? undefined
    : {
        reason: 'ClockSkew',
        message: `${ahead[0]} of Pod ${pod.metadata.name} counts from ${ahead[1]}, which is in the future for the manager: synchronize the clocks of the nodes`,
      };
}

/** Returns since when the Pod is not ready, or ready with an incomplete update; undefined when neither is known. */
function standsStillSince(pod: Pod): Instant | undefined {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status === 'False') return podViewOf(pod).readySince;
  if (lifecycleStateOf(pod) !== 'Updating' || graceSpecOf(pod).kind !== 'Absent') return undefined;
  const state = updateStateOf(pod);
  return state.kind === 'Parsed' ? parseTime(state.value.containerBatchesRecord?.at(-1)?.timestamp) : undefined;
}

/** Returns the remaining patience with a Pod that makes no progress; none for a time in the future, because its age is unknown. */
export function patienceLeft(pod: Pod, now: Instant): number | undefined {
  const since = standsStillSince(pod);
  if (since === undefined) return undefined;
  return since > now + clockTolerance ? 0 : since + patience - now;
}

/** Reports that the Pod is not ready, or its update not complete, for longer than {@link patience}. */
export function notReady(
  pod: Pod,
  { now, resources }: { readonly now: Instant; readonly resources: ResourceWriting },
): BlockingCause | undefined {
  const left = patienceLeft(pod, now);
  if (left === undefined || left > 0) return undefined;
  const update = updateCompletion(pod, resources !== 'Ignored');
  const { name } = pod.metadata;
  if (isPodReady(pod))
    return update.kind === 'Incomplete'
      ? { reason: 'NotReady', message: `the update of Pod ${name} is not complete${detail(update.why)}` }
      : undefined;
  const why = update.kind === 'Incomplete' ? update.why : podCondition(pod, 'Ready')?.message;
  return { reason: 'NotReady', message: `Pod ${name} is not ready${detail(why)}` };
}
