/**
 * Keeps two writers that disagree about an object from overwriting each other endlessly. Writes that only undo another writer's change are immediate
 * the first times, then delayed increasingly, until a minute without one. Pure.
 */
import { canonicalJson } from '@kruise/objects';

const freeRestores = 4;
const firstWaitMs = 500;
const longestWaitMs = 30_000;
const quietMs = 60_000;

/** A write of an object. */
export interface BrakedWrite {
  /** Canonical JSON of everything that decides what is written. */
  readonly basis: string;
  readonly atMs: number;
  /** Restores in a row. */
  readonly restores: number;
}

export interface BrakedPlan {
  /** When the object may be written, in milliseconds since the epoch. */
  readonly allowedAtMs: number;
  /** To remember when it was written; `atMs` is the time of the plan. */
  readonly write: BrakedWrite;
}

/**
 * Returns when an object may be written.
 *
 * @param last the last write of the object
 * @param basis everything that decides what is written; a write with another basis than the last is no restore
 * @param isUrgent it is no restore either
 */
export function brakeWrite(
  last: BrakedWrite | undefined,
  { basis, isUrgent }: { readonly basis: unknown; readonly isUrgent: boolean },
  nowMs: number,
): BrakedPlan {
  const text = canonicalJson(basis);
  const isRestore = last !== undefined && last.basis === text && !isUrgent && nowMs - last.atMs < quietMs;
  const restores = isRestore ? last.restores + 1 : 0;
  const write: BrakedWrite = { basis: text, atMs: nowMs, restores };
  if (last === undefined || restores <= freeRestores) return { allowedAtMs: nowMs, write };
  return { allowedAtMs: last.atMs + Math.min(firstWaitMs * 2 ** (restores - freeRestores - 1), longestWaitMs), write };
}
