import { milliseconds, type Milliseconds } from '@kruise/objects';

/** A look sooner than this counts as "at once". */
const soon = 100;
/** So many in a row are work in steps; what comes back more often than that turns in place. */
const freeLooks = 10;
const firstWait = 10;
const longestWait = 30_000;

/**
 * When a key may come back that asked for it.
 *
 * @param looks how often in a row it asked to be looked at again at once, this time included, while nothing changed
 * @returns what it asked for, or a wait that doubles each time from the eleventh on, up to 30 s
 */
export const planPace = (looks: number, asked: Milliseconds): Milliseconds =>
  looks <= freeLooks
    ? asked
    : milliseconds(Math.max(asked > 0 ? asked : 0, Math.min(firstWait * 2 ** (looks - freeLooks - 1), longestWait)));

/**
 * Keeps a reconcile from turning in place: a key that comes back at once again and again, with no change in any watched cache in between
 * (what the controller's own writes return is in the caches, too), waits longer each time. A change lets it start afresh. An entry leaves
 * when its key changes, settles, is given up, or asks for a longer wait by itself.
 */
export class SpinGuard {
  readonly #looks = new Map<string, number>();

  /** Something that the key is about has changed, or it does not ask to be looked at at once any more. */
  clear(key: string): void {
    this.#looks.delete(key);
  }

  /** Counts one more request of `key`. @returns when it may come back, and whether that is later than it asked for */
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
