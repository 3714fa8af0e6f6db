/**
 * What is known to be deleted, so that events of it that come late do not bring it back.
 *
 * A tombstone is laid under the uid, which no other object ever gets. It stops what is not newer than the deletion; what is newer
 * proves that the object is there after all (it came back into the selection of the store), and lifts the tombstone. A deletion
 * without a known resourceVersion stops everything. One that is only presumed (the server did not find the object) stops what is not newer than the
 * state that was held. Of both the resourceVersion is not known, so a list that was asked for afterwards and has the object lifts them as well.
 *
 * When entries leave: `keepFor` after they were laid, once the watch has passed the deletion; if that never shows, after `keepAtMost`.
 */
import { compareResourceVersions, milliseconds, type Milliseconds } from '@kruise/objects';
import { isNewer } from './resource-version.ts';

interface Tombstone {
  readonly resourceVersion: string;
  readonly laidAt: number;
  /** Tombstones laid before and this one. */
  readonly count: number;
  /** The watch showed the deletion. */
  readonly confirmed: boolean;
  /** Nothing is known of a deletion: the server did not find the object. */
  readonly presumed: boolean;
}

const keepFor = milliseconds(5 * 60_000);
const keepAtMost = milliseconds(60 * 60_000);
const sweepEvery = milliseconds(30_000);

export class Tombstones {
  /** In the order of `laidAt`. */
  readonly #byUid = new Map<string, Tombstone>();
  readonly #now: () => Milliseconds;
  #sweptAt = 0;
  #count = 0;

  /** @param now monotonic time */
  constructor(now: () => Milliseconds) {
    this.#now = now;
  }

  get size(): number {
    return this.#byUid.size;
  }

  /** How many were ever laid: stands for the last one in `lift`. */
  get latest(): number {
    return this.#count;
  }

  /** @param resourceVersion of the deletion, '' when not known; the newest that was ever given counts */
  lay(uid: string, resourceVersion: string, confirmed: boolean): void {
    const before = this.#byUid.get(uid);
    const newest = before !== undefined && isNewer(before.resourceVersion, resourceVersion) ? before.resourceVersion : resourceVersion;
    this.#set(uid, { resourceVersion: newest, confirmed: confirmed || before?.confirmed === true, presumed: false });
  }

  /**
   * The object was not found; what is known of its deletion already counts more.
   *
   * @param resourceVersion of the newest state known
   */
  presume(uid: string, resourceVersion: string): void {
    if (this.#byUid.get(uid)?.presumed !== false) this.#set(uid, { resourceVersion, confirmed: false, presumed: true });
  }

  #set(uid: string, of: Pick<Tombstone, 'resourceVersion' | 'confirmed' | 'presumed'>): void {
    this.#byUid.delete(uid);
    this.#byUid.set(uid, { ...of, laidAt: this.#now(), count: ++this.#count });
  }

  /** Whether a state of the object `uid` is one from before its deletion. */
  stops(uid: string | undefined, resourceVersion: string | undefined): boolean {
    const stopped = this.covers(uid, resourceVersion);
    if (uid !== undefined && !stopped) this.#byUid.delete(uid);
    return stopped;
  }

  /** As `stops`, and lifts nothing. */
  covers(uid: string | undefined, resourceVersion: string | undefined): boolean {
    const tombstone = uid === undefined ? undefined : this.#byUid.get(uid);
    return tombstone !== undefined && !isNewer(resourceVersion, tombstone.resourceVersion);
  }

  /** The object stands in a list that was asked for when `latest` tombstones had been laid. */
  lift(uid: string, latest: number): void {
    const tombstone = this.#byUid.get(uid);
    if (tombstone === undefined || tombstone.confirmed || tombstone.count > latest) return;
    if (tombstone.presumed || tombstone.resourceVersion === '') this.#byUid.delete(uid);
  }

  clear(): void {
    this.#byUid.clear();
  }

  /** @param passed how far the watch has come */
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
