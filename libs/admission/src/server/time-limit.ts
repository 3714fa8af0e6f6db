/** How long the API server waits for an answer, which it states with each call. */
import { parseDuration } from '@kruise/objects';

/** Also the longest timeout that Kubernetes allows for a webhook. */
const defaultMs = 30_000;
/** What remains of the time when the server gives up, so that the reason can arrive. */
const mostReserveMs = 500;
const reservedPart = 0.1;

/**
 * Returns the milliseconds in which a request is answered, a little less than what the caller waits. 30 s when the URL contains no readable timeout.
 *
 * @param url as requested: `/mutate-pod?timeout=10s`
 */
export function timeLimitOf(url: string): number {
  const text = new URLSearchParams(url.split('?')[1] ?? '').get('timeout') ?? '';
  const given = parseDuration(text) ?? 0;
  const waits = given > 0 ? Math.min(given, defaultMs) : defaultMs;
  return waits - Math.min(mostReserveMs, waits * reservedPart);
}
