/** `controller_runtime_webhook_*`. @see spec/manager.md 3.1 */
import type { WebhookMetrics } from '@kruise/admission';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface PathMetrics extends WebhookMetrics {
  /** Counters of these paths are there from now on, at 0 unless they have counted already. */
  expect(paths: Iterable<string>): void;
}

export function createWebhookMetrics(registry: Registry): PathMetrics {
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
  return {
    expect(paths) {
      for (const webhook of paths) {
        for (const code of ['200', '500']) requests.inc({ webhook, code }, 0);
        inFlight.inc({ webhook }, 0);
      }
    },
    started: (webhook) => inFlight.inc({ webhook }),
    finished(webhook, code, seconds) {
      inFlight.dec({ webhook });
      requests.inc({ webhook, code: String(code) });
      latency.observe({ webhook }, seconds);
    },
    panicked: () => panics.inc(),
  };
}
