/**
 * The daemon process from its options to its end.
 *
 *   start: profiles -> /healthz and /metrics -> runtimes looked for, Pods of this node watched -> controllers
 *   stop:  controllers -> watch -> events written -> connections closed
 *
 * Only a faulty configuration or an address in use ends it: a runtime or an API server that is away is waited for.
 *
 * @see spec/daemon.md 2
 */
import type { Server } from 'node:http';
import { formatGates } from '@kruise/api';
import {
  CachingClient,
  ControllerRunner,
  createClient,
  EventLoopTurns,
  EventSink,
  Informers,
  loadClusterConfig,
  SystemClock,
  type Client,
  type ClusterConfig,
  type ControllerDefinition,
  type Informer,
  type Logger,
  type WorkQueue,
} from '@kruise/kube';
import { milliseconds, pods, seconds, type Milliseconds, type Pod } from '@kruise/objects';
import {
  createProfilingServer,
  createQueueMetrics,
  createRegistry,
  createRequestMetrics,
  listen,
  parseListenAddress,
  StartError,
} from '@kruise/process';
import type { Registry } from 'prom-client';
import { ContainerMetaController } from './container-meta/controller.ts';
import { createContainerMetaMetrics } from './container-meta/metrics.ts';
import { Restarter, restartRequest } from './container-meta/restarter.ts';
import type { Options } from './options/options.ts';
import { createDaemonServer } from './process/daemon-server.ts';
import { createRuntimeMetrics, createUnfinishedWorkMetrics } from './process/metrics.ts';
import { planCandidates } from './runtime/plan-candidates.ts';
import { Runtimes } from './runtime/runtimes.ts';

const defaultQps = 20;
const defaultBurst = 30;
/** Of the Pod's 10 s: what runs may end in this time, the rest is for events and connections. */
const stopGrace = seconds(6);
const eventGrace = seconds(1);
/** A node agent has no use for a limit over all its keys: each one waits for itself. */
const noSharedLimit = { qps: 1000, burst: 1000 };

interface Base {
  readonly options: Options;
  readonly logger: Logger;
  readonly clock: SystemClock;
  readonly registry: Registry;
}

/** The Pods of this node and who reads them; absent without the gate DaemonWatchingPod. */
interface PodWatching {
  readonly informers: Informers;
  readonly pods: Informer<Pod>;
  readonly runners: readonly ControllerRunner[];
  readonly sink: EventSink;
  readonly clients: readonly Client[];
}

async function startServer(server: Server, address: string, flag: string): Promise<Server> {
  const parsed = parseListenAddress(address);
  if (parsed === undefined) throw new StartError(`--${flag} must be host:port or :port, not "${address}"`);
  try {
    await listen(server, parsed);
    return server;
  } catch (error) {
    throw new StartError(`--${flag}=${address}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function connect(
  { flags }: Options,
  config: ClusterConfig,
  userAgent: string,
  registryCount: ReturnType<typeof createRequestMetrics>,
): Client {
  const qps = flags['rest-config-qps'] > 0 ? flags['rest-config-qps'] : defaultQps;
  const burst = flags['rest-config-burst'] > 0 ? flags['rest-config-burst'] : defaultBurst;
  return createClient(config, { userAgent, qps, burst, onRequest: registryCount });
}

interface RetryTimes {
  readonly baseDelay: Milliseconds;
  readonly maxDelay: Milliseconds;
}

function newRunner(
  definition: ControllerDefinition,
  base: Base,
  shared: { readonly turns: EventLoopTurns; readonly metricsFor: ReturnType<typeof createQueueMetrics> },
  times: RetryTimes,
): ControllerRunner {
  return new ControllerRunner(definition, {
    clock: base.clock,
    logger: base.logger,
    turns: shared.turns,
    queueMetrics: shared.metricsFor(definition.name),
    retryLimits: { ...times, ...noSharedLimit },
    // An API server that is away for long is waited for; /healthz tells.
    cacheSyncTimeout: seconds(365 * 86_400),
    stopGrace,
  });
}

function watchPods(base: Base, runtimes: Runtimes): PodWatching {
  const { options, logger, clock, registry } = base;
  const config = loadClusterConfig({ path: options.flags.kubeconfig });
  const count = createRequestMetrics(registry);
  const clients = {
    shared: connect(options, config, 'kruise-daemon', count),
    meta: connect(options, config, 'kruise-daemon/kruise-daemon-containermeta', count),
  };
  const informers = new Informers({ client: clients.shared, clock, logger });
  const informer = informers.informer(pods, { fieldSelector: `spec.nodeName=${options.nodeName}` });
  const sink = new EventSink({ client: clients.meta, clock, logger, host: options.nodeName });
  const metrics = createContainerMetaMetrics(registry);
  const shared = { turns: new EventLoopTurns(), metricsFor: createQueueMetrics(registry) };
  const restarter = newRunner(
    new Restarter({
      pods: informer.store,
      runtimes,
      clock,
      logger,
      metrics,
      events: sink.recorder('kruise-daemon-containermeta'),
    }).definition(),
    base,
    shared,
    { baseDelay: seconds(3), maxDelay: seconds(600) },
  );
  const meta = newRunner(
    new ContainerMetaController({
      pods: informer,
      client: new CachingClient(clients.meta, informers),
      runtimes,
      logger,
      metrics,
      withEnv: options.gates.InPlaceUpdateEnvFromMetadata,
      restart: (wanted) => {
        const request = restartRequest(wanted);
        if (request !== undefined) restarter.enqueue(request);
      },
    }).definition(),
    base,
    shared,
    { baseDelay: milliseconds(500), maxDelay: milliseconds(50_000 + Math.random() * 5000) },
  );
  return { informers, pods: informer, runners: [meta, restarter], sink, clients: Object.values(clients) };
}

async function startServers(
  { options, registry, logger }: Base,
  runtimes: Runtimes,
  watching: PodWatching | undefined,
): Promise<readonly Server[]> {
  const { flags } = options;
  // Profiles are no reason for a node to go without its agent.
  if (flags['enable-pprof'])
    await startServer(createProfilingServer().unref(), flags['pprof-addr'], 'pprof-addr').catch((error: unknown) =>
      logger.warn({ error }, 'No profiles: the address cannot be used'),
    );
  const synced = (): string | undefined => (watching === undefined || watching.pods.store.synced ? undefined : 'not synced');
  const server = createDaemonServer({ registry, live: { podInformerSynced: synced }, ready: { containerRuntime: () => runtimes.trouble } });
  return [await startServer(server, flags.addr, 'addr')];
}

/**
 * Runs until `stop` aborts.
 *
 * @throws StartError or ConfigError when it cannot start: the process should end with code 1
 */
export async function runDaemon(options: Options, logger: Logger, stop: AbortSignal): Promise<void> {
  const base: Base = { options, logger, clock: new SystemClock(), registry: createRegistry({ measuresEventLoop: false }) };
  for (const warning of options.warnings) logger.warn({}, warning);
  logger.info({ node: options.nodeName, gates: formatGates(options.gates) }, 'Starting kruise-daemon');
  const { flags } = options;
  const runtimes = new Runtimes({
    candidates: planCandidates(flags['socket-file'], flags['host-run-dir']),
    clock: base.clock,
    logger,
    onScan: createRuntimeMetrics(base.registry),
  });
  const watching = options.gates.DaemonWatchingPod ? watchPods(base, runtimes) : undefined;
  const queues = new Map<string, WorkQueue>(watching?.runners.map((runner) => [runner.name, runner.queue]));
  createUnfinishedWorkMetrics(base.registry, queues);
  const servers = await startServers(base, runtimes, watching);
  const [scanning, done] = [new AbortController(), new AbortController()];
  const scans = runtimes.run(scanning.signal);
  const caches = watching?.informers.run(done.signal);
  try {
    await Promise.all([untilAborted(stop), ...(watching?.runners ?? []).map((runner) => runner.run(stop))]);
  } finally {
    done.abort();
    scanning.abort();
    await Promise.all([caches, scans]);
    await watching?.sink.stop(eventGrace);
    for (const client of watching?.clients ?? []) client.close();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    logger.info({}, 'Stopped kruise-daemon');
  }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
