import { milliseconds, type Milliseconds } from '@kruise/objects';

/** A requeue after less than this counts as immediate. */
const soon = 100;
/** This many in a row are work in steps. A key that returns more often is spinning. */
const freeLooks = 10;
const firstWait = 10;
const longestWait = 30_000;

/**
 * Returns when a key may be processed again.
 *
 * @param looks how often in a row it asked to be requeued immediately, this time included, while nothing changed
 * @returns the requested wait, or one that doubles each time from the eleventh on, up to 30 s
 */
export const planPace = (looks: number, asked: Milliseconds): Milliseconds =>
  looks <= freeLooks
    ? asked
    : milliseconds(Math.max(asked > 0 ? asked : 0, Math.min(firstWait * 2 ** (looks - freeLooks - 1), longestWait)));

/**
 * Keeps a reconcile from spinning: a key that is requeued repeatedly and immediately, with no change in any watched cache in between (the results of
 * the controller's own writes are in the caches, too), waits longer each time. A change resets the wait. An entry is removed when its key changes,
 * settles, is given up, or requests a longer wait by itself.
 */
export class SpinGuard {
  readonly #looks = new Map<string, number>();

  /** Resets a key: an object of the key has changed, or it no longer asks to be requeued immediately. */
  clear(key: string): void {
    this.#looks.delete(key);
  }

  /** Counts one more request of `key`. @returns when it may be processed again, and whether that is later than it requested */
  pace(key: string, asked: Milliseconds): { readonly after: Milliseconds; readonly heldBack: boolean; readonly looks: number } {
    if (asked >= soon) {
      this.clear(key);
      return { after: asked, heldBack: false, looks: 0 };
    }
    const looks = (this.#looks.get(key) ?? 0) + 1;
    this.#looks.set(key, looks);
    return { after: planPace(looks, asked), heldBack: looks > freeLooks, looks };
  }
}
