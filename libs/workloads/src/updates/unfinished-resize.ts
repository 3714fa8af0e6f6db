/**
 * Detects what a resize left behind whose update did not continue: a Pod that is still of its earlier revision, with cpu or memory of another one.
 *
 * An update that changes amounts writes twice: the resize, and then the Pod with its new labels. When the second write is refused, or the process
 * dies between the two, the labels do not show that the amounts have changed. Nothing else would revert them after a rollback.
 * @see spec/inplace-update.md 5.1
 */
import {
  canonicalQuantity,
  equalQuantities,
  type Container,
  type ControllerRevision,
  type Pod,
  type ResourceRequirements,
  memoizedPair,
} from '@kruise/objects';
import {
  graceSpecOf,
  hasNextBatch,
  planLifecycleForUpdate,
  restartsForResize,
  revisionId,
  revisionOfPod,
  templateOf,
  updateStateOf,
  type UpdateSpec,
} from '@kruise/pods';
import type { UpdateAction } from '../pods/pod-action.ts';
import { isAvailable, podViewOf } from '../pods/pod-view.ts';
import type { Workload } from '../workload.ts';

const lists = ['limits', 'requests'] as const;
type ByContainer = ReadonlyMap<string, ResourceRequirements>;

/** One amount that differs between two revisions of a container. */
interface Difference {
  readonly list: (typeof lists)[number];
  readonly name: string;
  /** The amount of the Pod's revision. */
  readonly wanted: string;
  /** The amount of the other one. */
  readonly other: string;
}

function amounts(revision: ControllerRevision): ByContainer {
  const containers: readonly Container[] = templateOf(revision)?.spec?.containers ?? [];
  return new Map(containers.map(({ name, resources = {} }) => [name, resources]));
}

/** Returns the differences of cpu and memory that both revisions name; only those can be changed in place. */
function differences(own: ResourceRequirements, other: ResourceRequirements): readonly Difference[] {
  return lists.flatMap((list) =>
    ['cpu', 'memory'].flatMap((name): readonly Difference[] => {
      const [wanted, found] = [canonicalQuantity(own[list]?.[name]), canonicalQuantity(other[list]?.[name])];
      return wanted === undefined || found === undefined || wanted === found ? [] : [{ list, name, wanted, other: found }];
    }),
  );
}

/** Differences by container; the same object for equal revisions, so that a pass over many Pods parses nothing. */
const differencesBetween = memoizedPair(
  (own: ControllerRevision, other: ControllerRevision): ReadonlyMap<string, readonly Difference[]> => {
    const others = amounts(other);
    const all = [...amounts(own)].map(([name, resources]) => [name, differences(resources, others.get(name) ?? {})] as const);
    return new Map(all.filter(([, some]) => some.length > 0));
  },
);

/** Returns the differences of a container when it has all the amounts of the other revision; empty when it has not, or there are none. */
function takenFrom({ name, resources }: Container, own: ControllerRevision, other: ControllerRevision): readonly Difference[] {
  const found = differencesBetween(own, other).get(name) ?? [];
  return found.every((one) => equalQuantities(resources?.[one.list]?.[one.name], one.other)) ? found : [];
}

const wantedOf = (found: readonly Difference[]): ResourceRequirements =>
  Object.fromEntries(
    lists.flatMap((list) => {
      const own = found.filter((one) => one.list === list).map(({ name, wanted }) => [name, wanted]);
      return own.length === 0 ? [] : [[list, Object.fromEntries(own)]];
    }),
  );

/** Returns whether an update is running: its containers have amounts of the previous revision until their batch is applied. */
function isUnderWay(pod: Pod): boolean {
  const state = updateStateOf(pod);
  return graceSpecOf(pod).kind !== 'Absent' || state.kind === 'Malformed' || (state.kind === 'Parsed' && hasNextBatch(state.value));
}

/** Returns whether resizes of this workload can be unfinished: elsewhere the labels change with the amounts. */
const mayLeaveResizes = ({ resources, revisions }: Workload): boolean => resources === 'BySubresource' && revisions.length > 1;

/** The amounts to revert by container, and their revision. */
type TakenBack = Required<Pick<UpdateSpec, 'revision' | 'containerResources'>>;

/**
 * Returns the amounts of the Pod's own revision for containers that have the amounts of another revision in the history. Amounts of no revision, such
 * as those of a vertical autoscaler, are kept.
 *
 * @param isKept whether the Pod stays at its revision; otherwise the amounts of the update revision will follow
 * @returns undefined when there is nothing to revert
 */
export function unfinishedResize(pod: Pod, workload: Workload, isKept: (pod: Pod) => boolean): TakenBack | undefined {
  if (!mayLeaveResizes(workload)) return undefined;
  const { adapter, revisions, updateRevision } = workload;
  const own = revisionOfPod(adapter, pod, revisions);
  if (own === undefined) return undefined;
  const { containers } = pod.spec;
  const hasAmountsOf = (other: ControllerRevision): boolean => containers.some((one) => takenFrom(one, own, other).length > 0);
  const others = revisions.filter((revision) => revision !== own && hasAmountsOf(revision));
  if (others.length === 0 || isUnderWay(pod)) return undefined;
  const isOnItsWay = others.some((revision) => revisionId(adapter, revision) === updateRevision);
  if (isOnItsWay && !isKept(pod)) return undefined;
  const found = containers.flatMap((one): readonly [string, ResourceRequirements][] => {
    // eslint-disable-next-line kruise/cross-product -- revisions of the workload, each as large as its containers
    const left = others.map((other) => takenFrom(one, own, other)).find((some) => some.length > 0);
    return left === undefined ? [] : [[one.name, wantedOf(left)]];
  });
  return { revision: revisionId(adapter, own), containerResources: Object.fromEntries(found) };
}

/** The writes that return containers to the resources of their revision. */
export interface ResizeUndo {
  readonly actions: readonly UpdateAction[];
  /** Actions that were refused before: for a pass that begins no update. */
  readonly later: readonly UpdateAction[];
  /** Whether one of them takes an available Pod out of service: no update begins in the same pass. */
  readonly interrupts: boolean;
}

interface UndoLimits {
  /** Returns whether a Pod of another revision than the update revision stays at it. Called only for Pods with amounts that are not their own. */
  readonly isKept: (pod: Pod) => boolean;
  readonly isRefused: (pod: Pod) => boolean;
  /** Returns how many more Pods may become unavailable. Called only when a container would be restarted. */
  readonly spare: () => number;
}

const because = 'its CPU and memory belong to an update that was not completed';

/** Returns the resize itself when no container is restarted for it, otherwise an in-place update to the Pod's own revision. */
function undo(pod: Pod, taken: TakenBack, workload: Workload): readonly UpdateAction[] {
  const { revision, containerResources: resources } = taken;
  if (!restartsForResize(pod, taken)) return [{ kind: 'ResizePod', pod, revision, resources, because }];
  const admission = planLifecycleForUpdate(pod, workload.lifecycle, workload.now);
  if (admission.kind === 'Update') return [{ kind: 'UpdatePodInPlace', pod, spec: taken, because }];
  return admission.kind === 'Prepare' ? [{ kind: 'SetLifecycle', pod, transition: admission.transition, because }] : [];
}

/**
 * Reverts the amounts of Pods to those of their revision after a resize whose update did not continue.
 *
 * @param pods active and claimed
 */
export function planResizeUndo(pods: readonly Pod[], workload: Workload, { isKept, isRefused, spare }: UndoLimits): ResizeUndo {
  if (!mayLeaveResizes(workload)) return { actions: [], later: [], interrupts: false };
  const actions: UpdateAction[] = [];
  const later: UpdateAction[] = [];
  let left: number | undefined;
  let interrupts = false;
  for (const pod of pods) {
    const taken = podViewOf(pod).state === 'PreparingDelete' ? undefined : unfinishedResize(pod, workload, isKept);
    if (taken === undefined) continue;
    if (restartsForResize(pod, taken) && isAvailable(pod, workload)) {
      left ??= spare();
      if (left-- <= 0) continue;
      interrupts ||= !isRefused(pod);
    }
    (isRefused(pod) ? later : actions).push(...undo(pod, taken, workload));
  }
  return { actions, later, interrupts };
}
