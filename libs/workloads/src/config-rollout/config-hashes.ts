/**
 * Which hash a workload is planned with: that of its latest revision, until its contents have differed for a while. @see spec/config-rollout.md 4
 *
 *   held --contents differ--> waiting --10 s--> used, for 10 s at least --> held, once the latest revision has it
 *   waiting, used --contents are again those of the latest revision--> held
 *
 * So a workload gets a new hash at most every 10 s, however often its contents change, and several changes within the wait are one. A change of the
 * template does not wait, and takes the contents with it.
 */
import { milliseconds, workloadLimits, type Instant, type Milliseconds } from '@kruise/objects';

const { value: wait } = workloadLimits.configRolloutWait;

/** What differs from the latest revision, and since when. */
interface Pending {
  readonly since: Instant;
  /** The hash that is planned with since then, until the latest revision has it; absent while the difference waits. */
  readonly used?: string;
}

/** The input of a pass. */
export interface HashesSeen {
  readonly uid: string;
  /** Of the contents as they are. */
  readonly wanted: string;
  /** Of the latest revision; undefined when it has none. */
  readonly held: string | undefined;
  /** Whether there will be a revision in any case: the workload has none yet, or its template has changed. */
  readonly isFree: boolean;
  readonly now: Instant;
}

/** The hash to plan with; undefined: a template without one. */
export interface ChosenHash {
  readonly hash: string | undefined;
  /** When it may change without another event. */
  readonly requeueAfter?: Milliseconds;
}

/** By uid, in memory: a new process waits again. */
export class ConfigHashes {
  readonly #pending = new Map<string, Pending>();

  next({ uid, wanted, held, isFree, now }: HashesSeen): ChosenHash {
    const used = this.#pending.get(uid)?.used;
    // Another used hash is that of a revision which the cache does not show yet.
    if (wanted === held && (used === undefined || used === held)) {
      this.#pending.delete(uid);
      return { hash: wanted };
    }
    if (isFree && (used === undefined || used === held)) return this.#use(uid, wanted, now);
    const pending = this.#pendingOf(uid, now);
    const left = pending.since + wait - now;
    return left > 0 ? { hash: pending.used ?? held, requeueAfter: milliseconds(left) } : this.#use(uid, wanted, now);
  }

  #use(uid: string, hash: string, now: Instant): ChosenHash {
    this.#pending.set(uid, { since: now, used: hash });
    return { hash, requeueAfter: milliseconds(wait) };
  }

  /** Restarts the wait after clocks were set back. */
  #pendingOf(uid: string, now: Instant): Pending {
    const known = this.#pending.get(uid);
    if (known !== undefined && known.since <= now) return known;
    const pending = { ...known, since: now };
    this.#pending.set(uid, pending);
    return pending;
  }

  /** Called for every workload that is deleted, and when its contents cannot be read. */
  forget(uid: string): void {
    this.#pending.delete(uid);
  }
}
