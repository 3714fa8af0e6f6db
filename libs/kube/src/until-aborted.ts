/** Rejects with the reason of `signal` when it aborts, at once when it has. */
export const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });

/** Resolves when `signal` aborts, at once when it has. */
export const untilAborted = (signal: AbortSignal): Promise<void> => rejection(signal).catch(() => undefined);
