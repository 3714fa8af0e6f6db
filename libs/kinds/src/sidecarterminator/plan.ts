/** What ends the sidecars of one Pod next. @see spec/sidecarterminator.md 5.3 to 5.7 */
import { envNames, podConditions, type ContainerRecreateRequest } from '@kruise/api';
import {
  containerStatusOf,
  findCondition,
  isPodActive,
  milliseconds,
  parseTime,
  type Instant,
  type Milliseconds,
  type Pod,
} from '@kruise/objects';
import { faultOf, mostRepeats, repeatsOf, type Fault } from './request.ts';
import { areAllEnded, hasEnded, haveMainsSucceeded, isDue, sidecarsOf, terminationOf, type Sidecar } from './sidecars.ts';

export interface Snapshot {
  readonly pod: Pod;
  readonly isVirtualNode: boolean;
  /** The request of this Pod, if there is one. */
  readonly request: ContainerRecreateRequest | undefined;
}

export type Action =
  /** All in one write. */
  | {
      readonly kind: 'ReplaceImages';
      readonly images: Readonly<Record<string, string>>;
      readonly sidecars: readonly string[];
      readonly because: string;
    }
  | { readonly kind: 'MarkPod'; readonly phase: 'Succeeded' | 'Failed'; readonly because: string }
  /** Written before the old request is deleted, so that no repetition is lost. */
  | { readonly kind: 'CountRepeat'; readonly repeats: number; readonly because: string }
  | { readonly kind: 'DeleteRequest'; readonly uid: string; readonly because: string }
  | { readonly kind: 'CreateRequest'; readonly containers: readonly string[]; readonly repeats: number; readonly because: string };

/** An event for the user, once for each Pod and topic. */
export interface Warning {
  readonly topic: 'unsupported' | 'unanswered' | 'gave up' | 'refused';
  readonly message: string;
}

export interface Plan {
  /** In order; a failure ends the pass. */
  readonly actions: readonly Action[];
  readonly warnings: readonly Warning[];
  readonly requeueAfter?: Milliseconds;
}

const nothing: Plan = { actions: [], warnings: [] };

const listOf = (names: readonly string[]): string => names.join(', ');

/** Sidecars that nothing ends on this sort of node, and which environment would. */
function unsupported(pod: Pod, sidecars: readonly Sidecar[], isVirtualNode: boolean): readonly Warning[] {
  const left = sidecars.filter(({ name, byRequest, image }) => !hasEnded(pod, name) && (isVirtualNode ? image === undefined : !byRequest));
  if (left.length === 0) return [];
  const missing = isVirtualNode ? envNames.terminateSidecarWhenJobExitWithImage : envNames.terminateSidecarWhenJobExit;
  const node = isVirtualNode ? 'a virtual node' : 'this node';
  const message = `sidecars on ${node} are not stopped without the environment entry ${missing}: ${listOf(left.map(({ name }) => name))}`;
  return [{ topic: 'unsupported', message }];
}

function planVirtual(pod: Pod, sidecars: readonly Sidecar[]): Plan {
  const running = sidecars.filter(({ name, image }) => image !== undefined && !hasEnded(pod, name));
  const stale = running.filter(({ image, currentImage }) => image !== currentImage);
  if (stale.length === 0) return nothing;
  const images = Object.fromEntries(stale.map(({ name, image = '' }) => [name, image]));
  const names = running.map(({ name }) => name);
  return {
    ...nothing,
    actions: [{ kind: 'ReplaceImages', images, sidecars: names, because: `on a virtual node, still running: ${listOf(names)}` }],
  };
}

/** From the making of a request to its repetition: 10 s, then twice as long each time. */
const waitBefore = (repeats: number): number => 10_000 * 2 ** repeats;

const complaint = ({ kind, containers }: Fault): string => {
  switch (kind) {
    case 'Restarted':
      return `started again after they were stopped: ${listOf(containers)}`;
    case 'Unlisted':
      return `not in the request that is there: ${listOf(containers)}`;
    case 'Unanswered':
      return `still running after the request: ${listOf(containers)}`;
  }
};

const gaveUp = (fault: Fault): Warning => ({
  topic: 'gave up',
  message: `gave up after ${mostRepeats + 1} requests, ${complaint(fault)}; set the environment entry ${envNames.terminateSidecarIgnoreExitCode}=true to end the Pod without them`,
});

const unanswered = (pod: Pod, { message }: Extract<Fault, { readonly kind: 'Unanswered' }>): Warning => ({
  topic: 'unanswered',
  message: `the request to end sidecars had no effect on node ${pod.spec.nodeName ?? ''}${message === '' ? '' : ` (${message})`}; the request is repeated`,
});

/** The kubelet starts a sidecar whose container has no id yet; its status will show the id. */
const hasContainer = (pod: Pod, name: string): boolean => (containerStatusOf(pod, name)?.containerID ?? '') !== '';

/** A finished Pod is the kubelet's to end, unless we finished it: its request would be refused. */
const mayRequest = (pod: Pod): boolean =>
  isPodActive(pod) || findCondition(pod.status?.conditions, podConditions.sidecarTerminated) !== undefined;

function planRepeat(
  seen: { readonly pod: Pod; readonly request: ContainerRecreateRequest },
  fault: Fault,
  running: readonly string[],
  now: Instant,
): Plan {
  const { pod, request } = seen;
  const counted = repeatsOf(pod);
  const because = complaint(fault);
  const remaking = (repeats: number): readonly Action[] => [
    { kind: 'DeleteRequest', uid: request.metadata.uid ?? '', because },
    { kind: 'CreateRequest', containers: running, repeats, because },
  ];
  // Counted, but the process ended before the old one was deleted.
  if (repeatsOf(request) < counted) return { ...nothing, actions: remaking(counted) };
  if (counted >= mostRepeats) return { ...nothing, warnings: [gaveUp(fault)] };
  const madeAt = parseTime(request.metadata.creationTimestamp ?? undefined) ?? now;
  const wait = fault.kind === 'Unlisted' ? 0 : madeAt + waitBefore(counted) - now;
  if (wait > 0) return { ...nothing, requeueAfter: milliseconds(wait) };
  return {
    actions: [{ kind: 'CountRepeat', repeats: counted + 1, because }, ...remaking(counted + 1)],
    warnings: fault.kind === 'Unanswered' ? [unanswered(pod, fault)] : [],
  };
}

function planRequest({ pod, request }: Snapshot, sidecars: readonly Sidecar[], now: Instant): Plan {
  const running = sidecars.map(({ name }) => name).filter((name) => !hasEnded(pod, name) && hasContainer(pod, name));
  if (running.length === 0 || !mayRequest(pod) || request?.metadata.deletionTimestamp !== undefined) return nothing;
  if (request === undefined)
    return {
      ...nothing,
      actions: [{ kind: 'CreateRequest', containers: running, repeats: repeatsOf(pod), because: `still running: ${listOf(running)}` }],
    };
  const fault = faultOf(pod, request, running);
  return fault === undefined ? nothing : planRepeat({ pod, request }, fault, running, now);
}

/** Nothing for a Pod that is finished already. */
function planMark(pod: Pod): readonly Action[] {
  if (!isPodActive(pod)) return [];
  const phase = haveMainsSucceeded(pod) ? 'Succeeded' : 'Failed';
  return [{ kind: 'MarkPod', phase, because: 'only the main containers decide' }];
}

function planReal(seen: Snapshot, sidecars: readonly Sidecar[], now: Instant): Plan {
  const { pod } = seen;
  const normal = sidecars.filter(({ byRequest, isIgnored }) => byRequest && !isIgnored);
  const ignored = sidecars.filter(({ isIgnored }) => isIgnored);
  if (ignored.length === 0 || !areAllEnded(pod, normal)) return planRequest(seen, normal, now);
  const next = planRequest(seen, ignored, now);
  return { ...next, actions: [...planMark(pod), ...next.actions] };
}

/** @returns an empty plan for a Pod whose sidecars are not to be ended (now) */
export function plan(seen: Snapshot, now: Instant): Plan {
  const { pod, isVirtualNode } = seen;
  if (!isDue(pod)) return nothing;
  const sidecars = sidecarsOf(pod);
  const next = isVirtualNode ? planVirtual(pod, sidecars) : planReal(seen, sidecars, now);
  return { ...next, warnings: [...unsupported(pod, sidecars, isVirtualNode), ...next.warnings] };
}

/** In milliseconds. */
const longestWait = 10_000;

/** Whether a request has been refused long enough for an event. At first, the usual reason is a container that has not started yet. */
export const isRefusedForLong = (pod: Pod, now: Instant): boolean => retryWait(pod, now) >= longestWait;

/**
 * How long to wait after a refused request: 1 s at first, more with the time since the main containers ended, at most 10 s.
 *
 * @remarks Needs no memory of earlier tries.
 */
export function retryWait(pod: Pod, now: Instant): Milliseconds {
  const ends = (pod.status?.containerStatuses ?? []).map(({ name }) => parseTime(terminationOf(pod, name)?.finishedAt) ?? 0);
  const since = now - Math.max(0, ...ends);
  return milliseconds(Math.min(longestWait, Math.max(1000, since / 2)));
}
