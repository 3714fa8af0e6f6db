/**
 * What Pods need in every pass before any other decision about them: the next step of a running update, of the lifecycle, and a label.
 * @see spec/inplace-update.md 8
 * @see spec/cloneset.md 5.7
 */
import { annotations, labels } from '@kruise/api';
import { earliest, memoizedWith, type Milliseconds, type Pod } from '@kruise/objects';
import {
  planLifecycleRefresh,
  planRefresh,
  shortHash,
  updateCompletion,
  updateStateOf,
  type LifecycleTransition,
  type RevisionAdapter,
} from '@kruise/pods';
import type { UpkeepAction } from '../pods/pod-action.ts';
import { podViewOf, podViewsOf, type PodView } from '../pods/pod-view.ts';
import { unfinishedResize } from './unfinished-resize.ts';
import { isOf, type Workload } from '../workload.ts';

/** The actions that Pods need besides an update, and the Pods that must not be updated meanwhile. */
export interface Upkeep {
  /** By kind, because actions of one kind run together. A Pod's update precedes its lifecycle, and that its labels. */
  readonly actions: readonly UpkeepAction[];
  /** Why the first of the Pods that cannot be handled cannot, and what the user can do. */
  readonly failure?: string;
  readonly requeueAfter?: Milliseconds;
  /** Pods that are not in the state that their lifecycle requires, and those that cannot be handled. None of their updates begins in this pass. */
  readonly busy: ReadonlySet<Pod>;
  /** Of those, the Pods that cannot be handled. */
  readonly broken: ReadonlySet<Pod>;
}

interface Refreshed {
  readonly actions: readonly UpkeepAction[];
  readonly failure?: string;
  readonly requeueAfter?: Milliseconds;
}

/** Returns what the user can do: only a user can repair a Pod whose annotations cannot be read. */
const nextStep = (pod: Pod): string =>
  `; delete Pod ${pod.metadata.name}, or remove its annotations ${annotations.inPlaceUpdateState} and ${annotations.inPlaceUpdateGrace}`;

/** Returns the next step of the running in-place update of one Pod. */
function refreshPod(pod: Pod, workload: Workload): Refreshed {
  const step = planRefresh(pod, workload);
  switch (step.kind) {
    case 'Nothing':
    case 'Pending':
      return { actions: [] };
    case 'Wait':
      return { actions: [], requeueAfter: step.remaining };
    case 'Broken':
      return { actions: [], failure: `Pod ${pod.metadata.name}: ${step.why}${nextStep(pod)}` };
    case 'SetReady':
      return { actions: [{ kind: 'RefreshPod', pod, step, because: 'the in-place update is complete, or there was none' }] };
    default:
      return { actions: [{ kind: 'RefreshPod', pod, step, because: step.because }] };
  }
}

/** Returns the lifecycle step that a Pod takes by itself. */
const moveOf = (pod: Pod, workload: Workload): LifecycleTransition | undefined =>
  planLifecycleRefresh(pod, {
    lifecycle: workload.lifecycle,
    now: workload.now,
    // A Pod that is prepared for a resize to its own revision has not completed it.
    isOfUpdateRevision: isOf(workload, pod, workload.updateRevision) && unfinishedResize(pod, workload, () => true) === undefined,
    isUpdateComplete: () => updateCompletion(pod, workload.resources !== 'Ignored').kind === 'Complete',
    waitForNode: workload.waitsForNode,
  });

/**
 * Returns whether a Pod becomes Normal once it has a node: before that it cannot become ready, so its first condition is written with that step, in
 * one write.
 */
const comesWithNode = (pod: Pod, { lifecycle, waitsForNode }: Workload): boolean =>
  waitsForNode &&
  (pod.spec.nodeName ?? '') === '' &&
  podViewOf(pod).state === 'PreparingNormal' &&
  lifecycle?.preNormal === undefined &&
  updateStateOf(pod).kind === 'Absent';

interface PodUpkeep extends Refreshed {
  readonly isMoving: boolean;
}

const moveActions = (pod: Pod, transition: LifecycleTransition | undefined): readonly UpkeepAction[] =>
  transition === undefined ? [] : [{ kind: 'SetLifecycle', pod, transition, because: transition.because }];

/** Adds the short hash, which Pods of older managers lack. */
function labelPod(pod: Pod, { adapter }: Workload): readonly UpkeepAction[] {
  const { lacksTemplateHash, revisionLabel } = podViewOf(pod);
  if (!adapter.podTemplateHash || !lacksTemplateHash) return [];
  return [{ kind: 'LabelPod', pod, labels: { [labels.podTemplateHash]: shortHash(revisionLabel) }, because: 'the Pod lacks the label' }];
}

const nothing: PodUpkeep = { actions: [], isMoving: false };

/** What decides the upkeep of a Pod that waits for no time. */
type IdleWith = Pick<Workload, 'lifecycle' | 'updateRevision' | 'resources' | 'waitsForNode'> & {
  readonly equality: RevisionAdapter['equality'];
};

/** Returns {@link nothing} for a Pod that needs nothing, which is remembered: no time changes it. A wait for a time is not "nothing". */
const examined = memoizedWith<Pod, Workload, IdleWith, PodUpkeep>(
  (pod, workload) => {
    const upkeep = stepsOf(pod, labelPod(pod, workload), workload);
    const needsNothing =
      upkeep.actions.length === 0 && upkeep.failure === undefined && upkeep.requeueAfter === undefined && !upkeep.isMoving;
    return needsNothing ? nothing : upkeep;
  },
  {
    inputsOf: ({ lifecycle, updateRevision, resources, waitsForNode, adapter: { equality } }) => ({
      lifecycle,
      updateRevision,
      resources,
      waitsForNode,
      equality,
    }),
    hasInputs: ({ lifecycle, updateRevision, resources, waitsForNode, adapter }, inputs) =>
      inputs.lifecycle === lifecycle &&
      inputs.updateRevision === updateRevision &&
      inputs.resources === resources &&
      inputs.waitsForNode === waitsForNode &&
      inputs.equality === adapter.equality,
    // What holds a prepared Pod may be amounts of a revision that the history loses: see `unfinishedResize`.
    isKept: (upkeep, pod, { resources }) =>
      upkeep === nothing && !(resources === 'BySubresource' && podViewOf(pod).state === 'PreparingUpdate'),
  },
);

const lacksLabel = ({ lacksTemplateHash }: PodView, { adapter }: Workload): boolean => lacksTemplateHash && adapter.podTemplateHash;

function upkeepOf(pod: Pod, workload: Workload): PodUpkeep {
  const view = podViewOf(pod);
  if (!view.isSettled) return examined(pod, workload);
  return lacksLabel(view, workload) ? { actions: labelPod(pod, workload), isMoving: true } : nothing;
}

/** Returns the active Pods that may need upkeep, in their order: in nearly every pass, few. */
function mayNeedUpkeep(pods: readonly Pod[], workload: Workload): readonly Pod[] {
  const views = podViewsOf(workload.metadata, pods);
  const found: Pod[] = [];
  // A loop: it looks at every Pod in every pass.
  for (let index = 0; index < pods.length; index++) {
    const view = views[index]!;
    if (view.isActive && (!view.isSettled || lacksLabel(view, workload))) found.push(pods[index]!);
  }
  return found;
}

function stepsOf(pod: Pod, labelled: readonly UpkeepAction[], workload: Workload): PodUpkeep {
  const refreshed = refreshPod(pod, workload);
  const move = moveOf(pod, workload);
  const step = refreshed.actions[0];
  // Removing a key that belongs to none of its state delays no other Pod.
  const isMoving = move?.patch !== undefined || labelled.length > 0;
  if (step?.kind !== 'RefreshPod' || step.step.kind !== 'SetReady')
    return { ...refreshed, actions: [...refreshed.actions, ...moveActions(pod, move), ...labelled], isMoving };
  if (move?.patch !== undefined && move.readiness === undefined) {
    const together: UpkeepAction = { ...step, alongside: move.patch.metadata, because: `the Pod becomes ${move.to}: ${move.because}` };
    return { actions: [together, ...labelled], isMoving };
  }
  return { actions: [...(comesWithNode(pod, workload) ? [] : [step]), ...moveActions(pod, move), ...labelled], isMoving };
}

const inOrder = (actions: readonly UpkeepAction[]): readonly UpkeepAction[] =>
  (['RefreshPod', 'SetLifecycle', 'LabelPod'] as const).flatMap((kind) => actions.filter((action) => action.kind === kind));

/** Plans the upkeep of the active Pods. @param pods claimed, by name: the first failure is reported */
export function planUpkeep(pods: readonly Pod[], workload: Workload): Upkeep {
  const upkeep: PodUpkeep[] = [];
  const busy = new Set<Pod>();
  const broken = new Set<Pod>();
  for (const pod of mayNeedUpkeep(pods, workload)) {
    const one = upkeepOf(pod, workload);
    if (one === nothing) continue;
    upkeep.push(one);
    if (one.isMoving || one.failure !== undefined) busy.add(pod);
    if (one.failure !== undefined) broken.add(pod);
  }
  const failure = upkeep.find((one) => one.failure !== undefined)?.failure;
  return {
    actions: inOrder(upkeep.flatMap(({ actions }) => actions)),
    ...(failure === undefined ? {} : { failure }),
    ...earliest(upkeep.map((one) => one.requeueAfter)),
    busy,
    broken,
  };
}
