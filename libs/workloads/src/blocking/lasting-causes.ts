/**
 * Which cause the condition `Blocked` names. A budget that has nothing left for a moment, or a Pod on its way up, is what a rollout looks like: such a cause is
 * named once it has lasted, and stays until it has been absent as long. So the condition is not set, removed and set again.
 */
import { milliseconds, type Instant, type KubeObject, type Milliseconds } from '@kruise/objects';
import { heldCauseOf } from '../progress/blocked-condition.ts';
import { type BlockingCause, type BlockingReason } from '../progress/blocking-cause.ts';

/** Milliseconds that a cause has to last, or to be absent. */
const patience = 2000;

/** Causes that are a normal moment of a rollout. */
const momentary: ReadonlySet<string> = new Set<BlockingReason>([
  'BudgetRefuses',
  'ImageCannotBePulled',
  'ContainerCannotStart',
  'ContainerCrashes',
  'Unschedulable',
  'ResizePending',
  'WaitingForHook',
  'WaitingForNames',
  'ScaleLimited',
]);

/** What the condition is not yet: named for another reason, or for none. */
interface Pending {
  readonly reason: BlockingReason | undefined;
  readonly since: Instant;
}

/** The cause that the condition will name, and when time alone may change it. */
export interface LastingCause {
  readonly cause?: BlockingCause;
  readonly requeueAfter?: Milliseconds;
}

/** By uid, in memory: a new process waits again. */
export class LastingCauses {
  readonly #pending = new Map<string, Pending>();

  /**
   * @param found what blocks in this pass
   * @param isSettled whether nothing is left to do: then no cause stays
   */
  after(
    object: KubeObject & Parameters<typeof heldCauseOf>[0],
    found: BlockingCause | undefined,
    { isSettled, now }: { readonly isSettled: boolean; readonly now: Instant },
  ): LastingCause {
    const { uid = '' } = object.metadata;
    const held = heldCauseOf(object);
    const isUnchanged = found === undefined ? held === undefined || isSettled || !momentary.has(held.reason) : held !== undefined;
    if (isUnchanged || (found !== undefined && !momentary.has(found.reason))) return this.#take(uid, found);
    const pending = this.#pendingFor(uid, found?.reason, now);
    const wait = pending.since + patience - now;
    // Kept until the condition says it: a write that is refused does not begin the wait again.
    if (wait <= 0) return found === undefined ? {} : { cause: found };
    return { ...(held === undefined ? {} : { cause: held }), requeueAfter: milliseconds(wait) };
  }

  #take(uid: string, cause: BlockingCause | undefined): LastingCause {
    this.#pending.delete(uid);
    return cause === undefined ? {} : { cause };
  }

  /** Restarts the wait after clocks were set back. */
  #pendingFor(uid: string, reason: BlockingReason | undefined, now: Instant): Pending {
    const known = this.#pending.get(uid);
    if (known !== undefined && known.reason === reason && known.since <= now) return known;
    const pending = { reason, since: now };
    this.#pending.set(uid, pending);
    return pending;
  }

  forget(uid: string): void {
    this.#pending.delete(uid);
  }
}
