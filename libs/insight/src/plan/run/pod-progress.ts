/** What the cluster makes of a Pod that was acted on when everything works: it is scheduled, its containers run as its spec says, hooks let go. */
import { annotations, type Lifecycle, type LifecycleHook } from '@kruise/api';
import {
  containerStatusOf,
  formatTime,
  podCondition,
  setIn,
  type Container,
  type ContainerStatus,
  type Instant,
  type Pod,
  type PodCondition,
  type ResourceRequirements,
} from '@kruise/objects';
import {
  formatRuntimeMeta,
  isSameImageRef,
  lacksKruisePodReady,
  lifecycleStateOf,
  metadataEnvHash,
  nodeOf,
  plainHash,
  updateCompletion,
  updateStateOf,
} from '@kruise/pods';

/** `resources` of a container status is newer than the type package. */
type ReportedStatus = ContainerStatus & { readonly resources?: ResourceRequirements };

/** The status of a container that was started for its spec. */
function startedStatus(pod: Pod, { name, image = '' }: Container, now: Instant): ReportedStatus {
  const restartCount = (containerStatusOf(pod, name)?.restartCount ?? -1) + 1;
  const containerID = `predicted://${pod.metadata.name}/${name}/${restartCount}`;
  const state = { running: { startedAt: formatTime(now) } };
  return { name, image, imageID: `predicted:${image}`, containerID, ready: true, started: true, restartCount, state };
}

function statusOf(pod: Pod, container: Container, isChanging: boolean, now: Instant): ReportedStatus {
  const held = containerStatusOf(pod, container.name);
  const runs = held?.state?.running !== undefined && !isChanging && isSameImageRef(held.image, container.image ?? '');
  const status = runs ? { ...held, ready: true, started: true } : startedStatus(pod, container, now);
  return container.resources === undefined ? status : { ...status, resources: container.resources };
}

/** Returns the names of the containers that the running update changes. */
function changingContainers(pod: Pod): ReadonlySet<string> {
  const state = updateStateOf(pod);
  if (state.kind !== 'Parsed' || updateCompletion(pod, true).kind === 'Complete') return new Set();
  return new Set((state.value.containerBatchesRecord ?? []).flatMap(({ containers }) => containers));
}

/** What the node agent reports about containers that run as the spec says. */
function withReport(pod: Pod): Pod {
  const report = pod.spec.containers.map((container) => {
    const { containerID = '', restartCount = 0 } = containerStatusOf(pod, container.name) ?? {};
    const hashes = { plainHash: plainHash(container), metadataEnvHash: metadataEnvHash(container, pod.metadata) };
    return { name: container.name, containerID, restartCount, ...hashes };
  });
  return setIn(pod, ['metadata', 'annotations', annotations.runtimeContainersMeta], formatRuntimeMeta(report));
}

const kubeletConditions: ReadonlySet<string> = new Set(['Ready', 'ContainersReady', 'PodScheduled', 'Initialized']);

function conditionsOf(pod: Pod, now: Instant): readonly PodCondition[] {
  const kept = (pod.status?.conditions ?? []).filter(({ type }) => !kubeletConditions.has(type));
  const own: readonly PodCondition[] = lacksKruisePodReady(pod) ? [{ type: 'KruisePodReady', status: 'True' }] : [];
  const all = [...kept, ...own];
  const isOpen = (pod.spec.readinessGates ?? []).every(({ conditionType }) =>
    all.some(({ type, status }) => type === conditionType && status === 'True'),
  );
  const condition = (type: string, isTrue: boolean): PodCondition => {
    const held = podCondition(pod, type);
    const status = isTrue ? 'True' : 'False';
    return held?.status === status ? held : { type, status, lastTransitionTime: formatTime(now) };
  };
  return [...all, condition('ContainersReady', true), condition('Ready', isOpen)];
}

function withHook(pod: Pod, { labelsHandler = {}, finalizersHandler = [] }: LifecycleHook): Pod {
  const { labels, finalizers = [] } = pod.metadata;
  const all = [...new Set([...finalizers, ...finalizersHandler])];
  return { ...pod, metadata: { ...pod.metadata, labels: { ...labels, ...labelsHandler }, finalizers: all } };
}

function withoutHook(pod: Pod, { labelsHandler = {}, finalizersHandler = [] }: LifecycleHook): Pod {
  const { labels, finalizers = [] } = pod.metadata;
  const kept = Object.entries(labels ?? {}).filter(([name, value]) => labelsHandler[name] !== value);
  const left = finalizers.filter((finalizer) => !finalizersHandler.includes(finalizer));
  return { ...pod, metadata: { ...pod.metadata, labels: Object.fromEntries(kept), finalizers: left } };
}

/** Returns the Pod as the program behind a hook leaves it. */
function letGo(pod: Pod, lifecycle: Lifecycle | undefined): Pod {
  const { inPlaceUpdate = {}, preDelete = {}, preNormal = {} } = lifecycle ?? {};
  switch (lifecycleStateOf(pod)) {
    case 'PreparingUpdate':
      return withoutHook(pod, inPlaceUpdate);
    case 'PreparingDelete':
      return withoutHook(pod, preDelete);
    case 'PreparingNormal':
      return lifecycle?.preNormal === undefined ? pod : withHook(pod, preNormal);
    case 'Updated':
      return withHook(pod, inPlaceUpdate);
    default:
      return pod;
  }
}

const transitional: ReadonlySet<string> = new Set(['PreparingNormal', 'PreparingUpdate', 'PreparingDelete', 'Updating', 'Updated']);
const startingReasons: ReadonlySet<string> = new Set(['', 'ContainerCreating', 'PodInitializing']);

/** Returns whether a Pod is being started, updated or held by a hook, and shows no fault. */
export function isUnderWay(pod: Pod): boolean {
  const isBusy =
    pod.status?.phase === 'Pending' || transitional.has(lifecycleStateOf(pod)) || updateCompletion(pod, true).kind !== 'Complete';
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const isFaulty = statuses.some(({ state }) => state?.terminated !== undefined || !startingReasons.has(state?.waiting?.reason ?? ''));
  return isBusy && !isFaulty && podCondition(pod, 'PodScheduled')?.status !== 'False';
}

/** What a Pod's progress depends on besides the Pod. */
export interface Progress {
  readonly now: Instant;
  readonly lifecycle: Lifecycle | undefined;
  /** The node of a Pod that has none. */
  readonly nodeFor: (pod: Pod) => string;
}

/** Returns a Pod that was acted on as it is when its node has done everything. */
export function progressed(pod: Pod, { now, lifecycle, nodeFor }: Progress): Pod {
  const changing = changingContainers(pod);
  const isRestarted = changing.size > 0;
  const bound: Pod = { ...pod, spec: { ...pod.spec, nodeName: pod.spec.nodeName ?? nodeOf(pod) ?? nodeFor(pod) } };
  const containerStatuses = pod.spec.containers.map((container) => statusOf(pod, container, changing.has(container.name), now));
  const running: Pod = {
    ...bound,
    status: { ...pod.status, phase: 'Running', containerStatuses, conditions: [...conditionsOf(bound, now)] },
  };
  const hasReport = pod.metadata.annotations?.[annotations.runtimeContainersMeta] !== undefined;
  return letGo(isRestarted || hasReport ? withReport(running) : running, lifecycle);
}
