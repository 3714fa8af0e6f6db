/** `kruise_reconciles_held_back_total`: an increasing value is a defect of the controller that it names. @see spec/manager.md 3.1 */
import { Counter, type Registry } from 'prom-client';

/** Creates the metric once. The returned function returns the counter of one controller, which begins at 0. */
export function createHeldBackCounter(registry: Registry): (controller: string) => () => void {
  const heldBack = new Counter({
    name: 'kruise_reconciles_held_back_total',
    help: 'Reconciles that were delayed because they repeatedly requested an immediate retry although nothing changed.',
    labelNames: ['controller'],
    registers: [registry],
  });
  return (controller) => {
    heldBack.inc({ controller }, 0);
    return () => heldBack.inc({ controller });
  };
}
