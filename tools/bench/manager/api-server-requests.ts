/** Requests as the API server counts them: those of all threads of the manager, and of everybody else. */
import { urlPath } from '@kruise/kube';
import type { Client } from '@kruise/kube';
import { parseMetrics } from './metrics.ts';

const requests = 'apiserver_request_total';

/** The metrics of a busy API server take more than any object. */
const mostBytes = 256 * 1024 * 1024;

/**
 * Since the start of the API server; watches do not count, because they may be opened again at any time.
 *
 * @param resources plural names
 * @param without subresources that do not count: what this program asks for itself
 */
export async function requestsAbout(client: Client, resources: readonly string[], without: readonly string[] = []): Promise<number> {
  const metrics = parseMetrics(String(await client.raw(urlPath`/metrics`, { mostBytes })));
  const of = (resource: string): number =>
    metrics.sum(requests, { resource }) -
    metrics.sum(requests, { resource, verb: 'WATCH' }) -
    without.reduce((sum, subresource) => sum + metrics.sum(requests, { resource, subresource }), 0);
  return resources.reduce((sum, resource) => sum + of(resource), 0);
}

/** Since the start of the API server, by everybody. @param resource plural name */
export async function writesAbout(client: Client, resource: string): Promise<number> {
  const metrics = parseMetrics(String(await client.raw(urlPath`/metrics`, { mostBytes })));
  return ['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE'].reduce((sum, verb) => sum + metrics.sum(requests, { resource, verb }), 0);
}

/** What the API server has waited for webhooks of this name since its start, in seconds, and how often. @param suffix of the names of a webhook's parts */
export async function webhookCalls(client: Client, suffix: string): Promise<{ readonly seconds: number; readonly calls: number }> {
  const metrics = parseMetrics(String(await client.raw(urlPath`/metrics`)));
  const of = (what: 'sum' | 'count'): number =>
    [...metrics.by(`apiserver_admission_webhook_admission_duration_seconds_${what}`, 'name')]
      .filter(([name]) => name.endsWith(suffix))
      .reduce((sum, [, value]) => sum + value, 0);
  return { seconds: of('sum'), calls: of('count') };
}
