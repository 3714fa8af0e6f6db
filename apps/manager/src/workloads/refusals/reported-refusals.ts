/**
 * Which refusal of a guard the status of a workload names: the same one for as long as it lasts, although each pass begins with another object, and also
 * in passes that leave the updates to the next one. So the status is not written repeatedly.
 */
import type { KubeObject, PlannedAction, Refused } from '@kruise/objects';

/** What guards said in a pass. */
export type GuardAnswer<A extends PlannedAction> =
  | { readonly kind: 'Refused'; readonly refused: Refused<A> }
  | { readonly kind: 'Allowed' }
  /** Updates were left to the next pass, which says nothing about the guard. */
  | { readonly kind: 'NotAsked' };

interface Reported<A extends PlannedAction> {
  readonly refused: Refused<A>;
  /** Of the workload: what was refused to an older one need not be planned any more. */
  readonly generation: number | undefined;
}

/** By uid of a workload that exists. */
export class ReportedRefusals<A extends PlannedAction> {
  readonly #reported = new Map<string, Reported<A>>();

  /**
   * @param isRefused whether the guard still refuses the object of an action, as far as it was asked
   * @returns the refusal that the status is to name, if any
   */
  after(
    { metadata: { uid = '', generation } }: KubeObject,
    answer: GuardAnswer<A>,
    isRefused: (action: A) => boolean,
  ): Refused<A> | undefined {
    const held = this.#reported.get(uid);
    const reported = held?.generation === generation ? held?.refused : undefined;
    if (answer.kind === 'NotAsked') return reported;
    if (answer.kind === 'Allowed') {
      this.#reported.delete(uid);
      return undefined;
    }
    const refused = reported !== undefined && isRefused(reported.action) ? reported : answer.refused;
    this.#reported.set(uid, { refused, generation });
    return refused;
  }

  forget(owner: string): void {
    this.#reported.delete(owner);
  }
}
