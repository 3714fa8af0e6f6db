/** A Pod and its containers as nodes: in-place update, lifecycle, launch order, budget, spread, probes. */
import { annotations, podUnavailableBudgetAnnotations, workloadSpreadAnnotations } from '@kruise/api';
import {
  containerStatusOf,
  counted,
  initContainerStatusOf,
  objectsAt,
  podCondition,
  stringAt,
  type Container,
  type ContainerStatus,
  type JsonObject,
  type Pod,
} from '@kruise/objects';
import { graceSpecOf, isSameImageRef, launchPriority, lifecycleStateOf, parseObject, updateCompletion, updateStateOf } from '@kruise/pods';
import { selects, type AnyObject, type Seen } from '../seen.ts';
import { factsOf, type Fact, type TreeNode } from './node.ts';
import { containerState, podState } from './pod-state.ts';

const annotationOf = (pod: Pod, key: string): string => pod.metadata.annotations?.[key] ?? '';

/** Returns what the running in-place update is doing. */
function inPlaceText(pod: Pod): string | undefined {
  if (graceSpecOf(pod).kind === 'Parsed') return 'in place: waits for its grace period';
  const state = updateStateOf(pod);
  if (state.kind !== 'Parsed') return undefined;
  const completion = updateCompletion(pod, true);
  if (completion.kind === 'Complete') return undefined;
  const { containerBatchesRecord: batches = [], preCheckBeforeNext } = state.value;
  const waits = preCheckBeforeNext?.containersRequiredReady ?? [];
  const next = waits.length === 0 ? '' : `, the next batch waits for ${waits.join(', ')}`;
  return `in place: batch ${Math.max(batches.length, 1)}${next}: ${completion.why}`;
}

/** Returns the WorkloadSpread and the subset that admission gave the Pod. */
export function spreadOf(pod: Pod): { readonly name: string; readonly subset: string } | undefined {
  const parsed = parseObject(annotationOf(pod, workloadSpreadAnnotations.matched));
  const [name, subset] = ['name', 'subset'].map((member) => stringAt(parsed, 'value', member));
  return name === undefined || subset === undefined || subset === '' ? undefined : { name, subset };
}

const budgetOf = (pod: Pod): string =>
  annotationOf(pod, podUnavailableBudgetAnnotations.relatedPub) || annotationOf(pod, podUnavailableBudgetAnnotations.legacyRelatedPub);

const lifecycleText = (pod: Pod): string => (['', 'Normal'].includes(lifecycleStateOf(pod)) ? '' : `lifecycle ${lifecycleStateOf(pod)}`);

/** Returns the results of probes that PodProbeMarkers run in the Pod. */
function probesText(pod: Pod, seen: Seen): string {
  const types = seen
    .all('apps.kruise.io/PodProbeMarker')
    .filter((marker) => selects(marker, pod.metadata.labels))
    .flatMap((marker) => objectsAt(marker, 'spec', 'probes').map((probe) => stringAt(probe, 'podConditionType') ?? ''));
  const results = [...new Set(types)]
    .filter((type) => type !== '')
    .map((type) => `${type}=${podCondition(pod, type)?.status ?? 'unknown'}`);
  return results.length === 0 ? '' : `probes ${results.join(' ')}`;
}

function readyText({ spec, status }: Pod): string {
  const ready = (status?.containerStatuses ?? []).filter((one) => one.ready).length;
  return `${ready}/${spec.containers.length} ready`;
}

function podFacts(pod: Pod, seen: Seen): readonly Fact[] {
  const spread = spreadOf(pod);
  return factsOf([
    ['ready', readyText(pod)],
    ['node', pod.spec.nodeName],
    ['inPlace', inPlaceText(pod)],
    ['lifecycle', lifecycleText(pod)],
    ['spread', spread === undefined ? '' : `subset ${spread.subset}`],
    ['budget', budgetOf(pod) === '' ? '' : `budget ${budgetOf(pod)}`],
    ['probes', probesText(pod, seen)],
  ]);
}

/** Returns the launch level that the container waits for; undefined when it is released or has none. */
function waitsForLaunch(pod: Pod, container: Container, status: ContainerStatus | undefined): string | undefined {
  const own = launchPriority(container);
  const isReleased = annotationOf(pod, annotations.containerLaunchPriorityCompleted) === 'true';
  if (own === undefined || isReleased || status?.state?.running !== undefined) return undefined;
  const before = pod.spec.containers.filter((other) => (launchPriority(other) ?? own) > own && !containerStatusOf(pod, other.name)?.ready);
  return before.length === 0 ? undefined : `starts after ${before.map(({ name }) => name).join(', ')}`;
}

/** Returns the progress of the pull of this image on the node of the Pod. */
function pullText(pod: Pod, image: string, seen: Seen): string | undefined {
  const nodeImage = seen.all('apps.kruise.io/NodeImage').find(({ metadata }) => metadata.name === pod.spec.nodeName);
  const pull = pullsOf(nodeImage).find((one) => isSameImageRef(one.image, image));
  return pull === undefined || pull.phase === 'Succeeded' ? undefined : `pull ${pull.phase.toLowerCase()} ${pull.progress} %`;
}

/** One image in the status of a NodeImage. */
export interface Pull {
  readonly image: string;
  readonly phase: string;
  readonly progress: number;
  readonly message: string;
}

/** Returns the pulls in the status of a NodeImage. */
export function pullsOf(nodeImage: AnyObject | undefined): readonly Pull[] {
  const images = nodeImage?.['status'] as { readonly imageStatuses?: Readonly<Record<string, JsonObject>> } | undefined;
  return Object.entries(images?.imageStatuses ?? {}).flatMap(([name, status]) =>
    objectsAt(status, 'tags').map((tag) => ({
      image: `${name}${stringAt(tag, 'tag')?.startsWith('sha256:') === true ? '@' : ':'}${stringAt(tag, 'tag') ?? ''}`,
      phase: stringAt(tag, 'phase') ?? 'Waiting',
      progress: typeof tag['progress'] === 'number' ? tag['progress'] : 0,
      message: stringAt(tag, 'message') ?? '',
    })),
  );
}

/** Returns the image that still runs while an in-place update replaces it. */
function oldImageText(pod: Pod, image: string, runs: string): string | undefined {
  const isOther = runs !== '' && inPlaceText(pod) !== undefined && !isSameImageRef(runs, image);
  return isOther ? `runs ${runs}` : undefined;
}

const restartsText = (count: number): string | undefined => (count === 0 ? undefined : counted(count, 'restart'));

function containerNode(pod: Pod, container: Container, status: ContainerStatus | undefined, seen: Seen): TreeNode {
  const { name, image = '' } = container;
  const isRunning = status?.state?.running !== undefined;
  return {
    kind: 'Container',
    name,
    ...containerState(status),
    facts: factsOf([
      ['image', image],
      ['runs', isRunning ? oldImageText(pod, image, status.image) : undefined],
      ['restarts', restartsText(status?.restartCount ?? 0)],
      ['launch', waitsForLaunch(pod, container, status)],
      ['pull', isRunning ? undefined : pullText(pod, image, seen)],
    ]),
    children: [],
  };
}

/** Returns the node of a Pod, with its init containers that have not ended, and its containers. */
export function podNode(pod: Pod, seen: Seen): TreeNode {
  const init = (pod.spec.initContainers ?? [])
    .map((container) => containerNode(pod, container, initContainerStatusOf(pod, container.name), seen))
    .filter(({ health }) => health !== 'Done');
  return {
    kind: 'Pod',
    name: pod.metadata.name,
    ...podState(pod),
    facts: podFacts(pod, seen),
    children: [
      ...init,
      ...pod.spec.containers.map((container) => containerNode(pod, container, containerStatusOf(pod, container.name), seen)),
    ],
  };
}
