/**
 * Bringing Pods to the update revision, those that are marked for deletion first.
 *
 *   marked -> delete · claims to grow -> resize, next · in place where possible · else delete: the next pass recreates it
 *
 * An update of a Pod that is already unavailable is free. A Pod that costs more than the budget has left is skipped, unless Pods are ordered: then it
 * ends the walk.
 * @see spec/statefulset.md 5.5
 */
import { earliest, memoizedList, seconds, type ControllerRevision, type Milliseconds, type Pod } from '@kruise/objects';
import { hasUnreadableUpdate, updateCompletion } from '@kruise/pods';
import { planPodDeletion, podUpdater, refusedLast, type PodUpdate, type Workload } from '@kruise/workloads';
import type { Action } from './snapshot/action.ts';
import type { Arrangement, FilledSlot } from './snapshot/arrangement.ts';
import { areClaimsMatched, isWaitingForSize, planClaimResize } from './claims/claim-resize.ts';
import { isRecreatedForClaims } from './pods/identity.ts';
import { isViewAvailable, isViewHealthy } from './pods/pod-facts.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { isMonotonic, maxUnavailableOf } from './snapshot/strategy.ts';

export interface UpdateInput {
  readonly seen: Snapshot;
  readonly arrangement: Arrangement;
  /** In the order of their update. */
  readonly targets: readonly FilledSlot[];
  /** Pods whose lifecycle state changes in this pass: what comes next is decided once that is seen. They hold no other up. */
  readonly moving: ReadonlySet<Pod>;
  /** Pods whose annotations cannot be read: they are not updated, and hold no other up. */
  readonly broken: ReadonlySet<Pod>;
  readonly update: ControllerRevision;
  readonly workload: Workload;
}

export interface UpdatePlan {
  readonly actions: readonly Action[];
  /** Why the first Pod that cannot be updated cannot. Where Pods are ordered it ends the walk. */
  readonly failure?: string;
  /** The first claim that no resize brings to its template, for an event. */
  readonly unresizable?: { readonly claim: string; readonly why: string };
  readonly requeueAfter?: Milliseconds;
}

/** Its slot is filled again without the update. */
const isLeaving = ({ view }: FilledSlot): boolean => !view.isActive;

const isUpdated = ({ view }: FilledSlot, { update }: UpdateInput): boolean => view.revisionLabel === update.metadata.name;

const isDone = (slot: FilledSlot, input: UpdateInput, context: Context): boolean =>
  isUpdated(slot, input) &&
  areClaimsMatched(input.seen, slot.ordinal, context) &&
  !isRecreatedForClaims(input.seen.set, slot.ordinal, slot.pod, context);

/** Whether an update in place has begun and is not complete. */
const areUnderWay = memoizedList(
  ({ pod }: FilledSlot, tellsResizes: boolean): boolean =>
    !hasUnreadableUpdate(pod) && updateCompletion(pod, tellsResizes).kind !== 'Complete',
);

/** Pods that are not available, and places without one: what an update may add to is limited. */
class Unavailable {
  readonly #pods: Set<Pod>;
  readonly #missing: number;
  readonly limit: number;

  constructor({ seen, arrangement, workload }: UpdateInput, context: Context) {
    const { set } = seen;
    const underWay = areUnderWay(set.metadata, arrangement.filled, workload.resources !== 'Ignored');
    const isCounted = ({ view, ordinal }: FilledSlot, index: number): boolean =>
      !isViewHealthy(view) ||
      underWay[index] === true ||
      !isViewAvailable(set, view, context.now) ||
      isWaitingForSize(seen, ordinal, context);
    this.#pods = new Set(arrangement.filled.filter(isCounted).map(({ pod }) => pod));
    this.#missing = arrangement.missing;
    this.limit = maxUnavailableOf(seen.set);
  }

  get count(): number {
    return this.#pods.size + this.#missing;
  }

  /** Whether the Pod may be taken out of service. */
  allows(pod: Pod): boolean {
    return this.#pods.has(pod) || this.count < this.limit;
  }

  add(pod: Pod): void {
    this.#pods.add(pod);
  }
}

/** One walk over the Pods that are to go or to be updated. */
class UpdateWalk {
  readonly #input: UpdateInput;
  readonly #context: Context;
  readonly #unavailable: Unavailable;
  readonly #updateFor: (pod: Pod) => PodUpdate;
  readonly #actions: Action[] = [];
  readonly #handled = new Set<Pod>();
  #failure: string | undefined;
  #unresizable: UpdatePlan['unresizable'];
  /** Whether an ordered walk met a Pod that there is no room for, or that cannot be updated. */
  #isOver = false;

  constructor(input: UpdateInput, context: Context) {
    this.#input = input;
    this.#context = context;
    this.#unavailable = new Unavailable(input, context);
    const { limit } = this.#unavailable;
    const because = `${input.targets.length} Pods must be updated to ${input.update.metadata.name}, ${limit} may be unavailable`;
    this.#updateFor = podUpdater({ revision: input.update, limit, because }, input.workload);
  }

  walk(): UpdatePlan {
    const marked = this.#input.arrangement.filled.filter(({ view }) => view.isMarkedForDeletion);
    for (const slot of marked.toReversed()) this.#deleteIfMarked(slot);
    for (const slot of this.#inOrder()) if (!isDone(slot, this.#input, this.#context)) this.#bring(slot);
    const { graceSeconds } = this.#input.workload;
    const isWaiting = graceSeconds > 0 && this.#actions.some(({ kind }) => kind === 'UpdatePodInPlace');
    return {
      actions: this.#actions,
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
      ...(this.#unresizable === undefined ? {} : { unresizable: this.#unresizable }),
      ...earliest([isWaiting ? seconds(graceSeconds) : undefined]),
    };
  }

  #inOrder(): readonly FilledSlot[] {
    const { seen, targets } = this.#input;
    return isMonotonic(seen.set) ? targets : refusedLast(targets, ({ pod }) => pod.metadata.name, this.#context.refused);
  }

  #deleteIfMarked(slot: FilledSlot): void {
    const { pod, view } = slot;
    if (view.state === 'PreparingDelete' || isLeaving(slot) || this.#input.moving.has(pod)) return;
    if (!this.#unavailable.allows(pod)) return;
    this.#delete(pod, `it is marked for deletion, ${this.#unavailable.count} of ${this.#unavailable.limit} may be unavailable`);
    this.#handled.add(pod);
  }

  /**
   * Behind a Pod that there is no room for, or that cannot be updated, nothing is begun where Pods are ordered. Else those go on that are not available:
   * one in PreparingUpdate would wait indefinitely behind one that waits for it. Pods in PreparingDelete are out of service, and not the update's any more.
   */
  #bring(slot: FilledSlot): void {
    const { pod, view } = slot;
    if (this.#isOver || view.state === 'PreparingDelete' || this.#isHeldBack(pod)) return;
    if (!this.#unavailable.allows(pod)) {
      this.#isOver = isMonotonic(this.#input.seen.set);
      return;
    }
    if (this.#resizeClaims(slot)) return;
    const isLeft = this.#handled.has(pod) || isLeaving(slot);
    if (isLeft || this.#update(slot)) this.#unavailable.add(pod);
  }

  /** One Pod that cannot be updated says nothing about the others. */
  #fail(why: string): void {
    this.#failure ??= why;
    this.#isOver = isMonotonic(this.#input.seen.set);
  }

  #isHeldBack(pod: Pod): boolean {
    return this.#input.moving.has(pod) || this.#input.broken.has(pod);
  }

  /** @returns whether the Pod's turn is over for this pass */
  #resizeClaims({ pod, ordinal }: FilledSlot): boolean {
    const { seen } = this.#input;
    const resize = planClaimResize(seen, ordinal, this.#context);
    if (resize.kind === 'Done') return false;
    if (resize.kind === 'Impossible') {
      if (this.#failure === undefined) this.#unresizable = resize;
      this.#fail(resize.why);
      return true;
    }
    if (resize.kind === 'Resize') this.#actions.push(...resize.actions);
    this.#unavailable.add(pod);
    return true;
  }

  /**
   * A Pod that has the revision is a target only for its claims, and is recreated only if it does not mount them.
   *
   * @returns false for a Pod that cannot be updated
   */
  #update(slot: FilledSlot): boolean {
    const { pod, ordinal } = slot;
    const isRecreated = isRecreatedForClaims(this.#input.seen.set, ordinal, pod, this.#context);
    if (isRecreated) this.#delete(pod, 'it does not mount its claims');
    if (isRecreated || isUpdated(slot, this.#input)) return true;
    const update = this.#updateFor(pod);
    if (update.kind === 'Impossible') this.#fail(update.why);
    else if (update.kind === 'Recreate') this.#delete(pod, update.because);
    else this.#actions.push(...update.actions);
    return update.kind !== 'Impossible';
  }

  #delete(pod: Pod, because: string): void {
    const { workload } = this.#input;
    this.#actions.push(
      ...planPodDeletion(pod, because, workload, (target, why): Action => ({ kind: 'DeletePod', pod: target, because: why })),
    );
    this.#unavailable.add(pod);
  }
}

/** Finds out which Pods are unavailable only before it takes a Pod out of service, so that a pass without work is cheap. */
export function planUpdate(input: UpdateInput, context: Context): UpdatePlan {
  const { arrangement, targets } = input;
  const hasMarked = arrangement.filled.some(({ view }) => view.isMarkedForDeletion);
  return !hasMarked && targets.every((slot) => isDone(slot, input, context)) ? { actions: [] } : new UpdateWalk(input, context).walk();
}
