/**
 * The webhook thread: the HTTPS server with every handler, on an event loop of its own, so that admission stays fast while controllers work. It
 * has its own client, log and metrics. The main thread sends certificates and stops it.
 */
import { hostname } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { WebhookServer, type AdmissionHandler, type NeedAhead, type WebhookServerOptions } from '@kruise/admission';
import { CachingClient, EventSink, Informers, SystemClock, type Client, type Clock, type Logger } from '@kruise/kube';
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
import { Channel, type ChannelFromThread } from './channel.ts';
import type { ThreadData, ToThread } from './messages.ts';
import { NeedsFeed } from './needs-feed.ts';
import { Questions } from './questions.ts';
import { quickReads, quickWrites } from './quick-reads.ts';

/** After this time caches are filled, and the API server has connected. */
const startUpMs = 5000;

/** The main thread gives up a little earlier and answers with the reason. */
const widenTimeoutMs = 21_000;

interface Served {
  readonly handlers: readonly AdmissionHandler[];
  readonly informers: Informers;
}

/** Runs the caches of what is served and reports the needs of handlers, until `signal` aborts. */
async function keep({ handlers, informers }: Served, clock: Clock, channel: ChannelFromThread, signal: AbortSignal): Promise<void> {
  const caches = informers.run(signal);
  const sources = handlers.flatMap(({ needs = [] }) => needs);
  new NeedsFeed(sources, clock, (narrowing) => channel.post({ kind: 'Needs', narrowing }), signal).start();
  const synced = await informers.waitForSync(signal).then(
    () => true,
    () => false, // stopped before
  );
  if (synced) channel.post({ kind: 'Synced' });
  await caches;
}

/** Returns the dependencies of a set of handlers, which has its own caches. */
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

/** What is opened before the thread serves. */
interface ThreadParts {
  readonly modules: readonly KindModule[];
  readonly data: ThreadData;
  readonly channel: ChannelFromThread;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly onProtected: ReturnType<typeof createProtectionRecorder>;
}

class WebhookThread {
  readonly #parts: ThreadParts;
  readonly #client: Client;
  readonly #clock = new SystemClock();
  readonly #events: EventSink;
  readonly #onSpread: ReturnType<typeof createSpreadCounter>;
  readonly #metrics: ReturnType<typeof createWebhookMetrics>;
  readonly #widenings = new Questions<void>();
  readonly #first: Served;
  readonly #webhooks: WebhookServer;
  #stop = new AbortController();
  #kept: Promise<unknown> = Promise.resolve();

  constructor(parts: ThreadParts) {
    const { data, logger, registry } = parts;
    this.#parts = parts;
    this.#client = connect(data.cluster, data.flags, { userAgent: 'kruise-manager/webhook' });
    this.#events = new EventSink({ client: this.#client, clock: this.#clock, logger, host: hostname() });
    this.#onSpread = createSpreadCounter(registry);
    this.#metrics = createWebhookMetrics(registry);
    this.#first = this.#serveFor(data.installedKinds);
    this.#webhooks = new WebhookServer(this.#serverOptions());
  }

  #serverOptions(): WebhookServerOptions {
    const { keyPair, clientAuthorities } = this.#parts.data;
    const options = { handlers: this.#first.handlers, convert, metrics: this.#metrics, logger: this.#parts.logger, keyPair };
    return clientAuthorities === undefined ? options : { ...options, clientAuthorities };
  }

  #serveFor(kinds: InstalledKinds): Served {
    const { modules, data, logger, onProtected } = this.#parts;
    const informers = new Informers({ client: this.#client, clock: this.#clock, logger });
    const dependencies = {
      ...dependenciesOf(data, this.#client, informers, modules),
      logger,
      onProtected,
      onSpread: this.#onSpread,
      recorderFor: (component: string) => this.#events.recorder(component),
    };
    const widen = (needs: readonly NeedAhead[], signal: AbortSignal): Promise<void> => this.#widen(needs, signal);
    const handlers = createHandlers(modules, dependencies, isAmong(kinds), widen);
    this.#metrics.expect(handlers.map(({ path }) => path));
    return { handlers, informers };
  }

  #widen(needs: readonly NeedAhead[], signal: AbortSignal): Promise<void> {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(widenTimeoutMs)]);
    return this.#widenings.ask((id) => this.#parts.channel.post({ kind: 'Widen', id, needs }), inTime);
  }

  /** Listens, then fills the caches: reading an object that is stored in another version needs the conversion that this server offers. */
  async begin(): Promise<void> {
    const { channel, data } = this.#parts;
    collectGarbage();
    collectGarbageAfter(startUpMs, () => this.#webhooks.isIdle);
    channel.post({ kind: 'Listening', port: await listen(this.#webhooks.server, { host: '', port: data.port }) });
    // Messages that came before this call are kept until now.
    channel.receive((message) => this.#take(message));
    this.#replace(this.#first);
  }

  #replace(served: Served): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#kept = Promise.all([this.#kept, keep(served, this.#clock, this.#parts.channel, this.#stop.signal)]);
  }

  #take(message: ToThread): void {
    switch (message.kind) {
      case 'UseKeyPair':
        return this.#webhooks.replaceKeyPair(message.keyPair);
      case 'UseClientAuthorities':
        return this.#webhooks.replaceClientAuthorities(message.pem);
      case 'UseKinds':
        return this.#useKinds(message.kinds);
      case 'CollectMetrics':
        return void this.#parts.registry.metrics().then((text) => this.#parts.channel.post({ kind: 'Metrics', id: message.id, text }));
      case 'Widened':
        if (message.failure === undefined) return this.#widenings.answered(message.id, undefined);
        return this.#widenings.failed(message.id, message.failure);
      case 'Protected':
        return this.#parts.onProtected(message.record);
      case 'Drain':
        return this.#webhooks.drain();
      case 'Stop':
        return void this.#end(message.graceMs);
    }
  }

  #useKinds(kinds: InstalledKinds): void {
    const served = this.#serveFor(kinds);
    this.#webhooks.replaceHandlers(served.handlers);
    this.#replace(served);
  }

  async #end(graceMs: number): Promise<void> {
    await this.#webhooks.stop(graceMs);
    this.#stop.abort();
    await this.#kept;
    await this.#events.stop();
    this.#client.close();
    this.#parts.channel.close();
  }
}

/**
 * Serves until the main thread sends `Stop`.
 *
 * @param port to the main thread
 */
export async function serveWebhooks(modules: readonly KindModule[], data: ThreadData, port: MessagePort): Promise<void> {
  const logger = createProgramLogger(data.flags);
  const registry = new Registry();
  const onProtected = createProtectionRecorder(registry, await openProtectionLog(data.flags['protection-log-path'], logger));
  const thread = new WebhookThread({ modules, data, channel: new Channel(port), logger, registry, onProtected });
  await thread.begin();
}
