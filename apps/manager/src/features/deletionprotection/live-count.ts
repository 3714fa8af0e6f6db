/** How many objects of a list count, as far as it takes to know whether there are any. */
import { admissionLimits, type KubeObject } from '@kruise/objects';
import type { LiveReads } from '../../module/handler-dependencies.ts';
import type { LiveListOptions, LiveListType } from '../../module/live-lists.ts';

/** What is listed, and what counts. */
export interface Question<T extends KubeObject> {
  readonly type: LiveListType<T>;
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly counts: (object: T) => boolean;
  /** Of the first page; the next ones are larger. */
  readonly firstPage: number;
}

const largePage = admissionLimits.liveListPage.value;

/**
 * Reads page by page until one holds an object that counts.
 *
 * @returns those that count on that page, and all that the server says are left behind it; 0 when none does
 * @throws ApiError what keeps it from knowing
 */
export async function countLive<T extends KubeObject>(
  { type, namespace, fieldSelector, counts, firstPage }: Question<T>,
  client: Pick<LiveReads, 'list'>,
  signal: AbortSignal,
): Promise<number> {
  let next: string | undefined;
  do {
    let found = 0;
    const count = (object: T): void => void (counts(object) ? found++ : undefined);
    const options: LiveListOptions<T> = {
      signal,
      limit: next === undefined ? firstPage : largePage,
      onItem: count,
      ...(namespace === undefined ? {} : { namespace }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(next === undefined ? {} : { continue: next }),
    };
    const { items, metadata } = await client.list(type, options);
    for (const item of items) count(item);
    if (found > 0) return found + (metadata.remainingItemCount ?? 0);
    next = metadata.continue;
  } while (next !== undefined && next !== '');
  return 0;
}
