/**
 * When the status may be written: at most 0.5 times a second over every minute, at most five times in a row. Changes in between are part of the next
 * write, and the more was written lately, the longer they are collected. For one object: the NodeImage or the NodePodProbe. Pure.
 *
 * @see spec/daemon.md 5.2, spec/podprobemarker.md 5.4
 */
import { agentLimits, milliseconds, type Milliseconds } from '@kruise/objects';

/** Writes that may follow each other immediately. */
const burst = 5;
/** Time between two of them in the long run: 25 and the burst make 30 a minute. */
const intervalMs = agentLimits.statusInterval.value;
const shortestWaitMs = 100;

/** The point of the monotonic clock at which all writes so far are paid for; 0 at the beginning. */
export type Paid = Milliseconds;

const owedAt = (paid: Paid, now: Milliseconds): number => Math.max(paid - now, 0) / intervalMs;

/** Returns the wait before the next write; 0 when it is allowed now. */
export const waitForWrite = (paid: Paid, now: Milliseconds): Milliseconds =>
  milliseconds(Math.max((owedAt(paid, now) - (burst - 1)) * intervalMs, 0));

/** Returns the state after a write at `now`. */
export const payWrite = (paid: Paid, now: Milliseconds): Paid => milliseconds(Math.max(paid, now) + intervalMs);

/** Returns how long news may be collected before they are written. */
export const waitForMore = (paid: Paid, now: Milliseconds): Milliseconds =>
  milliseconds(Math.max(waitForWrite(paid, now), shortestWaitMs * 2 ** Math.min(Math.ceil(owedAt(paid, now)), burst - 1)));
