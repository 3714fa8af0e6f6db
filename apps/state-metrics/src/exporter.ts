/**
 * The exporter from its options to its end.
 *
 *   start: web configuration -> version of the API server -> servers -> shard -> kinds
 *   stop:  servers -> watches -> connections closed
 *
 * A faulty option, an address in use or an API server that does not answer at the start ends it with code 1. Afterwards an API server that is
 * away is waited for, and what is known of the objects stays in the output.
 */
import type { Server } from 'node:http';
import {
  createClient,
  loadClusterConfig,
  ObjectSharing,
  serverVersion,
  SystemClock,
  untilAborted,
  type Client,
  type ClusterConfig,
  type Logger,
} from '@kruise/kube';
import { listen, StartError } from '@kruise/process';
import type { Options } from './options/options.ts';
import { version } from './options/version.ts';
import { followShard } from './process/follow-shard.ts';
import { Guard } from './process/guard.ts';
import { KindWatch } from './process/kind-watch.ts';
import { createMetricsServer, createTelemetryServer } from './process/metrics-server.ts';
import { createTelemetry, type Telemetry } from './process/telemetry.ts';
import type { Sharding } from './sharding/shard-of.ts';

interface Base {
  readonly options: Options;
  readonly logger: Logger;
  readonly clock: SystemClock;
  readonly client: Client;
  readonly telemetry: Telemetry;
  readonly guard: Guard;
}

/** Where the API server is: `--apiserver` takes the place of the address, and alone is enough for a server without authentication. */
function clusterConfigOf({ flags }: Options): ClusterConfig {
  const { apiserver, kubeconfig } = flags;
  if (apiserver === '') return loadClusterConfig({ path: kubeconfig });
  if (!URL.canParse(apiserver)) throw new StartError(`--apiserver must be a URL, not "${apiserver}"`);
  if (kubeconfig === '') return { server: apiserver, user: {}, namespace: 'default' };
  return { ...loadClusterConfig({ path: kubeconfig }), server: apiserver };
}

async function checkApiServer({ client, logger }: Base, stop: AbortSignal): Promise<void> {
  try {
    const { gitVersion } = await serverVersion(client, { signal: stop });
    logger.info({ version: gitVersion }, 'Connected to the API server');
  } catch (error) {
    stop.throwIfAborted();
    throw new StartError(`the API server cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function startServer(
  server: Server,
  host: string,
  { port, guard, flag }: { port: number; guard: Guard; flag: string },
): Promise<Server> {
  try {
    await listen(server, { host, port });
    guard.watch(server);
    return server;
  } catch (error) {
    throw new StartError(`--${flag}=${port}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function startServers({ options, telemetry, guard }: Base, kinds: readonly KindWatch[]): Promise<readonly Server[]> {
  const { flags } = options;
  const shown = kinds.map((kind) => ({ families: kind.families, objects: () => kind.objects() }));
  const metrics = createMetricsServer({ kinds: shown, gzip: flags['enable-gzip-encoding'], telemetry, guard });
  return [
    await startServer(createTelemetryServer(telemetry, guard), flags['telemetry-host'], {
      port: flags['telemetry-port'],
      guard,
      flag: 'telemetry-port',
    }),
    await startServer(metrics, flags.host, { port: flags.port, guard, flag: 'port' }),
  ];
}

const watchesOf = ({ options, client, clock, logger, telemetry }: Base): readonly KindWatch[] => {
  const { flags, exported, namespaces } = options;
  const shared = { client, clock, logger, namespaces, sharing: new ObjectSharing(), useCache: flags['use-apiserver-cache'] };
  return exported.map((kind) => new KindWatch(kind, { ...shared, recorderOf: telemetry.recorderOf }));
};

/** Runs the watches of one shard after those of the former have ended. */
class ShardedWatches {
  readonly #base: Base;
  readonly #kinds: readonly KindWatch[];
  readonly #stop: AbortSignal;
  #current: AbortController | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(base: Base, kinds: readonly KindWatch[], stop: AbortSignal) {
    this.#base = base;
    this.#kinds = kinds;
    this.#stop = stop;
  }

  readonly take = (sharding: Sharding): void => {
    this.#base.logger.info({ ...sharding }, 'Exporting shard');
    this.#base.telemetry.setSharding(sharding);
    this.#current?.abort();
    const current = new AbortController();
    this.#current = current;
    const until = AbortSignal.any([this.#stop, current.signal]);
    this.#ended = this.#ended.then(() => Promise.all(this.#kinds.map((kind) => kind.run(sharding, until))));
  };

  /** Once every watch has ended. */
  async ended(): Promise<void> {
    await this.#ended;
  }
}

async function watchShard(base: Base, watches: ShardedWatches, stop: AbortSignal): Promise<void> {
  const { client, clock, logger, options } = base;
  if (options.pod === undefined) {
    watches.take(options.sharding);
    return untilAborted(stop);
  }
  await followShard({ client, clock, logger, pod: options.pod, onShard: watches.take }, stop);
}

/**
 * Runs until `stop` aborts.
 *
 * @throws StartError or ConfigError when it cannot start
 */
export async function runExporter(options: Options, logger: Logger, stop: AbortSignal): Promise<void> {
  for (const warning of options.warnings) logger.warn({}, warning);
  logger.info({ version, resources: options.exported.map(({ kind }) => kind.resource) }, 'Starting kruise-state-metrics');
  const guard = new Guard(options.flags['tls-config']);
  const client = createClient(clusterConfigOf(options), { userAgent: `kruise-state-metrics/${version}` });
  const base: Base = { options, logger, clock: new SystemClock(), client, telemetry: createTelemetry(), guard };
  const done = new AbortController();
  const until = AbortSignal.any([stop, done.signal]);
  let servers: readonly Server[] = [];
  try {
    await checkApiServer(base, stop);
    const kinds = watchesOf(base);
    servers = await startServers(base, kinds);
    const watches = new ShardedWatches(base, kinds, until);
    const reading = guard.run(base, until);
    try {
      await watchShard(base, watches, stop);
    } finally {
      done.abort();
      await Promise.all([watches.ended(), reading]);
    }
  } finally {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    client.close();
    logger.info({}, 'Stopped kruise-state-metrics');
  }
}
