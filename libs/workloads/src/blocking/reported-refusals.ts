/**
 * Which refusal of a guard the status of a workload names: the same one for as long as it lasts, and also in passes that leave the updates to the next one. So
 * the status is not written repeatedly.
 */
import type { PlannedAction, Refused, StageResult } from '@kruise/objects';

/** By uid of a workload that exists. */
export class ReportedRefusals<A extends PlannedAction> {
  readonly #reported = new Map<string, Refused<A>>();

  /**
   * @param updated what came of the stage of updates; undefined when it was left to the next pass, which says nothing of the guard
   * @param isRefused whether the guard still refuses the object of an action, as far as it was asked
   * @returns the refusal that the status is to name, if any
   */
  after(owner: string, updated: StageResult<A> | undefined, isRefused: (action: A) => boolean): Refused<A> | undefined {
    const reported = this.#reported.get(owner);
    if (updated === undefined) return reported;
    const refused = updated.refused !== undefined && reported !== undefined && isRefused(reported.action) ? reported : updated.refused;
    if (refused === undefined) this.#reported.delete(owner);
    else this.#reported.set(owner, refused);
    return refused;
  }

  forget(owner: string): void {
    this.#reported.delete(owner);
  }
}
