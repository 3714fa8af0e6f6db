/** The metrics registry and the server of `/metrics`: Prometheus text, gzip on request. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createBoundedServer } from '../bounded-server.ts';
import { urlOf } from '../request-url.ts';
import { SharedCollection } from './shared-collection.ts';

/** Returns the text of metrics from elsewhere (a worker thread), in the same exposition format and with names of their own. */
export type MetricsSource = () => Promise<string>;

const lagMetrics = ['seconds', 'min_seconds', 'max_seconds', 'mean_seconds', 'stddev_seconds', 'p50_seconds', 'p90_seconds', 'p99_seconds'];

/** Rare enough to cost nothing. The monitor itself cannot be omitted. */
const unmeasuredPrecisionMs = 60_000;

/**
 * Returns a registry with the process and runtime metrics in it.
 *
 * @param measuresEventLoop whether the lag of the event loop is measured, 100 times a second; it costs about half a percent of a core, so a node
 * agent does not measure it
 */
export function createRegistry({ measuresEventLoop = true }: { readonly measuresEventLoop?: boolean } = {}): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, ...(measuresEventLoop ? {} : { eventLoopMonitoringPrecision: unmeasuredPrecisionMs }) });
  if (!measuresEventLoop) for (const name of lagMetrics) registry.removeSingleMetric(`nodejs_eventloop_lag_${name}`);
  return registry;
}

const textOf = (parts: readonly string[]): string =>
  `${parts
    .map((part) => part.trimEnd())
    .filter((part) => part !== '')
    .join('\n')}\n`;

/** Answers a request for the metrics. Rejects when they cannot be collected. */
export type MetricsAnswer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Returns an answer for servers that also serve other paths. */
export function metricsAnswer(registry: Registry, sources: readonly MetricsSource[] = []): MetricsAnswer {
  const collection = new SharedCollection(async () =>
    textOf(await Promise.all([registry.metrics(), ...sources.map((source) => source())])),
  );
  return async (request, response) => {
    const collected = await collection.collect();
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) {
      response.writeHead(200, { 'content-type': registry.contentType }).end(collected.plain);
      return;
    }
    const body = await collected.compressed();
    response.writeHead(200, { 'content-type': registry.contentType, 'content-encoding': 'gzip' }).end(body);
  };
}

/** Returns the metrics server, not yet listening. */
export function createMetricsServer(registry: Registry, sources: readonly MetricsSource[] = []): Server {
  const answer = metricsAnswer(registry, sources);
  return createBoundedServer((request, response) => {
    if (urlOf(request).pathname !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
      return;
    }
    answer(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end('metrics could not be collected\n');
    });
  });
}
