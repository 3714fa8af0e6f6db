/**
 * For which objects of an owner the API server refused the last write, so that the next pass tries them after the others.
 *
 * In memory only: a new process tries in the usual order and finds out again. An entry leaves with its object, and all of them with the owner.
 */
import { isFailure, isRefusal } from '@kruise/kube';
import { messageOf, milliseconds, type Milliseconds } from '@kruise/objects';
import { noneRefused, refusalReason, type RefusedBefore } from '@kruise/workloads';

/**
 * The longest wait until something that was refused is tried again: one failure after the other, each for a good reason, would make the backoff of the
 * owner so long that a Pod stays as it is for a quarter of an hour after the refusal has ended.
 */
export const triedAgainWithin = milliseconds(60_000);

/** How soon the other objects are tried after a refusal that says nothing about them. */
const othersTriedWithin = milliseconds(1000);

/**
 * Whether a write was refused for a reason that concerns its object alone: a policy may refuse one Pod of many, whereas a quota, a webhook that fails
 * or a server that is busy would refuse the others as well.
 */
const concernsOneObject = (error: unknown): boolean => isRefusal(error) && refusalReason(messageOf(error)) !== 'QuotaExceeded';

/** What failed in a pass. */
interface Failures<A> {
  readonly failures: readonly { readonly action: A; readonly error: Error }[];
}

/**
 * How soon the next pass must come after some writes failed: soon when an object was refused for the first time and for a reason that concerns it alone,
 * because the other objects come before it then.
 *
 * @param refusedBefore as it was at the beginning of the pass
 */
export function retriedWithin<A>(
  stages: ReadonlyMap<string, Failures<A>>,
  subjectOf: (action: A) => string | undefined,
  refusedBefore: RefusedBefore,
): Milliseconds {
  const failures = [...stages.values()].flatMap((stage) => stage.failures);
  const isNew = failures.some(({ action, error }) => {
    const subject = subjectOf(action);
    return subject !== undefined && !refusedBefore.has(subject) && concernsOneObject(error);
  });
  return isNew ? othersTriedWithin : triedAgainWithin;
}

/** Says nothing of the object: somebody else wrote first, it is gone, or its name is taken. */
const isNoRefusal = (error: unknown): boolean => isFailure(error, 'Conflict', 'NotFound', 'Gone', 'AlreadyExists', 'Aborted');

export class RefusedObjects {
  readonly #byOwner = new Map<string, Map<string, number>>();
  #count = 0;

  /**
   * What was refused so far.
   *
   * @param owner its uid
   * @param subjects those that are still there: the others are forgotten; called only when something was refused. Without it nothing is forgotten
   */
  of(owner: string, subjects?: () => ReadonlySet<string>): RefusedBefore {
    const refused = this.#byOwner.get(owner);
    if (refused === undefined) return noneRefused;
    const known = subjects?.() ?? refused;
    for (const subject of refused.keys()) if (!known.has(subject)) refused.delete(subject);
    if (refused.size === 0) this.#byOwner.delete(owner);
    return new Map(refused);
  }

  isRefused(owner: string, subject: string | undefined): boolean {
    return subject !== undefined && this.#byOwner.get(owner)?.has(subject) === true;
  }

  /** Runs a write, and notes how it ended for all of its subjects. @throws what the write throws */
  async attempt<R>(owner: string, subjects: readonly string[], write: () => Promise<R>): Promise<R> {
    try {
      const result = await write();
      for (const subject of subjects) this.#byOwner.get(owner)?.delete(subject);
      return result;
    } catch (error) {
      if (!isNoRefusal(error)) for (const subject of subjects) this.note(owner, subject);
      throw error;
    }
  }

  /** @param subject nothing is noted without one */
  note(owner: string, subject: string | undefined): void {
    if (subject === undefined) return;
    const refused = this.#byOwner.get(owner) ?? new Map<string, number>();
    this.#byOwner.set(owner, refused.set(subject, ++this.#count));
  }

  forget(owner: string): void {
    this.#byOwner.delete(owner);
  }
}
