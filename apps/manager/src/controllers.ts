/** What the leader does: caches, controllers, events. A standby holds none of it. @see spec/manager.md 5.1 */
import {
  CachingClient,
  ControllerRunner,
  EventLoopTurns,
  EventSink,
  fencedClient,
  Informers,
  untilAborted,
  type Client,
  type Clock,
  type Leadership,
  type Logger,
  type WorkQueue,
} from '@kruise/kube';
import { milliseconds, parseDuration, seconds, type Milliseconds } from '@kruise/objects';
import { resourceWritingFor } from '@kruise/pods';
import { collectGarbageAfter } from '@kruise/process';
import { Caches } from './caches/caches.ts';
import { defineController, loadControllers, updateGuardOf, type ControllerModule, type KindModule } from './module/kind-module.ts';
import type { ControllerDependencies } from './module/controller-dependencies.ts';
import type { RunnerMetrics } from './metrics/controller-metrics.ts';
import type { Options } from './options/options.ts';
import type { Installed } from './process/discovery.ts';
import type { ProtectionRecord } from './process/protection-log.ts';

export interface LeaderParts {
  readonly modules: readonly KindModule[];
  readonly options: Options;
  readonly client: Client;
  /** Events have their own connection, so that they never delay a write. */
  readonly eventClient: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metricsFor: (controller: string) => RunnerMetrics;
  readonly installed: Installed;
  /** The queues of the controllers that run, by controller: filled here, read by metrics. */
  readonly queues: Map<string, WorkQueue>;
  readonly onMissedPod: (reason: string) => void;
  readonly onProtected: (record: ProtectionRecord) => void;
  /** e.g. `v1.34.4`. */
  readonly gitVersion: string;
  readonly host: string;
}

const defaultResync = seconds(10 * 3600);

/** After this time the caches are filled, and what loading controllers and listing objects left behind can be collected. */
const fillingMs = 10_000;

/** `--sync-period`: empty is 10 h, 0 never, and what cannot be read is ignored. */
function resyncPeriod(text: string, logger: Logger): Milliseconds | undefined {
  if (text === '') return defaultResync;
  const period = parseDuration(text);
  if (period === undefined) logger.warn({ syncPeriod: text }, 'Ignoring --sync-period: not a duration');
  return period === undefined ? defaultResync : period === 0 ? undefined : period;
}

/** What the modules define their controllers with. */
function dependenciesOf(parts: LeaderParts, writer: Client, informers: Informers, sink: EventSink): ControllerDependencies {
  const { options, clock, logger } = parts;
  const base: ControllerDependencies = {
    client: writer,
    caches: new Caches(informers, options.flags.namespace),
    recorderFor: (component) => sink.recorder(component),
    clock,
    logger,
    gates: options.gates,
    flags: options.flags,
    installed: parts.installed,
    onMissedPod: parts.onMissedPod,
    onProtected: parts.onProtected,
    podNamespace: options.environment.podNamespace,
    daemonConfigNamespace: options.environment.daemonConfigNamespace,
    resourceWriting: resourceWritingFor(options.gates.InPlaceWorkloadVerticalScaling, parts.gitVersion),
  };
  const updateGuard = updateGuardOf(parts.modules, base);
  return updateGuard === undefined ? base : { ...base, updateGuard };
}

/** The runners of all controllers, which take turns on the event loop. */
function runnersOf(
  parts: LeaderParts,
  controllers: readonly ControllerModule[],
  dependencies: ControllerDependencies,
): readonly ControllerRunner[] {
  const { options, clock, logger } = parts;
  const { flags } = options;
  const turns = new EventLoopTurns();
  return controllers.map((module) => {
    const metrics = parts.metricsFor(module.name);
    return new ControllerRunner(defineController(module, dependencies), {
      clock,
      logger,
      turns,
      metrics: metrics.controller,
      queueMetrics: metrics.queue,
      cacheSyncTimeout: flags['controller-cache-sync-timeout'],
      stopGrace: milliseconds(8000),
      retryLimits: {
        baseDelay: flags['rate-limiter-base-delay'],
        maxDelay: flags['rate-limiter-max-delay'],
        qps: flags['rate-limiter-qps'],
        burst: flags['rate-limiter-bucket-size'],
      },
    });
  });
}

/** Runs every controller until `stop` aborts and all have ended. Throws when caches do not sync or a controller cannot be stopped. */
export async function runControllers(parts: LeaderParts, leadership: Leadership | undefined, stop: AbortSignal): Promise<void> {
  const { options, client, clock, logger } = parts;
  const resyncEvery = resyncPeriod(options.flags['sync-period'], logger);
  const informers = new Informers({ client, clock, logger, ...(resyncEvery === undefined ? {} : { resyncEvery }) });
  const sink = new EventSink({ client: parts.eventClient, clock, logger, host: parts.host });
  const writer = new CachingClient(leadership === undefined ? client : fencedClient(client, leadership), informers);
  const controllers = await loadControllers(parts.modules, options.gates, parts.installed);
  const runners = runnersOf(parts, controllers, dependenciesOf(parts, writer, informers, sink));
  for (const { name, queue } of runners) parts.queues.set(name, queue);
  collectGarbageAfter(fillingMs);
  await runTogether(informers, runners, stop);
  parts.queues.clear();
  await sink.stop();
}

/** The first controller that fails stops the others; caches go last. */
async function runTogether(informers: Informers, runners: readonly ControllerRunner[], stop: AbortSignal): Promise<void> {
  const [failed, cachesDone] = [new AbortController(), new AbortController()];
  const caches = informers.run(cachesDone.signal);
  const either = AbortSignal.any([stop, failed.signal]);
  const runs = runners.map((runner) => runner.run(either).catch((error: unknown) => failed.abort(error)));
  await Promise.all(runs.length > 0 ? runs : [untilAborted(stop)]);
  cachesDone.abort();
  await caches;
  if (failed.signal.aborted) throw failed.signal.reason;
}
