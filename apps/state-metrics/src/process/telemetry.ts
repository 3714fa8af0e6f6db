/** The metrics of this process. @see spec/kruise-state-metrics.md 5 */
import { createRegistry } from '@kruise/process';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { version } from '../options/version.ts';
import type { Sharding } from '../sharding/shard-of.ts';
import type { CallRecorder } from './list-watch.ts';

/** The name that the original exports, and the one that its alerts request. */
const prefixes = ['kube_state_metrics', 'kruise_state_metrics'] as const;

export interface Telemetry {
  readonly registry: Registry;
  readonly recorderOf: (goType: string) => CallRecorder;
  readonly setSharding: (sharding: Sharding) => void;
  /** @param method of HTTP, in any case */
  readonly observeScrape: (method: string, seconds: number) => void;
}

function callCounters(registry: Registry, calls: 'list' | 'watch'): (result: string, resource: string) => void {
  const counters = prefixes.map(
    (prefix) =>
      new Counter({
        name: `${prefix}_${calls}_total`,
        help: `Number of ${calls} calls to the API server.`,
        labelNames: ['result', 'resource'],
        registers: [registry],
      }),
  );
  return (result, resource) => counters.forEach((counter) => counter.inc({ result, resource }));
}

function shardGauges(registry: Registry): (sharding: Sharding) => void {
  const registers = [registry];
  const gauges = prefixes.map((prefix) => ({
    ordinal: new Gauge({ name: `${prefix}_shard_ordinal`, help: 'The shard of this process.', labelNames: ['shard_ordinal'], registers }),
    total: new Gauge({ name: `${prefix}_total_shards`, help: 'Number of shards that this process knows of.', registers }),
  }));
  return ({ shard, totalShards }) => {
    for (const { ordinal, total } of gauges) {
      ordinal.reset();
      ordinal.set({ shard_ordinal: String(shard) }, shard);
      total.set(totalShards);
    }
  };
}

function addBuildInfo(registry: Registry): void {
  new Gauge({
    name: 'kruise_state_metrics_build_info',
    help: 'The build that runs; the value is 1.',
    labelNames: ['version', 'revision', 'branch', 'goversion', 'nodeversion'],
    registers: [registry],
  }).set({ version, revision: '', branch: '', goversion: '', nodeversion: process.version }, 1);
}

export function createTelemetry(): Telemetry {
  const registry = createRegistry({ measuresEventLoop: false });
  const countList = callCounters(registry, 'list');
  const countWatch = callCounters(registry, 'watch');
  addBuildInfo(registry);
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer requests for the metrics of objects.',
    labelNames: ['handler', 'method'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return {
    registry,
    recorderOf: (resource) => ({
      listed: (result) => countList(result, resource),
      watched: (result) => countWatch(result, resource),
    }),
    setSharding: shardGauges(registry),
    observeScrape: (method, seconds) => durations.observe({ handler: 'metrics', method: method.toLowerCase() }, seconds),
  };
}
