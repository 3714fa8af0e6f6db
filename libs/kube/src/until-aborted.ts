/** Returns a promise that rejects with the reason of `signal` when it aborts, immediately when it has aborted. */
export const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });

/**
 * Settles as `work` does, unless `signal` aborts before. It then rejects immediately with the signal's reason and ignores the result of `work`, a
 * rejection included.
 */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Resolves when `signal` aborts, immediately when it has aborted. */
export const untilAborted = (signal: AbortSignal): Promise<void> => rejection(signal).catch(() => undefined);
