/**
 * Runs `task` for every item in order, at most `limit` at a time.
 *
 * @param task should not reject: a rejection rejects the whole call while other tasks are still running. To stop early, it returns immediately.
 */
export async function inParallel<T>(items: readonly T[], limit: number, task: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await task(items[next++] as T);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
