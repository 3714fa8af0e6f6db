/**
 * Keeps two writers that disagree about an object from overwriting each other endlessly. Writes that only undo another writer's change are immediate
 * the first times, then delayed increasingly, until a minute without one.
 */
import type { Clock } from '@kruise/kube';
import { canonicalJson } from '@kruise/objects';

const freeRestores = 4;
const firstWaitMs = 500;
const longestWaitMs = 30_000;
const quietMs = 60_000;

interface LastWrite {
  /** The basis of the last write. */
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
   * Returns when the object may be written, in milliseconds since the epoch.
   *
   * @param basis everything that decides what is written; a write with another basis than the last is no restore
   * @param isUrgent it is no restore either
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

  /** Reports that the last requested write was done. */
  written(name: string): void {
    const planned = this.#planned.get(name);
    if (planned !== undefined) this.#written.set(name, { ...planned, atMs: this.#clock.now() });
  }
}
