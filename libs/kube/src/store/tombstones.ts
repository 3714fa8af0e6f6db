/**
 * What is known to be deleted, so that events of it that come late do not bring it back.
 *
 * A tombstone is laid under the uid, which no other object ever gets. It stops what is not newer than the deletion; what is newer
 * proves that the object is there after all (it came back into the selection of the store), and lifts the tombstone. A deletion
 * without a known resourceVersion stops everything.
 *
 * When entries leave: `keepFor` after they were laid, once the watch has passed the deletion; if that never shows, after `keepAtMost`.
 */
import { compareResourceVersions, milliseconds, type Milliseconds } from '@kruise/objects';
import { isNewer } from './resource-version.ts';

interface Tombstone {
  readonly resourceVersion: string;
  readonly laidAt: number;
  /** The watch showed the deletion. */
  readonly confirmed: boolean;
}

const keepFor = milliseconds(5 * 60_000);
const keepAtMost = milliseconds(60 * 60_000);
const sweepEvery = milliseconds(30_000);

export class Tombstones {
  /** In the order of `laidAt`. */
  readonly #byUid = new Map<string, Tombstone>();
  readonly #now: () => Milliseconds;
  #sweptAt = 0;

  /** @param now monotonic time */
  constructor(now: () => Milliseconds) {
    this.#now = now;
  }

  get size(): number {
    return this.#byUid.size;
  }

  /** @param resourceVersion of the deletion, '' when not known; the newest that was ever given counts */
  lay(uid: string, resourceVersion: string, confirmed: boolean): void {
    const before = this.#byUid.get(uid);
    this.#byUid.delete(uid);
    const newest = before !== undefined && isNewer(before.resourceVersion, resourceVersion) ? before.resourceVersion : resourceVersion;
    this.#byUid.set(uid, { resourceVersion: newest, laidAt: this.#now(), confirmed: confirmed || before?.confirmed === true });
  }

  /** Whether a state of the object `uid` is one from before its deletion. */
  stops(uid: string | undefined, resourceVersion: string | undefined): boolean {
    if (uid === undefined) return false;
    const tombstone = this.#byUid.get(uid);
    if (tombstone === undefined) return false;
    if (!isNewer(resourceVersion, tombstone.resourceVersion)) return true;
    this.#byUid.delete(uid);
    return false;
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
