/** How long the API server waits for an answer: it says so with each call. */
import { parseDuration } from '@kruise/objects';

/** Also the longest that Kubernetes lets a webhook take. */
const defaultMs = 30_000;
/** What is left of the time when the server gives up, for the reason to arrive. */
const mostReserveMs = 500;
const reservedPart = 0.1;

/**
 * @param url as requested: `/mutate-pod?timeout=10s`
 * @returns milliseconds in which a request is answered; a little less than what the caller waits. 30 s when it says nothing that can be read
 */
export function timeLimitOf(url: string): number {
  const text = new URLSearchParams(url.split('?')[1] ?? '').get('timeout') ?? '';
  const given = parseDuration(text) ?? 0;
  const waits = given > 0 ? Math.min(given, defaultMs) : defaultMs;
  return waits - Math.min(mostReserveMs, waits * reservedPart);
}
