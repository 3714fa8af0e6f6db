/**
 * Filling the slots: what is missing is created, what has ended is replaced, what was changed is put right.
 *
 *   finished -> delete · missing -> create (claims, then Pod) · waits for claims -> create them · not available -> wait · else -> put right
 *
 * Without Parallel the first slot that is not as it should be ends the pass. With it a pass creates one burst of Pods; their events bring the next one.
 * @see spec/statefulset.md 5.4
 */
import type { StatefulSet } from '@kruise/api';
import {
  isTerminating,
  memoizedList,
  isPodFinished,
  earliest,
  milliseconds,
  workloadLimits,
  type ControllerRevision,
  type Milliseconds,
  type Pod,
} from '@kruise/objects';
import { isHooked } from '@kruise/pods';
import { planPodDeletion, podUpdater, podViewOf, refusedLast, type Workload } from '@kruise/workloads';
import type { Action } from './snapshot/action.ts';
import { walkSlots, type Arrangement, type FilledSlot, type Slot } from './snapshot/arrangement.ts';
import { claimsOf, isDeletedWithPod, isClaimTerminating, isStale, newClaimOf, type ClaimOfPod } from './claims/claims.ts';
import { hasIdentity, isRecreatedForClaims, missingClaims, planIdentity, planMissingClaims, strayVolumes } from './pods/identity.ts';
import { podMaker, podNameOf } from './pods/new-pod.ts';
import { availableIn, isAvailable, isOf, isViewAvailable } from './pods/pod-facts.ts';
import { fateOf, planPreparedDeletion } from './pods/prepared.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { isMonotonic, scaleLimitOf } from './snapshot/strategy.ts';
import { revisionChooser } from './targets.ts';

export interface SlotsInput {
  readonly seen: Snapshot;
  readonly arrangement: Arrangement;
  /** Pods that the update is to bring to the update revision. */
  readonly targets: Pick<ReadonlySet<Pod>, 'has'>;
  readonly update: ControllerRevision;
  readonly current: ControllerRevision;
  readonly workload: Workload;
  /** Whether updates may continue: not paused, and not `OnDelete`. */
  readonly updates: boolean;
}

export interface SlotsPlan {
  readonly actions: readonly Action[];
  /** Whether the pass ends here: nothing is scaled in or updated. */
  readonly endsPass: boolean;
  /** The first Pod that cannot be created, and why. */
  readonly createFailure?: string;
  /** The first Pod that cannot be put right, and why. */
  readonly updateFailure?: string;
  readonly requeueAfter?: Milliseconds;
  /** Claims that have to vanish before the Pods that need them can be made. */
  readonly waitingForClaims: readonly string[];
  /** Pods that have to vanish before others can be created with their names. */
  readonly waitingForPods: readonly string[];
  /** Whether `scaleStrategy.maxUnavailable` holds slots back. */
  readonly isLimited: boolean;
  /** The unavailable Pod that ends the pass, if it must be updated to a newer revision. */
  readonly outdated?: Pod;
}

/** The deletion of a stale claim may take a while, and the claim of another owner causes no event when it is deleted. */
const staleClaimDelay = milliseconds(1000);

type Step =
  /** Go on with the next slot. */
  | 'Next'
  /** The Pod uses up one of those that may be unavailable. */
  | 'Take'
  /** Without Parallel nothing else happens in this pass; with it, the next slot. */
  | 'Exit';

const namesOf = (claims: readonly ClaimOfPod[]): string => claims.map(({ name }) => name).join(', ');

/** Whether there is nothing to put right in a slot, except that its Pod may not be available: nearly every slot of every pass is such. */
const areRight = memoizedList(
  ({ pod, ordinal, view }: FilledSlot, metadata: StatefulSet['metadata'], spec: StatefulSet['spec']): boolean =>
    view.isActive && pod.status?.phase !== 'Pending' && hasIdentity(pod) && strayVolumes({ metadata, spec }, ordinal, pod).length === 0,
);

/** One walk over the slots. */
class SlotWalk {
  readonly #input: SlotsInput;
  readonly #context: Context;
  readonly #actions: Action[] = [];
  readonly #waits: (Milliseconds | undefined)[] = [];
  readonly #waitingForClaims: string[] = [];
  readonly #waitingForPods: string[] = [];
  readonly #makers = new Map<ControllerRevision, (ordinal: number) => Pod>();
  readonly #choose: ReturnType<typeof revisionChooser>;
  #created = 0;
  #createFailure: string | undefined;
  #updateFailure: string | undefined;
  #outdated: Pod | undefined;

  constructor(input: SlotsInput, context: Context) {
    this.#input = input;
    this.#context = context;
    this.#choose = revisionChooser(this.#set, input.arrangement.filled, input.update.metadata.name, context);
  }

  get #set(): StatefulSet {
    return this.#input.seen.set;
  }

  walk(): SlotsPlan {
    const { ended, missing } = this.#visitAll();
    return {
      actions: this.#actions,
      endsPass: ended === 'Exit',
      ...(this.#createFailure === undefined ? {} : { createFailure: this.#createFailure }),
      ...(this.#updateFailure === undefined ? {} : { updateFailure: this.#updateFailure }),
      ...(this.#outdated === undefined ? {} : { outdated: this.#outdated }),
      ...earliest(this.#waits),
      waitingForClaims: this.#waitingForClaims,
      waitingForPods: this.#waitingForPods,
      isLimited: ended === 'Break' && missing > 0,
    };
  }

  /** @returns how the walk ended, if not behind the last slot, and how many slots without a Pod it did not get to */
  #visitAll(): { readonly ended?: 'Exit' | 'Break'; readonly missing: number } {
    const monotonic = isMonotonic(this.#set);
    const limit = scaleLimitOf(this.#set);
    let { missing } = this.#input.arrangement;
    let taken = 0;
    const limited = limit < Number.POSITIVE_INFINITY;
    for (const slot of this.#inOrder(monotonic, limited)) {
      const step = this.#visit(slot, monotonic, limited);
      if (slot.pod === undefined) missing--;
      if (step === 'Exit' && monotonic) return { ended: 'Exit', missing };
      if (step === 'Take' && ++taken >= limit) return { ended: 'Break', missing };
    }
    return { missing };
  }

  /** Omits slots that need nothing. With Parallel Pods that have ended are replaced first, whatever the limit, and Pods whose creation was refused come last. */
  *#inOrder(monotonic: boolean, limited: boolean): Iterable<Slot> {
    const { arrangement } = this.#input;
    const { refused } = this.#context;
    const isEnough = (): boolean => this.#created >= workloadLimits.actionsOfPass.value;
    if (!monotonic) for (const { pod, view } of arrangement.filled) if (!view.isActive && isPodFinished(pod)) this.#replace(pod);
    const subjectOf = ({ ordinal }: Slot): string => podNameOf(this.#set, ordinal);
    const later: Slot[] = [];
    const right = areRight(this.#set.metadata, arrangement.filled, this.#set.metadata, this.#set.spec);
    const isLeftOut = ({ view }: FilledSlot, index: number): boolean =>
      right[index] === true && (!(monotonic || limited) || isViewAvailable(this.#set, view, this.#context.now));
    for (const slot of walkSlots(arrangement, isEnough, isLeftOut)) {
      if (!monotonic && refused.size > 0 && refused.has(subjectOf(slot))) later.push(slot);
      else yield slot;
    }
    for (const slot of refusedLast(later, subjectOf, refused)) if (slot.pod !== undefined || !isEnough()) yield slot;
  }

  #visit(slot: Slot, monotonic: boolean, limited: boolean): Step {
    const { pod, ordinal } = slot;
    const claims = claimsOf(this.#set, ordinal, this.#input.seen.claims);
    if (pod === undefined) return this.#create(slot, claims, monotonic);
    if (monotonic && isPodFinished(pod)) this.#replace(pod);
    if (isPodFinished(pod) || isTerminating(pod)) return monotonic ? 'Exit' : 'Take';
    if (pod.status?.phase === 'Pending') this.#completeClaims(pod, claims);
    if ((monotonic || limited) && !isAvailable(this.#set, pod, this.#context.now)) return this.#await(pod, monotonic);
    this.#putRight(pod, ordinal);
    return 'Next';
  }

  /** A finished Pod serves no client, so a limit on scaling does not keep it. */
  #replace(pod: Pod): void {
    if (!isTerminating(pod)) this.#delete(pod, `it has ${pod.status?.phase === 'Failed' ? 'failed' : 'ended'}`);
  }

  #await(pod: Pod, monotonic: boolean): Step {
    this.#waits.push(availableIn(this.#set, pod, this.#context.now));
    if (!monotonic) return 'Take';
    this.#goOnWithPrepared(pod);
    return 'Exit';
  }

  #create(slot: Slot, claims: readonly ClaimOfPod[], monotonic: boolean): Step {
    const { seen, update, current } = this.#input;
    const { gates, now } = this.#context;
    const name = podNameOf(this.#set, slot.ordinal);
    const holder = seen.podNamed.get(name);
    if (holder !== undefined) return this.#awaitName(holder);
    const stale = isDeletedWithPod(this.#set, gates)
      ? claims.filter(({ claim }) => claim !== undefined && isStale(claim, name, undefined))
      : [];
    if (stale.length > 0) return this.#awaitClaims(stale);
    const going = claims.filter(({ claim }) => isClaimTerminating(claim));
    const revision = this.#choose(slot) === 'Update' ? update : current;
    if (going.length > 0) {
      this.#createFailure ??= `claims of Pod ${name} are being deleted: ${namesOf(going)}`;
      return this.#awaitClaims(going);
    }
    const make = this.#makers.get(revision) ?? podMaker({ set: seen.set, revision, gates, now });
    this.#makers.set(revision, make);
    const missing = missingClaims(claims).map((one) => newClaimOf(one, seen.set, gates));
    const because = `ordinal ${slot.ordinal} has no Pod; a new one gets revision ${revision.metadata.name}`;
    this.#actions.push({ kind: 'CreatePod', pod: make(slot.ordinal), claims: missing, because });
    this.#created++;
    return monotonic ? 'Exit' : 'Take';
  }

  /** An event enqueues the set when the Pod is deleted or changes its owner. */
  #awaitName(holder: Pod): Step {
    const { name } = holder.metadata;
    if (isTerminating(holder)) this.#waitingForPods.push(name);
    else this.#createFailure ??= `Pod ${name} exists already and does not belong to the StatefulSet`;
    return 'Exit';
  }

  #awaitClaims(claims: readonly ClaimOfPod[]): Step {
    this.#waitingForClaims.push(...claims.map(({ name }) => name));
    this.#waits.push(staleClaimDelay);
    return 'Exit';
  }

  /** A Pod that waits for a claim which a client is deleting gets another claim after the deletion. */
  #completeClaims(pod: Pod, claims: readonly ClaimOfPod[]): void {
    const going = claims.filter(({ claim }) => isClaimTerminating(claim));
    if (going.length > 0) {
      this.#updateFailure ??= `claims of Pod ${pod.metadata.name} are being deleted: ${namesOf(going)}`;
      this.#awaitClaims(going);
    }
    this.#actions.push(...planMissingClaims(this.#set, pod, claims, this.#context));
  }

  #delete(pod: Pod, because: string): void {
    const { workload } = this.#input;
    this.#actions.push(
      ...planPodDeletion(pod, because, workload, (target, why): Action => ({ kind: 'DeletePod', pod: target, because: why })),
    );
  }

  /** A Pod whose hook let go is done with before anything else: nothing would ever make it available. @see spec/statefulset.md 8 */
  #goOnWithPrepared(pod: Pod): void {
    const { workload, targets, updates } = this.#input;
    const { state } = podViewOf(pod);
    const isOld = targets.has(pod) && !isOf(pod, workload.updateRevision);
    if (isOld && updates) this.#outdated = pod;
    if (state === 'PreparingDelete' && fateOf(pod, { set: this.#set, targets, workload, gates: this.#context.gates }) === 'Go')
      this.#actions.push(...planPreparedDeletion(pod, workload));
    if (state === 'PreparingUpdate' && updates && isOld && !isHooked(workload.lifecycle?.inPlaceUpdate, pod)) this.#update(pod);
  }

  #update(pod: Pod): void {
    const { workload, update } = this.#input;
    const next = podUpdater({ revision: update, limit: 1, because: 'its inPlaceUpdate hook has released it' }, workload)(pod);
    if (next.kind === 'InPlace') this.#actions.push(...next.actions);
    else if (next.kind === 'Recreate') this.#delete(pod, next.because);
    else this.#updateFailure ??= next.why;
  }

  #putRight(pod: Pod, ordinal: number): void {
    this.#actions.push(...planIdentity(pod, ordinal, this.#context));
    const { targets, updates } = this.#input;
    const isReplacedSoon = updates && isRecreatedForClaims(this.#set, ordinal, pod, this.#context) && targets.has(pod);
    const stray = isReplacedSoon ? [] : strayVolumes(this.#set, ordinal, pod);
    if (stray.length > 0)
      this.#updateFailure ??= `Pod ${pod.metadata.name} does not mount the claims of the templates ${stray.join(', ')}, and volumes of a Pod cannot be changed: delete it to have it recreated`;
  }
}

export const planSlots = (input: SlotsInput, context: Context): SlotsPlan => new SlotWalk(input, context).walk();
