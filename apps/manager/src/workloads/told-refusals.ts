/**
 * Which refusal of a guard the status of a workload names. A budget that has nothing left for a moment is what a rollout looks like: it is named once it has
 * lasted, the same one for as long as it lasts, and also in passes that leave the updates to the next one. So the status is not written again and again.
 */
import type { PlannedAction, Refused, StageResult } from '@kruise/kube';
import type { Instant } from '@kruise/objects';

/** Milliseconds that a guard has to refuse for until the status says so. */
const patience = 2000;

interface Told<A extends PlannedAction> {
  readonly refused: Refused<A>;
  readonly since: Instant;
}

/** By uid of a workload that exists. */
export class ToldRefusals<A extends PlannedAction> {
  readonly #told = new Map<string, Told<A>>();

  /**
   * @param updated what came of the stage of updates; undefined when it was left to the next pass, which says nothing of the guard
   * @param isRefused whether the guard still refuses the object of an action, as far as it was asked
   * @returns the refusal that the status is to name, if any
   */
  after(
    owner: string,
    updated: StageResult<A> | undefined,
    { isRefused, now }: { readonly isRefused: (action: A) => boolean; readonly now: Instant },
  ): Refused<A> | undefined {
    const told = this.#told.get(owner);
    if (updated !== undefined) {
      const refused =
        updated.refused !== undefined && told !== undefined && isRefused(told.refused.action) ? told.refused : updated.refused;
      if (refused === undefined) this.#told.delete(owner);
      else this.#told.set(owner, { refused, since: told?.since ?? now });
    }
    const next = this.#told.get(owner);
    return next !== undefined && now - next.since >= patience ? next.refused : undefined;
  }

  forget(owner: string): void {
    this.#told.delete(owner);
  }
}
