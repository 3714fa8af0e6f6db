/**
 * Runs the manager process: the order of start and stop.
 *
 *   start: client -> server version -> installed kinds -> webhooks (certificates, configurations, server) -> lease -> caches -> controllers
 *   stop:  unready -> controllers -> lease released -> webhooks drained -> servers closed
 *
 * @see spec/manager.md 5.1
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { hostname } from 'node:os';
import { readAuthorities } from '@kruise/admission';
import { formatGates, labels } from '@kruise/api';
import {
  LeaderElector,
  loadClusterConfig,
  runAsLeader,
  serverVersion,
  SystemClock,
  type Client,
  type Clock,
  type ClusterConfig,
  type Leadership,
  type Logger,
  type WorkQueue,
} from '@kruise/kube';
import { milliseconds } from '@kruise/objects';
import {
  collectGarbage,
  createHealthServer,
  createMetricsServer,
  createProfilingServer,
  createRegistry,
  createUnfinishedWorkMetrics,
  type HealthChecks,
  StartError,
  startServer,
} from '@kruise/process';
import { runControllers, type LeaderParts } from './controllers.ts';
import { modules } from './kinds/index.ts';
import { createControllerMetrics, queueLabels } from './metrics/controller-metrics.ts';
import { createMissedPodsCounter } from './metrics/missed-pods-metrics.ts';
import { createProcessMetrics, type ProcessMetrics } from './metrics/process-metrics.ts';
import type { Options } from './options/options.ts';
import { connect, type ConnectOptions } from './process/connect.ts';
import { discoverKinds, isAmong, KnownKinds, type InstalledKinds } from './process/discovery.ts';
import type { ProtectionRecord } from './process/protection-log.ts';
import { WebhookWiring } from './webhooks/webhook-wiring.ts';

/** How long webhooks are served after the replica reported unready, so that the API server stops calling first. */
const drainMs = 2000;
const webhookGraceMs = 3000;

const namespaceFile = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

interface Base {
  readonly options: Options;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly client: Client;
  readonly metrics: ProcessMetrics;
}

function leaseNamespace(options: Options): string {
  const asked = options.flags['leader-election-namespace'];
  if (asked !== '') return asked;
  try {
    return readFileSync(namespaceFile, 'utf8').trim();
  } catch {
    throw new StartError('--leader-election-namespace is empty and there is no service account to take the namespace from');
  }
}

async function startProfiling({ options, logger }: Base): Promise<void> {
  if (!options.flags['enable-pprof']) return;
  const server = createProfilingServer({ heapSnapshots: options.flags['enable-heap-snapshots'] }).unref();
  await startServer(server, options.flags['pprof-addr'], 'pprof-addr').catch((error: unknown) =>
    logger.warn({ error }, 'Failed to serve profiles: the address cannot be used'),
  );
}

/** Runs the controllers until `signal` aborts. All of them restart when more kinds are installed, because some read kinds of others. */
async function runForKinds(
  parts: Omit<LeaderParts, 'installed'>,
  known: KnownKinds,
  leadership: Leadership | undefined,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { kinds, outdated } = known.now;
    await runControllers({ ...parts, installed: isAmong(kinds) }, leadership, AbortSignal.any([signal, outdated]));
  }
}

/** Runs the controllers while this replica leads, or immediately without election. */
async function lead(
  { options, logger, clock, metrics, known }: Base & { readonly known: KnownKinds },
  lease: Client,
  parts: Omit<LeaderParts, 'installed'>,
  stop: AbortSignal,
): Promise<void> {
  const { flags } = options;
  const work = (leadership: Leadership | undefined, signal: AbortSignal): Promise<void> => runForKinds(parts, known, leadership, signal);
  if (!flags['enable-leader-election']) {
    metrics.leading(true);
    return work(undefined, stop);
  }
  const config = {
    lease: { namespace: leaseNamespace(options), name: flags['leader-election-id'] },
    identity: `${hostname()}_${randomUUID()}`,
    leaseDuration: flags['leader-election-lease-duration'],
    renewDeadline: flags['leader-election-renew-deadline'],
    retryPeriod: flags['leader-election-retry-period'],
  };
  const elector = new LeaderElector(config, {
    client: lease,
    clock,
    logger,
    metrics: { leading: (value) => metrics.leading(value), slowPath: () => metrics.slowPath() },
  });
  return runAsLeader(elector, stop, work);
}

async function waitForWebhooks(webhooks: WebhookWiring, { options, logger }: Base, stop: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(options.flags['webhook-initialize-timeout']);
  try {
    await webhooks.controller.waitForInitialisation(AbortSignal.any([timeout, stop]));
    logger.info({}, 'Webhooks are in place');
  } catch (error) {
    if (!stop.aborted)
      throw new StartError(
        `webhooks were not in place after ${options.flags['webhook-initialize-timeout'] / 1000}s: ${error instanceof Error ? error.message : String(error)}`,
      );
  }
}

/** Reads the authorities that identify callers of the webhooks; none where any caller may ask. */
async function readCallers({ options }: Base): Promise<{ readonly clientAuthorities?: string }> {
  const path = options.flags['webhook-client-ca-file'];
  if (path === '') return {};
  try {
    return { clientAuthorities: await readAuthorities(path) };
  } catch (error) {
    throw new StartError(`--webhook-client-ca-file=${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads the server version and the installed kinds. @throws StartError when the API server does not answer */
async function lookAtCluster(
  { client, clock }: Base,
  stop: AbortSignal,
): Promise<{ readonly gitVersion: string; readonly installedKinds: InstalledKinds }> {
  try {
    const { gitVersion } = await serverVersion(client, { signal: stop });
    return { gitVersion, installedKinds: await discoverKinds(client, clock, stop) };
  } catch (error) {
    if (stop.aborted) throw error;
    throw new StartError(`the API server cannot be asked: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface Clients {
  readonly shared: Client;
  readonly lease: Client;
  readonly webhooks: Client;
  readonly events: Client;
}

function connectClients(cluster: ClusterConfig, { flags }: Options, metrics: ProcessMetrics): Clients {
  const connectAs = (userAgent: string, more: Pick<ConnectOptions, 'keepManagedFields'> = {}): Client =>
    connect(cluster, flags, { userAgent, ...more, onRequest: (record) => metrics.requested(record) });
  return {
    shared: connectAs('kruise-manager'),
    lease: connectAs('kruise-manager/leader-election'),
    webhooks: connectAs('kruise-manager/webhook-controller', { keepManagedFields: true }),
    events: connectAs('kruise-manager/events'),
  };
}

function logStart({ options, logger }: Base): void {
  for (const warning of options.warnings) logger.warn({}, warning);
  logger.info({ gates: formatGates(options.gates) }, 'Starting kruise-manager');
  if (!options.gates.ResourcesDeletionProtection)
    logger.info({ label: labels.deleteProtection }, 'Deletion protection is off: the feature gate ResourcesDeletionProtection turns it on');
}

/** What the leader's controllers need of the process. */
function leaderParts(
  base: Base,
  registry: ReturnType<typeof createRegistry>,
  more: Pick<LeaderParts, 'eventClient' | 'onProtected' | 'gitVersion'>,
): Omit<LeaderParts, 'installed'> {
  const queues = new Map<string, WorkQueue>();
  createUnfinishedWorkMetrics(registry, queues, queueLabels);
  return {
    ...base,
    ...more,
    modules,
    queues,
    metricsFor: createControllerMetrics(registry),
    onMissedPod: createMissedPodsCounter(registry),
    host: hostname(),
  };
}

/**
 * Runs until `stop` aborts.
 *
 * @throws StartError when it cannot start, LeadershipLost when the lease was lost, CacheSyncTimeout: the process should end with code 1
 */
export async function runManager(options: Options, logger: Logger, stop: AbortSignal): Promise<void> {
  const clock = new SystemClock();
  const registry = createRegistry();
  const metrics = createProcessMetrics(registry, options.flags['leader-election-id']);
  const cluster = loadClusterConfig({ path: options.flags.kubeconfig });
  const clients = connectClients(cluster, options, metrics);
  const base: Base = { options, logger, clock, metrics, client: clients.shared };
  logStart(base);
  await startProfiling(base);
  const { gitVersion, installedKinds } = await lookAtCluster(base, stop);
  const known = new KnownKinds(installedKinds, base);
  const callers = await readCallers(base);
  const onCrd = (): void => known.lookSoon();
  const [client, eventClient] = [clients.webhooks, clients.events];
  const webhooks = new WebhookWiring({ ...base, ...callers, modules, cluster, client, eventClient, installedKinds, onCrd, gitVersion });
  const ended = new AbortController();
  stop.addEventListener('abort', () => webhooks.host.drain(), { once: true });
  const looking = known.run((kinds) => webhooks.useKinds(kinds), AbortSignal.any([stop, ended.signal]));
  const wiring = Promise.all([webhooks.run(ended.signal), looking]);
  const servers = await startServers(base, webhooks, registry, stop);
  try {
    await waitForWebhooks(webhooks, base, stop);
    // The memory of the start, above all of the CRDs, would stay resident: it is collected before caches are filled. A leader does it again after that.
    collectGarbage();
    const onProtected = (record: ProtectionRecord): void => webhooks.host.protect(record);
    const parts = leaderParts(base, registry, { eventClient, onProtected, gitVersion });
    if (!stop.aborted) await lead({ ...base, known }, clients.lease, parts, stop);
    if (stop.aborted) await clock.sleep(milliseconds(drainMs));
  } finally {
    ended.abort();
    await webhooks.host.stop(webhookGraceMs);
    await wiring;
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    for (const one of Object.values(clients) as readonly Client[]) one.close();
  }
}

/** Serves metrics and probes from the start. The manager is ready when the webhooks are, until the stop begins. */
async function startServers(
  { options }: Base,
  webhooks: WebhookWiring,
  registry: Parameters<typeof createMetricsServer>[0],
  stop: AbortSignal,
): Promise<readonly Server[]> {
  const ready: HealthChecks = {
    'webhook-ready': () => {
      if (stop.aborted) throw new Error('the manager stops');
      return webhooks.checkReady();
    },
  };
  const { 'metrics-addr': metricsAddress, 'health-probe-addr': healthAddress } = options.flags;
  const health = await startServer(
    createHealthServer({ healthz: { ping: () => undefined }, readyz: ready }),
    healthAddress,
    'health-probe-addr',
  );
  if (metricsAddress === '0') return [health];
  return [health, await startServer(createMetricsServer(registry, [() => webhooks.host.metrics()]), metricsAddress, 'metrics-addr')];
}
