/**
 * Keeps two that disagree about an object from writing it in turns without end: writes that only undo what somebody else wrote come at once the
 * first times, then ever more slowly, until it has been quiet for a minute.
 */
import type { Clock } from '@kruise/kube';
import { canonicalJson } from '@kruise/objects';

const freeRestores = 4;
const firstWaitMs = 500;
const longestWaitMs = 30_000;
const quietMs = 60_000;

interface LastWrite {
  /** What the last write went by. */
  readonly basis: string;
  readonly atMs: number;
  /** Restores in a row. */
  readonly restores: number;
}

export class RestoreBrake {
  readonly #clock: Clock;
  /** By object; there are two. */
  readonly #written = new Map<string, LastWrite>();
  readonly #planned = new Map<string, LastWrite>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param basis all that decides what is written; a write by another basis than the last is no restore
   * @param isUrgent it is no restore either
   * @returns when it may be written, in milliseconds since the epoch
   */
  allowedAtMs(name: string, basis: unknown, isUrgent: boolean): number {
    const now = this.#clock.now();
    const text = canonicalJson(basis);
    const last = this.#written.get(name);
    const isRestore = last !== undefined && last.basis === text && !isUrgent && now - last.atMs < quietMs;
    const restores = isRestore ? last.restores + 1 : 0;
    this.#planned.set(name, { basis: text, atMs: now, restores });
    if (last === undefined || restores <= freeRestores) return now;
    return last.atMs + Math.min(firstWaitMs * 2 ** (restores - freeRestores - 1), longestWaitMs);
  }

  /** The write that was asked for last has been done. */
  written(name: string): void {
    const planned = this.#planned.get(name);
    if (planned !== undefined) this.#written.set(name, { ...planned, atMs: this.#clock.now() });
  }
}
