import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createHeldBackCounter } from './held-back-counter.ts';

it('reconciles that were held back are counted for each controller, from 0 on', async () => {
  const registry = new Registry();
  const heldBackOf = createHeldBackCounter(registry);
  const count = heldBackOf('cloneset-controller');
  heldBackOf('imagepuller');
  count();
  count();
  const text = await registry.metrics();
  expect(text).toContain('kruise_reconciles_held_back_total{controller="cloneset-controller"} 2');
  expect(text).toContain('kruise_reconciles_held_back_total{controller="imagepuller"} 0');
});
