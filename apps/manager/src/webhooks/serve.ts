/**
 * The webhook thread: the HTTPS server with every handler, on an event loop of its own, so that admission stays fast while controllers work. It
 * has its own client, log and metrics; certificates and the order to stop come from the main thread.
 */
import { hostname } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { WebhookServer, type AdmissionHandler, type NeedAhead } from '@kruise/admission';
import { CachingClient, EventSink, Informers, SystemClock, type Client, type Clock } from '@kruise/kube';
import { collectGarbage, collectGarbageAfter, createProgramLogger, listen } from '@kruise/process';
import { Registry } from 'prom-client';
import { Caches } from '../caches/caches.ts';
import { createProtectionRecorder } from '../metrics/protection-metrics.ts';
import { createSpreadCounter } from '../metrics/spread-metrics.ts';
import { createWebhookMetrics } from '../metrics/webhook-metrics.ts';
import { connect } from '../process/connect.ts';
import { isAmong, type InstalledKinds } from '../process/discovery.ts';
import { openProtectionLog } from '../process/protection-log.ts';
import type { HandlerDependencies } from '../module/handler-dependencies.ts';
import type { KindModule } from '../module/kind-module.ts';
import { dryRunsIn } from './dry-runs.ts';
import { createHandlers, convert } from './handlers.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';
import { NeedsFeed } from './needs-feed.ts';
import { Questions } from './questions.ts';
import { quickReads, quickWrites } from './quick-reads.ts';

/** By then caches are filled, and the API server has connected. */
const startUpMs = 5000;

/** The main thread gives up a little earlier, and says why. */
const widenTimeoutMs = 21_000;

interface Served {
  readonly handlers: readonly AdmissionHandler[];
  readonly informers: Informers;
}

/** Runs the caches of what is served and tells what has to be asked about, until `signal` aborts. */
async function keep({ handlers, informers }: Served, clock: Clock, say: (message: FromThread) => void, signal: AbortSignal): Promise<void> {
  const caches = informers.run(signal);
  const sources = handlers.flatMap(({ needs = [] }) => needs);
  new NeedsFeed(sources, clock, (narrowing) => say({ kind: 'Needs', narrowing }), signal).start();
  const synced = await informers.waitForSync(signal).then(
    () => true,
    () => false, // told to stop before
  );
  if (synced) say({ kind: 'Synced' });
  await caches;
}

/** What handlers read and write by; each set of handlers has caches of its own. */
const dependenciesOf = (
  { flags, gates, kubernetes, podNamespace }: ThreadData,
  client: Client,
  informers: Informers,
  modules: readonly KindModule[],
): HandlerDependencies => ({
  client: quickReads(client),
  writes: quickWrites(
    new CachingClient(client, informers),
    modules.flatMap(({ declaration }) => declaration ?? []),
  ),
  dryRuns: dryRunsIn(podNamespace, client),
  caches: new Caches(informers, ''),
  gates,
  podNamespace,
  allowPrivileged: flags['allow-privileged'],
  kubernetes,
  flags,
});

/**
 * Serves until the main thread says stop.
 *
 * @param port to the main thread
 */
export async function serveWebhooks(modules: readonly KindModule[], data: ThreadData, port: MessagePort): Promise<void> {
  const say = (message: FromThread): void => port.postMessage(message);
  const { flags, keyPair, clientAuthorities, installedKinds } = data;
  const logger = createProgramLogger(flags);
  const registry = new Registry();
  const client = connect(flags, { userAgent: 'kruise-manager/webhook' });
  const onProtected = createProtectionRecorder(registry, await openProtectionLog(flags['protection-log-path'], logger));
  const onSpread = createSpreadCounter(registry);
  const clock = new SystemClock();
  const events = new EventSink({ client, clock, logger, host: hostname() });
  const widenings = new Questions();
  const widen = (needs: readonly NeedAhead[], signal: AbortSignal): Promise<void> =>
    widenings.ask((id) => say({ kind: 'Widen', id, needs }), AbortSignal.any([signal, AbortSignal.timeout(widenTimeoutMs)]));
  const metrics = createWebhookMetrics(registry);
  const serveFor = (kinds: InstalledKinds): Served => {
    const informers = new Informers({ client, clock, logger });
    const dependencies = {
      ...dependenciesOf(data, client, informers, modules),
      logger,
      onProtected,
      onSpread,
      recorderFor: (component: string) => events.recorder(component),
    };
    const handlers = createHandlers(modules, dependencies, isAmong(kinds), widen);
    metrics.expect(handlers.map(({ path }) => path));
    return { handlers, informers };
  };
  const first = serveFor(installedKinds);
  const webhooks = new WebhookServer({
    handlers: first.handlers,
    convert,
    metrics,
    logger,
    keyPair,
    ...(clientAuthorities === undefined ? {} : { clientAuthorities }),
  });

  collectGarbage();
  collectGarbageAfter(startUpMs, () => webhooks.isIdle);
  say({ kind: 'Listening', port: await listen(webhooks.server, { host: '0.0.0.0', port: data.port }) });
  // Only now: reading an object that is stored in another version needs the conversion that this very server offers.
  let [stop, kept] = [new AbortController(), Promise.resolve()];
  const replace = (served: Served): void => {
    stop.abort();
    stop = new AbortController();
    kept = Promise.all([kept, keep(served, clock, say, stop.signal)]).then(() => undefined);
  };
  // Messages that came before wait for the listener.
  port.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'UseKeyPair':
        return webhooks.replaceKeyPair(message.keyPair);
      case 'UseClientAuthorities':
        return webhooks.replaceClientAuthorities(message.pem);
      case 'UseKinds': {
        const served = serveFor(message.kinds);
        webhooks.replaceHandlers(served.handlers);
        return replace(served);
      }
      case 'CollectMetrics':
        return void registry.metrics().then((text) => say({ kind: 'Metrics', id: message.id, text }));
      case 'Widened':
        return widenings.answered(message.id, message.failure);
      case 'Protected':
        return onProtected(message.record);
      case 'Drain':
        return webhooks.drain();
      case 'Stop':
        return void webhooks.stop(message.graceMs).then(async () => {
          stop.abort();
          await kept;
          await events.stop();
          client.close();
          port.close();
        });
    }
  });
  replace(first);
}
