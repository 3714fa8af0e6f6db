/** The metrics of the daemon besides its controllers: the runtimes. @see spec/daemon.md 7 */
import { Gauge, type Registry } from 'prom-client';
import type { CriRuntime } from '../runtime/runtimes.ts';

/** Returns a function to call with the runtimes after each scan. */
export function createRuntimeMetrics(registry: Registry): (runtimes: readonly CriRuntime[]) => void {
  const gauge = new Gauge({
    name: 'kruise_daemon_runtime_info',
    help: 'The container runtimes in use; the value is always 1.',
    labelNames: ['name', 'version', 'socket'],
    registers: [registry],
  });
  return (runtimes) => {
    gauge.reset();
    for (const { name, version, socket } of runtimes) gauge.set({ name, version, socket }, 1);
  };
}
