import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createControllerMetrics } from './controller-metrics.ts';

it('actions of a controller are counted under its name, with 0 for what never happened', async () => {
  const registry = new Registry();
  const { controller } = createControllerMetrics(registry)('cloneset-controller');
  const valueOf = async (name: string): Promise<string | undefined> =>
    new RegExp(`^${name}\\{controller="cloneset-controller"\\} (.*)$`, 'm').exec(await registry.metrics())?.[1];
  const names = [
    'controller_runtime_terminal_reconcile_errors_total',
    'controller_runtime_reconcile_panics_total',
    'kruise_reconciles_held_back_total',
  ];
  expect(await Promise.all(names.map(valueOf))).toEqual(['0', '0', '0']);
  controller.gaveUp();
  controller.panicked();
  controller.panicked();
  for (let time = 0; time < 3; time++) controller.heldBack();
  expect(await Promise.all(names.map(valueOf))).toEqual(['1', '2', '3']);
});
