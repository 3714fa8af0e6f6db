/** Says what a long step waits for while it runs, not only when it has ended. */
import type { Progress } from '@kruise/testing';

const defaultEveryMs = 10_000;

/** Adds a line for every `everyMs` that a step has been running. */
export function waitingProgress(inner: Progress, everyMs = defaultEveryMs): Progress {
  return {
    note: inner.note,
    async step(title, work) {
      const began = performance.now();
      const sayWaiting = (): void => inner.note(`waiting: ${title} (for ${((performance.now() - began) / 1000).toFixed(0)} s so far)`);
      const timer = setInterval(sayWaiting, everyMs);
      try {
        return await inner.step(title, work);
      } finally {
        clearInterval(timer);
      }
    },
  };
}
