/** `controller_runtime_webhook_*`. @see spec/manager.md 3.1 */
import type { WebhookMetrics } from '@kruise/admission';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Counters of every path are there from the start, at 0. */
export function createWebhookMetrics(registry: Registry, paths: Iterable<string>): WebhookMetrics {
  const registers = [registry];
  const latency = new Histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'Time to answer an admission request.',
    labelNames: ['webhook'],
    registers,
  });
  const requests = new Counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Admission requests by HTTP code.',
    labelNames: ['webhook', 'code'],
    registers,
  });
  const inFlight = new Gauge({
    name: 'controller_runtime_webhook_requests_in_flight',
    help: 'Admission requests being answered.',
    labelNames: ['webhook'],
    registers,
  });
  const panics = new Counter({ name: 'controller_runtime_webhook_panics_total', help: 'Admission handlers that threw.', registers });
  for (const webhook of paths) {
    for (const code of ['200', '500']) requests.inc({ webhook, code }, 0);
    inFlight.set({ webhook }, 0);
  }
  return {
    started: (webhook) => inFlight.inc({ webhook }),
    finished(webhook, code, seconds) {
      inFlight.dec({ webhook });
      requests.inc({ webhook, code: String(code) });
      latency.observe({ webhook }, seconds);
    },
    panicked: () => panics.inc(),
  };
}
