/** Paces writes that any client may cause: the first few are immediate, then they are spaced, however many are requested. Pure. */

const spacingMs = 500;
/** This many writes may be immediate after a pause. */
const burst = 5;

/**
 * Returns when the next write is allowed, in milliseconds since the epoch.
 *
 * @param doneAtMs when all writes so far would be done if they had been spaced; 0 before the first
 */
export const nextWriteAtMs = (doneAtMs: number): number => doneAtMs - (burst - 1) * spacingMs;

/** Returns `doneAtMs` after a write. */
export const afterWrite = (doneAtMs: number, nowMs: number): number => Math.max(doneAtMs, nowMs) + spacingMs;
