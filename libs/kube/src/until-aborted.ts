/** Rejects with the reason of `signal` when it aborts, at once when it has. */
export const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });

/**
 * Settles as `work` does, unless `signal` aborts before: then it rejects with its reason at once, and what becomes of `work` is of no interest, a
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

/** Resolves when `signal` aborts, at once when it has. */
export const untilAborted = (signal: AbortSignal): Promise<void> => rejection(signal).catch(() => undefined);
