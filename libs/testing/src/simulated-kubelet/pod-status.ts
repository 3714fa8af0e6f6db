/**
 * Computes what a kubelet would report about a Pod, from the Pod alone (spec and earlier reports), so that the simulated kubelet may be restarted at
 * any time. Pure.
 *
 * Annotations of the Pod control the simulation:
 * - `simulated.kruise.io/not-ready`: names of containers (`,` between them, `*` for all) whose readiness probe fails;
 * - `simulated.kruise.io/exit-after-seconds`: every container exits by itself that long after its start …
 * - `simulated.kruise.io/exit-code`: … with this code (0 by default), and is restarted as restartPolicy requires.
 * An image whose name ends with `/missing` or whose tag is `missing` cannot be pulled.
 */
import { type Container, type ContainerStatus, type Pod, type PodCondition, type PodStatus } from '@kruise/objects';
import { containerIdOf, fullImageRef, imageIdOf, isMissingImage } from './image-names.ts';

const annotation = (name: string): string => `simulated.kruise.io/${name}`;

/** Seconds that a container which exited by itself waits for its restart. */
const restartBackoffSeconds = 10;

export interface Surroundings {
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly hostIp: string;
  readonly podIp: string;
}

const timeOf = (text: string): number => Date.parse(text);

/** Members of a Pod that the API server has and the shared types may lack. */
interface Extended {
  readonly metadata: { readonly generation?: number };
}

const running = (status: ContainerStatus | undefined): boolean => status?.state?.running !== undefined;

/** Returns whether the running container differs from the spec; true when nothing has been started yet. */
function isOutdated(container: Container, status: ContainerStatus | undefined): boolean {
  if (status === undefined || status.state?.waiting !== undefined) return true;
  return running(status) && status.image !== fullImageRef(container.image ?? '');
}

const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

/** Returns when an exit is due by annotation, in milliseconds since the epoch. */
function exitDueAt(pod: Pod, status: ContainerStatus): number | undefined {
  const after = pod.metadata.annotations?.[annotation('exit-after-seconds')];
  const startedAt = status.state?.running?.startedAt;
  return after === undefined || startedAt === undefined ? undefined : timeOf(startedAt) + Number(after) * 1000;
}

function restartsAfterExit(pod: Pod, exitCode: number): boolean {
  const policy = pod.spec?.restartPolicy ?? 'Always';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

function restartDueAt(pod: Pod, status: ContainerStatus): number | undefined {
  const ended = status.state?.terminated;
  if (ended?.finishedAt === undefined || !restartsAfterExit(pod, ended.exitCode)) return undefined;
  return timeOf(ended.finishedAt) + restartBackoffSeconds * 1000;
}

const statusOf = (list: readonly ContainerStatus[] | undefined, name: string): ContainerStatus | undefined =>
  list?.find((status) => status.name === name);

const continuing = (pod: Pod): readonly [Container, ContainerStatus | undefined][] => [
  ...(pod.spec?.containers ?? []).map((c): [Container, ContainerStatus | undefined] => [
    c,
    statusOf(pod.status?.containerStatuses, c.name),
  ]),
  ...(pod.spec?.initContainers ?? [])
    .filter(isSidecar)
    .map((c): [Container, ContainerStatus | undefined] => [c, statusOf(pod.status?.initContainerStatuses, c.name)]),
];

/**
 * Returns the names of the containers that have to be started or restarted because of the spec, '' for none. As long as it is the same, the simulated
 * start continues. Images that cannot be pulled count once they have been reported.
 */
export function startNeeded(pod: Pod): string {
  return continuing(pod)
    .filter(([container, status]) => isOutdated(container, status) && !(isMissingImage(container.image ?? '') && status !== undefined))
    .map(([container]) => `${container.name}=${container.image}`)
    .join(',');
}

/** Returns when the next change happens by itself, in milliseconds since the epoch: an exit or a restart after one. */
export function nextChangeAt(pod: Pod): number | undefined {
  const times = continuing(pod).flatMap(([, status]) =>
    status === undefined ? [] : [exitDueAt(pod, status) ?? restartDueAt(pod, status) ?? []].flat(),
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

function resources(container: Container): Pick<ContainerStatus, 'resources' | 'allocatedResources'> {
  const wanted = container.resources;
  if (wanted?.requests === undefined && wanted?.limits === undefined) return {};
  const { requests, limits } = wanted;
  return {
    resources: { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) },
    ...(requests === undefined ? {} : { allocatedResources: requests }),
  };
}

function started(pod: Pod, container: Container, before: ContainerStatus | undefined, at: Surroundings): ContainerStatus {
  const ranBefore = before?.containerID !== undefined && before.containerID !== '';
  const restartCount = ranBefore ? before.restartCount + 1 : (before?.restartCount ?? 0);
  const image = container.image ?? '';
  return {
    name: container.name,
    image: fullImageRef(image),
    imageID: imageIdOf(image),
    containerID: containerIdOf(pod.metadata.uid ?? '', container.name, restartCount),
    restartCount,
    started: true,
    ready: true,
    state: { running: { startedAt: at.now } },
    lastState: lastStateOf(before, at),
    ...resources(container),
  };
}

function lastStateOf(before: ContainerStatus | undefined, at: Surroundings): NonNullable<ContainerStatus['lastState']> {
  if (before?.state?.terminated !== undefined) return { terminated: before.state.terminated };
  const startedAt = before?.state?.running?.startedAt;
  if (before?.containerID === undefined || startedAt === undefined) return {};
  return { terminated: { exitCode: 143, reason: 'Error', startedAt, finishedAt: at.now, containerID: before.containerID } };
}

function terminated(status: ContainerStatus, exitCode: number, at: Surroundings): ContainerStatus {
  const startedAt = status.state?.running?.startedAt ?? at.now;
  const end = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt,
    finishedAt: at.now,
    containerID: status.containerID ?? '',
  };
  return { ...status, started: false, ready: false, state: { terminated: end } };
}

function unpullable(container: Container, before: ContainerStatus | undefined): ContainerStatus {
  const image = container.image ?? '';
  const state = { waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` } };
  return {
    name: container.name,
    image,
    imageID: '',
    restartCount: before?.restartCount ?? 0,
    started: false,
    ready: false,
    state,
    lastState: before?.lastState ?? {},
  };
}

function isProbedReady(pod: Pod, name: string): boolean {
  const failing = pod.metadata.annotations?.[annotation('not-ready')]?.split(',') ?? [];
  return !failing.includes('*') && !failing.includes(name);
}

function nextContainerStatus(pod: Pod, container: Container, before: ContainerStatus | undefined, at: Surroundings): ContainerStatus {
  const settle = (status: ContainerStatus): ContainerStatus => ({ ...status, ready: isProbedReady(pod, container.name) });
  if (isOutdated(container, before))
    return isMissingImage(container.image ?? '') ? unpullable(container, before) : settle(started(pod, container, before, at));
  if (before === undefined) throw new Error('a container without a status counts as outdated');
  const now = timeOf(at.now);
  const exitAt = exitDueAt(pod, before);
  if (exitAt !== undefined)
    return exitAt <= now ? terminated(before, Number(pod.metadata.annotations?.[annotation('exit-code')] ?? 0), at) : settle(before);
  const restartAt = restartDueAt(pod, before);
  if (restartAt !== undefined && restartAt <= now) return settle(started(pod, container, before, at));
  return running(before) ? settle({ ...before, ...resources(container) }) : before;
}

function completedInit(pod: Pod, container: Container, before: ContainerStatus | undefined, at: Surroundings): ContainerStatus {
  if (before?.state?.terminated !== undefined) return before;
  return { ...terminated(started(pod, container, undefined, at), 0, at), ready: true };
}

type Flag = 'True' | 'False';

function condition(pod: Pod, type: string, holds: boolean, detail: { reason?: string; message?: string; now: string }): PodCondition {
  const before = pod.status?.conditions?.find((c) => c.type === type);
  const status: Flag = holds ? 'True' : 'False';
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? detail.now) : detail.now;
  return {
    type,
    status,
    lastTransitionTime,
    ...(holds || detail.reason === undefined ? {} : { reason: detail.reason, message: detail.message ?? '' }),
  };
}

function conditionsOf(pod: Pod, statuses: readonly ContainerStatus[], at: Surroundings): readonly PodCondition[] {
  const unready = statuses.filter((status) => !status.ready).map((status) => status.name);
  const allReady = unready.length === 0;
  const closed = (pod.spec?.readinessGates ?? [])
    .map((gate) => gate.conditionType)
    .filter((type) => pod.status?.conditions?.find((c) => c.type === type)?.status !== 'True');
  const notReady = allReady
    ? {
        reason: 'ReadinessGatesNotReady',
        message: `the status of pod readiness gate "${closed[0]}" is not "True", but ${gateStatus(pod, closed[0])}`,
      }
    : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
  return [
    condition(pod, 'PodReadyToStartContainers', true, { now: at.now }),
    condition(pod, 'Initialized', true, { now: at.now }),
    condition(pod, 'Ready', allReady && closed.length === 0, { ...notReady, now: at.now }),
    condition(pod, 'ContainersReady', allReady, { ...notReady, now: at.now }),
  ];
}

const gateStatus = (pod: Pod, gate: string | undefined): string => pod.status?.conditions?.find((c) => c.type === gate)?.status ?? 'absent';

function phaseOf(pod: Pod, containers: readonly ContainerStatus[]): string {
  const ended = containers.map((status) => status.state?.terminated);
  if (containers.some((status) => status.state?.waiting !== undefined && status.lastState?.terminated === undefined)) return 'Pending';
  if (ended.some((end) => end === undefined || restartsAfterExit(pod, end.exitCode))) return 'Running';
  return ended.every((end) => end?.exitCode === 0) ? 'Succeeded' : 'Failed';
}

/** Returns the status members that a kubelet writes, as they should be now. Conditions of other writers are omitted. */
export function computePodStatus(pod: Pod, at: Surroundings): PodStatus {
  const before = pod.status;
  const containerStatuses = (pod.spec?.containers ?? []).map((c) =>
    nextContainerStatus(pod, c, statusOf(before?.containerStatuses, c.name), at),
  );
  const initContainerStatuses = (pod.spec?.initContainers ?? []).map((c) => {
    const old = statusOf(before?.initContainerStatuses, c.name);
    return isSidecar(c) ? nextContainerStatus(pod, c, old, at) : completedInit(pod, c, old, at);
  });
  const sidecars = initContainerStatuses.filter((status) => status.state?.running !== undefined);
  const podIp = before?.podIP ?? at.podIp;
  const generation = (pod as Extended).metadata.generation;
  return {
    phase: phaseOf(pod, containerStatuses),
    hostIP: at.hostIp,
    hostIPs: [{ ip: at.hostIp }],
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    startTime: before?.startTime ?? at.now,
    conditions: conditionsOf(pod, [...containerStatuses, ...sidecars], at),
    containerStatuses,
    ...(initContainerStatuses.length === 0 ? {} : { initContainerStatuses }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** A status as a strategic merge patch: null removes a member. */
export type StatusPatch = Readonly<Record<string, unknown>>;

/** Returns the strategic merge patch to send, undefined when the API server has the status already. After it is applied, there is nothing to send. */
export function statusPatch(pod: Pod, next: PodStatus): StatusPatch | undefined {
  const before = pod.status as Readonly<Record<string, unknown>> | undefined;
  const changed = Object.entries(next).filter(([member, value]) => member !== 'conditions' && !isSame(before?.[member], value));
  const held = new Map(pod.status?.conditions?.map((one) => [one.type, one]));
  const conditions = (next.conditions ?? []).filter((one) => !isSameCondition(held.get(one.type), one));
  if (changed.length === 0 && conditions.length === 0) return undefined;
  return {
    ...Object.fromEntries(changed),
    ...(conditions.length === 0 ? {} : { conditions: conditions.map((one) => withoutLeftovers(held.get(one.type), one)) }),
  };
}

/** Returns the condition with leftovers removed: lists are merged by type, so an omitted reason would stay. */
const withoutLeftovers = (before: PodCondition | undefined, next: PodCondition): object => ({
  ...next,
  ...(before?.reason !== undefined && next.reason === undefined ? { reason: null } : {}),
  ...(before?.message !== undefined && next.message === undefined ? { message: null } : {}),
});

const isSame = (a: unknown, b: unknown): boolean => a === b || canonical(a) === canonical(b);

const isSameCondition = (a: PodCondition | undefined, b: PodCondition): boolean =>
  a?.status === b.status && (a.reason ?? '') === (b.reason ?? '') && (a.message ?? '') === (b.message ?? '');

/** Returns JSON with sorted members and without empty objects, as the API server omits them. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const members = Object.entries(value).filter(([, v]) => v !== undefined);
  return `{${members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([k, v]) => `${k}:${canonical(v)}`)
    .join(',')}}`;
}
