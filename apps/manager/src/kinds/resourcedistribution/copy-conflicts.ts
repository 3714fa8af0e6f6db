/**
 * Copies that another client changes or deletes again after every repair: a webhook that adds a field, a controller that removes one. Neither
 * side would ever stop, so this side waits longer each time, and reports it.
 *
 *   calm --more than `free` writes of one copy, each within a minute of the one before--> conflict: waits 1, 2, 4, … s, at most 5 min, after each write
 *   conflict --its wait passes and the copy is in line, or the distribution changes--> calm
 *
 * A change of the distribution by a user is applied immediately: its new generation begins without a wait.
 */
import type { Clock } from '@kruise/kube';
import { seconds, type KubeObject, type Milliseconds } from '@kruise/objects';

const free = 10;
const calmAfter = seconds(60);
const firstWait = seconds(1);
const longestWait = seconds(300);

/** Writes of one copy that follow each other. */
interface Streak {
  readonly writes: number;
  /** On the clock's monotonic scale. */
  readonly last: number;
}

interface Held {
  readonly generation: number;
  readonly streaks: Map<string, Streak>;
}

/** Of which state of which distribution. */
export interface Side {
  readonly uid: string;
  readonly generation: number;
}

export const sideOf = ({ metadata: { uid = '', generation = 0 } }: KubeObject): Side => ({ uid, generation });

const waitOf = ({ writes }: Streak): number => (writes <= free ? 0 : Math.min(firstWait * 2 ** (writes - free - 1), longestWait));

export class CopyConflicts {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By uid of the distribution; an entry leaves with that, a streak with the first pass in which it is over. */
  readonly #held = new Map<string, Held>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** A copy was made or changed. */
  wrote(side: Side, namespace: string): void {
    const { streaks } = this.#of(side);
    const now = this.#clock.monotonic();
    streaks.set(namespace, { writes: (streaks.get(namespace)?.writes ?? 0) + 1, last: now });
  }

  /** What is waited for, by namespace. */
  pauses(side: Side): ReadonlyMap<string, Milliseconds> {
    const { streaks } = this.#of(side);
    const now = this.#clock.monotonic();
    const pauses = new Map<string, Milliseconds>();
    for (const [namespace, streak] of streaks) {
      const left = streak.last + waitOf(streak) - now;
      if (left > 0) pauses.set(namespace, left as Milliseconds);
      else if (now - streak.last >= Math.max(calmAfter, 2 * waitOf(streak))) streaks.delete(namespace);
    }
    return pauses;
  }

  forget(uid: string): void {
    this.#held.delete(uid);
  }

  #of({ uid, generation }: Side): Held {
    const held = this.#held.get(uid);
    if (held?.generation === generation) return held;
    const begun: Held = { generation, streaks: new Map() };
    this.#held.set(uid, begun);
    return begun;
  }
}
