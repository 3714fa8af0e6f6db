/** How often and how long a task tries. Pure. @see spec/daemon.md 5.2 */
import { milliseconds, seconds, type Instant, type Milliseconds } from '@kruise/objects';
import type { ImageTask } from './task/image-task.ts';

type Limits = Pick<ImageTask, 'timeout' | 'tries' | 'deadline'>;

export interface Progress {
  /** Since the first start, see {@link spentBefore} for the time of another process. */
  readonly spent: Milliseconds;
  /** Number of failed attempts. */
  readonly failed: number;
}

export type NextTry =
  | { readonly kind: 'Try'; readonly pause: Milliseconds; readonly timeout: Milliseconds }
  | { readonly kind: 'GiveUp' }
  | { readonly kind: 'DeadlineExceeded'; readonly pause: Milliseconds };

const firstPause = seconds(1);
const longestPause = seconds(30);

export const deadlineMessage = 'pulling exceeds the activeDeadlineSeconds';

/**
 * Returns how much of its deadline a pull had spent before this process continued it; the only time that is computed from the wall clock.
 *
 * @param startedAt by an earlier process; one in the future counts as now
 */
export const spentBefore = (startedAt: Instant | undefined, now: Instant): Milliseconds =>
  milliseconds(startedAt === undefined ? 0 : Math.max(now - startedAt, 0));

/**
 * Returns what follows `failed` failed attempts. A deadline shortens the next attempt, and the pause before it; a deadline that ends within the pause
 * leaves no attempt.
 *
 * @returns `pause` before the next step; `timeout` of the attempt after that
 */
export function planTry({ timeout, tries, deadline }: Limits, { spent, failed }: Progress): NextTry {
  if (failed >= tries) return { kind: 'GiveUp' };
  const pause = failed === 0 ? milliseconds(0) : pauseAfter(failed);
  if (deadline === undefined) return { kind: 'Try', pause, timeout };
  const left = deadline - spent;
  if (left <= pause) return { kind: 'DeadlineExceeded', pause: milliseconds(Math.max(left, 0)) };
  return { kind: 'Try', pause, timeout: milliseconds(Math.min(timeout, left - pause)) };
}

/** Returns 1 s, 2 s, 4 s, … at most 30 s. */
const pauseAfter = (failed: number): Milliseconds => milliseconds(Math.min(firstPause * 2 ** (failed - 1), longestPause));
