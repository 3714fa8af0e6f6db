/**
 * Entry point of the webhook thread: the HTTPS server with every handler, on an event loop of its own, so that admission stays fast while
 * controllers work. It has its own client, log and metrics; certificates and the order to stop come from the main thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { WebhookServer, type NeedAhead } from '@kruise/admission';
import { Informers, SystemClock } from '@kruise/kube';
import { collectGarbage, createProgramLogger, listen } from '@kruise/process';
import { Registry } from 'prom-client';
import { createProtectionRecorder } from '../metrics/protection-metrics.ts';
import { createWebhookMetrics } from '../metrics/webhook-metrics.ts';
import { connect } from '../process/connect.ts';
import { isAmong } from '../process/discovery.ts';
import { openProtectionLog } from '../process/protection-log.ts';
import { createHandlers, convert } from './handlers.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';
import { NeedsFeed } from './needs-feed.ts';
import { Questions } from './questions.ts';

/** The main thread gives up a little earlier, and says why. */
const widenTimeoutMs = 8000;

async function serve(data: ThreadData, say: (message: FromThread) => void): Promise<void> {
  const { flags, gates, podNamespace, port, keyPair, installedKinds } = data;
  const logger = createProgramLogger(flags);
  const registry = new Registry();
  const client = connect(flags, { userAgent: 'kruise-manager/webhook' });
  const onProtected = createProtectionRecorder(registry, await openProtectionLog(flags['protection-log-path'], logger));
  const clock = new SystemClock();
  const informers = new Informers({ client, clock, logger });
  const widenings = new Questions();
  const widen = (needs: readonly NeedAhead[], signal: AbortSignal): Promise<void> =>
    widenings.ask((id) => say({ kind: 'Widen', id, needs }), AbortSignal.any([signal, AbortSignal.timeout(widenTimeoutMs)]));
  const dependencies = { client, informers, logger, gates, podNamespace, allowPrivileged: flags['allow-privileged'], onProtected, widen };
  const handlers = createHandlers(dependencies, isAmong(installedKinds));
  const metrics = createWebhookMetrics(
    registry,
    handlers.map(({ path }) => path),
  );
  const webhooks = new WebhookServer({ handlers, convert, metrics, logger, keyPair });

  collectGarbage();
  say({ kind: 'Listening', port: await listen(webhooks.server, { host: '0.0.0.0', port }) });
  // Only now: reading an object that is stored in another version needs the conversion that this very server offers.
  const stop = new AbortController();
  const caches = informers.run(stop.signal);
  const sources = handlers.flatMap(({ needs = [] }) => needs);
  new NeedsFeed(sources, clock, (narrowing) => say({ kind: 'Needs', narrowing })).start();
  // Messages that came before wait for the listener.
  parentPort?.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'UseKeyPair':
        return webhooks.replaceKeyPair(message.keyPair);
      case 'CollectMetrics':
        return void registry.metrics().then((text) => say({ kind: 'Metrics', id: message.id, text }));
      case 'Widened':
        return widenings.answered(message.id, message.failure);
      case 'Drain':
        return webhooks.drain();
      case 'Stop':
        return void webhooks.stop(message.graceMs).then(async () => {
          stop.abort();
          await caches;
          client.close();
          parentPort?.close();
        });
    }
  });
  try {
    await informers.waitForSync(stop.signal);
  } catch {
    return; // told to stop before
  }
  say({ kind: 'Synced' });
}

await serve(workerData as ThreadData, (message) => parentPort?.postMessage(message));
