/**
 * Remembers deletions, so that late events do not bring the objects back.
 *
 * A tombstone is laid under the uid, which no other object ever has. It blocks what is not newer than the deletion. A newer state proves that the
 * object exists (it returned to the selection of the store), and lifts the tombstone. A deletion without a known resourceVersion blocks everything. A
 * presumed deletion (the server did not find the object) blocks what is not newer than the state that was held. The resourceVersion of both is
 * unknown, so a list that was requested afterwards and contains the object lifts them as well.
 *
 * Entries are removed `keepFor` after they were laid, once the watch has passed the deletion; if that never shows, after `keepAtMost`.
 */
import { compareResourceVersions, milliseconds, type Milliseconds } from '@kruise/objects';
import { isNewer } from './resource-version.ts';

interface Tombstone {
  readonly resourceVersion: string;
  readonly laidAt: number;
  /** Number of tombstones laid up to and including this one. */
  readonly count: number;
  /** Whether the watch showed the deletion. */
  readonly confirmed: boolean;
  /** Whether no deletion was seen: the server did not find the object. */
  readonly presumed: boolean;
}

const keepFor = milliseconds(5 * 60_000);
const keepAtMost = milliseconds(60 * 60_000);
const sweepEvery = milliseconds(30_000);

export class Tombstones {
  /** Ordered by `laidAt`. */
  readonly #byUid = new Map<string, Tombstone>();
  readonly #now: () => Milliseconds;
  #sweptAt = 0;
  #count = 0;

  /** Creates an empty set. @param now monotonic time */
  constructor(now: () => Milliseconds) {
    this.#now = now;
  }

  get size(): number {
    return this.#byUid.size;
  }

  /** Number of tombstones ever laid; identifies the last one in `lift`. */
  get latest(): number {
    return this.#count;
  }

  /**
   * Lays a tombstone.
   *
   * @param resourceVersion of the deletion, '' when unknown; the newest one that was given counts
   */
  lay(uid: string, resourceVersion: string, confirmed: boolean): void {
    const before = this.#byUid.get(uid);
    const newest = before !== undefined && isNewer(before.resourceVersion, resourceVersion) ? before.resourceVersion : resourceVersion;
    this.#set(uid, { resourceVersion: newest, confirmed: confirmed || before?.confirmed === true, presumed: false });
  }

  /**
   * Lays a tombstone for an object that was not found. A known deletion of it counts more.
   *
   * @param resourceVersion of the newest known state
   */
  presume(uid: string, resourceVersion: string): void {
    if (this.#byUid.get(uid)?.presumed !== false) this.#set(uid, { resourceVersion, confirmed: false, presumed: true });
  }

  #set(uid: string, of: Pick<Tombstone, 'resourceVersion' | 'confirmed' | 'presumed'>): void {
    this.#byUid.delete(uid);
    this.#byUid.set(uid, { ...of, laidAt: this.#now(), count: ++this.#count });
  }

  /** Returns whether a state of the object `uid` is from before its deletion. A newer state lifts the tombstone. */
  stops(uid: string | undefined, resourceVersion: string | undefined): boolean {
    const stopped = this.covers(uid, resourceVersion);
    if (uid !== undefined && !stopped) this.#byUid.delete(uid);
    return stopped;
  }

  /** Returns the same as `stops`, and lifts nothing. */
  covers(uid: string | undefined, resourceVersion: string | undefined): boolean {
    const tombstone = uid === undefined ? undefined : this.#byUid.get(uid);
    return tombstone !== undefined && !isNewer(resourceVersion, tombstone.resourceVersion);
  }

  /** Lifts the tombstone of an object that is in a list which was requested when `latest` tombstones had been laid. */
  lift(uid: string, latest: number): void {
    const tombstone = this.#byUid.get(uid);
    if (tombstone === undefined || tombstone.confirmed || tombstone.count > latest) return;
    if (tombstone.presumed || tombstone.resourceVersion === '') this.#byUid.delete(uid);
  }

  clear(): void {
    this.#byUid.clear();
  }

  /** Removes old entries. @param passed how far the watch is */
  sweep(passed: string | undefined): void {
    const now = this.#now();
    if (now - this.#sweptAt < sweepEvery) return;
    this.#sweptAt = now;
    for (const [uid, tombstone] of this.#byUid) {
      const age = now - tombstone.laidAt;
      if (age < keepFor) return;
      const isPassed = tombstone.confirmed || (compareResourceVersions(tombstone.resourceVersion, passed) ?? 1) <= 0;
      if (isPassed || age >= keepAtMost) this.#byUid.delete(uid);
    }
  }
}
