/**
 * The daemon process from its options to its end.
 *
 *   start: profiles -> /healthz and /metrics -> runtimes searched, Pods of this node watched -> controllers
 *   stop:  controllers -> watch -> events written -> connections closed
 *
 * Only a faulty configuration or an address in use ends it: an unreachable runtime or API server is waited for. When no runtime is found at all,
 * /healthz reports it after a minute, and the exit code reports it when the process is ended then.
 *
 * @see spec/daemon.md 2, spec/helm-chart.md 14
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
  untilAborted,
  type Client,
  type ClusterConfig,
  type Informer,
  type Logger,
  type WorkQueue,
} from '@kruise/kube';
import { milliseconds, pods, seconds, type Pod } from '@kruise/objects';
import {
  createHeldBackCounter,
  createProfilingServer,
  createQueueMetrics,
  createUnfinishedWorkMetrics,
  createRegistry,
  createRequestMetrics,
  StartError,
  startServer,
} from '@kruise/process';
import type { Registry } from 'prom-client';
import { defineNodeParts } from './controllers.ts';
import type { NodeController, NodePart } from './node-part.ts';
import type { Options } from './options/options.ts';
import { createDaemonServer } from './process/daemon-server.ts';
import { createRuntimeMetrics } from './process/metrics.ts';
import { planCandidates } from './runtime/plan-candidates.ts';
import { Runtimes } from './runtime/runtimes.ts';

const defaultQps = 20;
const defaultBurst = 30;
/** Of the Pod's 10 s: running work may end in this time, the rest is for events and connections. */
const stopGrace = seconds(6);
const eventGrace = seconds(1);
/** As long as the kubelet waits before its first check: a socket may appear late, a mount of the wrong directory never has one. */
const runtimePatience = seconds(60);
/** A node agent needs no limit over all its keys: each one waits for itself. */
const noSharedLimit = { qps: 1000, burst: 1000 };

interface Base {
  readonly options: Options;
  readonly logger: Logger;
  readonly clock: SystemClock;
  readonly registry: Registry;
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

/** Everything the agent does through the API server, and what to close at its end. */
interface Work {
  readonly parts: readonly NodePart[];
  readonly runners: readonly ControllerRunner[];
  readonly informers: Informers;
  /** The Pods of this node; absent without the gate DaemonWatchingPod. */
  readonly pods: Informer<Pod> | undefined;
  readonly sink: EventSink;
  readonly clients: readonly Client[];
}

function newRunner(
  { definition, retry }: NodeController,
  { clock, logger }: Base,
  shared: {
    readonly turns: EventLoopTurns;
    readonly metricsFor: ReturnType<typeof createQueueMetrics>;
    readonly heldBackOf: ReturnType<typeof createHeldBackCounter>;
  },
): ControllerRunner {
  return new ControllerRunner(definition, {
    clock,
    logger,
    turns: shared.turns,
    metrics: { heldBack: shared.heldBackOf(definition.name) },
    queueMetrics: shared.metricsFor(definition.name),
    retryLimits: { ...retry, ...noSharedLimit },
    // An API server that is unreachable for long is waited for; /healthz reports it.
    cacheSyncTimeout: seconds(365 * 86_400),
    stopGrace,
  });
}

function defineWork(base: Base, runtimes: Runtimes): Work {
  const { options, logger, clock, registry } = base;
  const config = loadClusterConfig({ path: options.flags.kubeconfig });
  const count = createRequestMetrics(registry);
  const clients: Client[] = [];
  const connectAs = (userAgent: string): Client => {
    const client = connect(options, config, userAgent, count);
    clients.push(client);
    return client;
  };
  const shared = connectAs('kruise-daemon');
  const informers = new Informers({ client: shared, clock, logger });
  const sink = new EventSink({ client: shared, clock, logger, host: options.nodeName });
  const podsOfNode = options.gates.DaemonWatchingPod
    ? informers.informer(pods, { fieldSelector: `spec.nodeName=${options.nodeName}` })
    : undefined;
  const parts = defineNodeParts({
    ...options,
    clock,
    logger,
    registry,
    runtimes,
    informers,
    pods: podsOfNode,
    clientFor: (component) => new CachingClient(connectAs(`kruise-daemon/${component}`), informers),
    recorderFor: (component) => sink.recorder(component),
  });
  const runnerParts = {
    turns: new EventLoopTurns(),
    metricsFor: createQueueMetrics(registry),
    heldBackOf: createHeldBackCounter(registry),
  };
  const runners = parts.flatMap(({ controllers }) => controllers).map((controller) => newRunner(controller, base, runnerParts));
  return { parts, runners, informers, pods: podsOfNode, sink, clients };
}

async function startServers({ options, registry, logger }: Base, runtimes: Runtimes, work: Work): Promise<readonly Server[]> {
  const { flags } = options;
  // Missing profiles are no reason for a node to run without its agent.
  if (flags['enable-pprof'])
    await startServer(
      createProfilingServer({ heapSnapshots: flags['enable-heap-snapshots'] }).unref(),
      flags['pprof-addr'],
      'pprof-addr',
    ).catch((error: unknown) => logger.warn({ error }, 'Failed to serve profiles: the address cannot be used'));
  const podsSynced = (): string | undefined => (work.pods === undefined || work.pods.store.synced ? undefined : 'not synced');
  const live = Object.fromEntries([
    ['podInformerSynced', podsSynced] as const,
    ...work.parts.flatMap((part) => Object.entries(part.live ?? {})),
    ['containerRuntime', () => runtimes.neverFoundFor(runtimePatience)] as const,
  ]);
  const server = createDaemonServer({ registry, live, ready: { containerRuntime: () => runtimes.trouble } });
  return [await startServer(server, flags.addr, 'addr')];
}

/**
 * Runs until `stop` aborts.
 *
 * @throws StartError or ConfigError when it cannot start, and StartError when it was stopped before it found any runtime: the process should end with
 * code 1
 */
export async function runDaemon(options: Options, logger: Logger, stop: AbortSignal): Promise<void> {
  const base: Base = { options, logger, clock: new SystemClock(), registry: createRegistry({ measuresEventLoop: false }) };
  for (const warning of options.warnings) logger.warn({}, warning);
  logger.info({ node: options.nodeName, gates: formatGates(options.gates) }, 'Starting kruise-daemon');
  const { flags } = options;
  const runtimes = new Runtimes({
    candidates: planCandidates(flags['socket-file'], flags['host-run-dir'], process.platform),
    clock: base.clock,
    logger,
    onScan: createRuntimeMetrics(base.registry),
  });
  const work = defineWork(base, runtimes);
  const queues = new Map<string, WorkQueue>(work.runners.map((runner) => [runner.name, runner.queue]));
  createUnfinishedWorkMetrics(base.registry, queues);
  const servers = await startServers(base, runtimes, work);
  const [scanning, done] = [new AbortController(), new AbortController()];
  const scans = runtimes.run(scanning.signal);
  const caches = work.informers.run(done.signal);
  try {
    const running = [...work.runners.map((runner) => runner.run(stop)), ...work.parts.map((part) => part.run?.(stop))];
    await Promise.all([untilAborted(stop), ...running]);
  } finally {
    done.abort();
    scanning.abort();
    await Promise.all([caches, scans]);
    await work.sink.stop(eventGrace);
    for (const client of work.clients) client.close();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    logger.info({}, 'Stopped kruise-daemon');
  }
  const trouble = runtimes.neverFoundFor(milliseconds(0));
  if (trouble !== undefined) throw new StartError(`stopped without having found a container runtime: ${trouble}`);
}
