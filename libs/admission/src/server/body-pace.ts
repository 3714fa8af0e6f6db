/** How fast the body of a request must arrive, so that half-sent ones hold no memory. */
import { admissionLimits } from '@kruise/objects';

/** Milliseconds between two checks. */
export const paceIntervalMs = 5000;

/**
 * Checks a body every {@link paceIntervalMs}. A process that was busy for long sees one interval without bytes although they wait to be read. Two in
 * a row are caused by the client.
 */
export class BodyPace {
  #before = 0;
  #slow = 0;

  /** Returns whether to abandon the body. @param received bytes so far */
  isTooSlow(received: number): boolean {
    this.#slow = received - this.#before < admissionLimits.bodyPaceBytes.value ? this.#slow + 1 : 0;
    this.#before = received;
    return this.#slow >= 2;
  }
}
