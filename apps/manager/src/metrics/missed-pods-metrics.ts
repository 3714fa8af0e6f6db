/** Pods that were created past the Pod webhook. @see docs/webhook-safety.md */
import { Counter, type Registry } from 'prom-client';

/** Counts one under its reason; both reasons are there from the start, at 0. */
export function createMissedPodsCounter(registry: Registry): (reason: string) => void {
  const counter = new Counter({
    name: 'kruise_pod_webhook_missed_total',
    help: 'Pods that were created past the Pod webhook and lack what it would have added.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of ['kruise-workload', 'sidecarset']) counter.inc({ reason }, 0);
  return (reason) => counter.inc({ reason });
}
