/** Requests as the API server counts them: those of all threads of the manager, and of everybody else. */
import { urlPath, type Client } from '@kruise/kube';
import { parseMetrics, type Metrics } from './metrics.ts';

const requests = 'apiserver_request_total';

/** The metrics of a busy API server take more than any object. */
const mostBytes = 256 * 1024 * 1024;

const metricsOf = async (client: Client): Promise<Metrics> => parseMetrics(String(await client.raw(urlPath`/metrics`, { mostBytes })));

interface Counted {
  /** All but watches, which may be opened again at any time, when absent. */
  readonly verbs?: readonly string[];
  /** Subresources that do not count: what this program asks for itself. */
  readonly without?: readonly string[];
}

/** Since the start of the API server. @param resources plural names */
export async function requestsAbout(client: Client, resources: readonly string[], { verbs, without = [] }: Counted = {}): Promise<number> {
  const metrics = await metricsOf(client);
  const of = (labels: Readonly<Record<string, string>>): number => metrics.sum(requests, labels);
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  return total(
    resources.map((resource) =>
      verbs === undefined
        ? of({ resource }) - of({ resource, verb: 'WATCH' }) - total(without.map((subresource) => of({ resource, subresource })))
        : total(verbs.map((verb) => of({ resource, verb }))),
    ),
  );
}

/** What the API server has waited for webhooks of this name since its start, in seconds, and how often. @param suffix of the names of a webhook's parts */
export async function webhookCalls(client: Client, suffix: string): Promise<{ readonly seconds: number; readonly calls: number }> {
  const metrics = await metricsOf(client);
  const of = (what: 'sum' | 'count'): number =>
    [...metrics.by(`apiserver_admission_webhook_admission_duration_seconds_${what}`, 'name')]
      .filter(([name]) => name.endsWith(suffix))
      .reduce((sum, [, value]) => sum + value, 0);
  return { seconds: of('sum'), calls: of('count') };
}
