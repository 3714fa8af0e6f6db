/** How fast the body of a request has to come, so that half-sent ones hold no memory. */
import { admissionLimits } from '@kruise/objects';

/** Milliseconds from one look to the next. */
export const paceIntervalMs = 5000;

/**
 * A body that is looked at every {@link paceIntervalMs}. A process that was busy for long finds one interval without bytes, though they wait to be
 * read: two in a row are the client's.
 */
export class BodyPace {
  #before = 0;
  #slow = 0;

  /** @param received bytes so far @returns whether the body is to be given up */
  isTooSlow(received: number): boolean {
    this.#slow = received - this.#before < admissionLimits.bodyPaceBytes.value ? this.#slow + 1 : 0;
    this.#before = received;
    return this.#slow >= 2;
  }
}
