/** Requests as the API server counts them: those of all threads of the manager, and of everybody else. */
import { urlPath, type Client } from '@kruise/kube';
import { parseMetrics, type Metrics } from '../metrics.ts';
import { total } from '../statistics.ts';

const requests = 'apiserver_request_total';

/** The metrics of a busy API server take more than any object. */
const mostBytes = 256 * 1024 * 1024;

const metricsOf = async (client: Client): Promise<Metrics> => parseMetrics(String(await client.raw(urlPath`/metrics`, { mostBytes })));

/** Since the start of the API server, without watches, which may be opened again at any time. @param resources plural names */
export async function requestsAbout(client: Client, resources: readonly string[]): Promise<number> {
  const metrics = await metricsOf(client);
  return total(resources.map((resource) => metrics.sum(requests, { resource }) - metrics.sum(requests, { resource, verb: 'WATCH' })));
}

/** Since the start of the API server. */
export async function writesOf(client: Client, resource: string): Promise<number> {
  const metrics = await metricsOf(client);
  return total(['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE'].map((verb) => metrics.sum(requests, { resource, verb })));
}

/** What the API server has waited for webhooks of this name since its start, in seconds, and how often. @param suffix of the names of a webhook's parts */
export async function webhookCalls(client: Client, suffix: string): Promise<Readonly<Record<'seconds' | 'calls', number>>> {
  const metrics = await metricsOf(client);
  const of = (what: 'sum' | 'count'): number =>
    total(
      [...metrics.by(`apiserver_admission_webhook_admission_duration_seconds_${what}`, 'name')]
        .filter(([name]) => name.endsWith(suffix))
        .map(([, value]) => value),
    );
  return { seconds: of('sum'), calls: of('count') };
}
