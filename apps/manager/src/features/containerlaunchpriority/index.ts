/** Containers of a Pod that start in an order. */
import type { KindModule } from '../../module/kind-module.ts';
import { launchPriorityStep } from './admission.ts';

export const containerLaunchPriority: KindModule = {
  controllers: async () => [(await import('./controller.ts')).containerLaunchPriorityController],
  podSteps: [{ name: 'container-launch-priority', define: () => launchPriorityStep(Math.random) }],
};
