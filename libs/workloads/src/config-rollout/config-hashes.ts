/**
 * Which hash a workload is planned with: that of its latest revision, until its contents have differed for a while. @see spec/config-rollout.md 4
 *
 *   held --contents differ--> waiting --10 s--> used, for 10 s at least --> held, once the latest revision has it
 *   used --contents are those of the latest revision--> held
 *   waiting --contents are those of the latest revision, or unknown--> interrupted --10 s--> held
 *   interrupted --contents differ--> waiting, for the rest of the 10 s
 *
 * So a workload gets a new hash at most every 10 s, however often its contents change, and several changes within the wait are one. Contents that
 * return repeatedly are rolled out once they have differed for 10 s in total. A change of the template does not wait, and takes the contents with
 * it.
 */
import { instant, milliseconds, workloadLimits, type Instant, type Milliseconds } from '@kruise/objects';

const { value: wait } = workloadLimits.configRolloutWait;

/** What differs from the latest revision, and since when. */
interface Pending {
  /** Later by the time for which the wait was interrupted. */
  readonly since: Instant;
  /** Since when the wait is interrupted: the contents are those of the latest revision, or unknown. */
  readonly interruptedSince?: Instant;
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

const isWithinWait = (since: Instant, now: Instant): boolean => since <= now && now - since < wait;

/** The beginning of the wait, without the time since an interruption. */
function resumed(since: Instant | undefined, interruptedSince: Instant | undefined, now: Instant): Instant {
  if (since === undefined || since > now) return now;
  if (interruptedSince === undefined) return since;
  return isWithinWait(interruptedSince, now) ? instant(since + now - interruptedSince) : now;
}

/** By uid, in memory: a new process waits again. */
export class ConfigHashes {
  readonly #pending = new Map<string, Pending>();

  next({ uid, wanted, held, isFree, now }: HashesSeen): ChosenHash {
    const used = this.#pending.get(uid)?.used;
    // Another used hash is that of a revision which the cache does not show yet.
    if (wanted === held && (used === undefined || used === held)) {
      this.interrupt(uid, now);
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

  /** Called in passes that see the contents of the latest revision, or none. A wait that is interrupted for as long as it takes is over. */
  interrupt(uid: string, now: Instant): void {
    const known = this.#pending.get(uid);
    if (known === undefined) return;
    const { since, used, interruptedSince = now } = known;
    if (used === undefined && isWithinWait(interruptedSince, now)) this.#pending.set(uid, { since, interruptedSince });
    else this.#pending.delete(uid);
  }

  /** Continues an interrupted wait. Restarts the wait after a long interruption, and after the clock jumped back. */
  #pendingOf(uid: string, now: Instant): Pending {
    const { interruptedSince, ...known }: Partial<Pending> = this.#pending.get(uid) ?? {};
    const pending = { ...known, since: resumed(known.since, interruptedSince, now) };
    this.#pending.set(uid, pending);
    return pending;
  }

  /** Called for every workload that is deleted. */
  forget(uid: string): void {
    this.#pending.delete(uid);
  }
}
