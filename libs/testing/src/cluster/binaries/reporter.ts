/** Writes a line of progress now and then, with how much is done and the remaining time at the present pace. */
import { type Progress } from '../progress.ts';

/** Reports how far one piece of long work is. */
export interface Reporter {
  readonly bytes: (received: number, total: number | undefined) => void;
  readonly packages: (done: number, total: number) => void;
}

const intervalMs = 15_000;

/** Formats a duration in ms as people write it: `45 s`, `3 min 20 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/**
 * Returns a reporter that writes at most one line each 15 s.
 *
 * @param title what is being done, e.g. `building kubelet 1.34.4`
 * @param now in milliseconds; only differences count
 */
export function createReporter(progress: Progress, title: string, now: () => number = () => performance.now()): Reporter {
  const began = now();
  let last = began;
  const report = (amount: string, fraction: number | undefined): void => {
    const time = now();
    if (time - last < intervalMs) return;
    last = time;
    const elapsed = time - began;
    const rest = fraction === undefined || fraction === 0 ? '' : `, about ${formatDuration(elapsed / fraction - elapsed)} to go`;
    progress.note(`${title}: ${amount}, ${formatDuration(elapsed)} so far${rest}`);
  };
  return {
    bytes: (received, total) =>
      total === undefined
        ? report(megabytes(received), undefined)
        : report(`${megabytes(received)} of ${megabytes(total)}`, received / total),
    packages: (done, total) => report(`${done} of ${total} packages compiled`, done / total),
  };
}
