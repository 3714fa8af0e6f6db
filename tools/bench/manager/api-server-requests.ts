/** Requests as the API server counts them since its start: those of all threads of the manager, and of everybody else. */
import { urlPath, type Client } from '@kruise/kube';
import { parseMetrics, type LabelMatch, type Metrics } from '@kruise/testing';

/** The metrics of a busy API server take more than any object. */
const mostBytes = 256 * 1024 * 1024;

const metricsOf = async (client: Client): Promise<Metrics> => parseMetrics(String(await client.raw(urlPath`/metrics`, { mostBytes })));

/** Values of the label `verb`: watches may be opened again at any time. */
export const verbs = { allButWatch: /^(?!WATCH$)/, writes: /^(POST|PUT|PATCH|APPLY|DELETE)$/ };

/** @param match by resource (plural names) and verb, for example */
export const requestsOf = async (client: Client, match: LabelMatch): Promise<number> =>
  (await metricsOf(client)).sum('apiserver_request_total', match);

/** What the API server has waited for webhooks whose names match, in seconds, and how often. */
export async function webhookCalls(client: Client, name: RegExp): Promise<Readonly<Record<'seconds' | 'calls', number>>> {
  const metrics = await metricsOf(client);
  const of = (what: 'sum' | 'count'): number => metrics.sum(`apiserver_admission_webhook_admission_duration_seconds_${what}`, { name });
  return { seconds: of('sum'), calls: of('count') };
}
