/** The readiness gate KruisePodReady and its first condition. */
import type { KindModule } from '../../module/kind-module.ts';
import { readinessGateStep } from './readiness-gate.ts';

export const podReadiness: KindModule = {
  controllers: async () => [(await import('./controller.ts')).podReadinessController],
  podSteps: [{ name: 'readiness-gate', define: ({ gates }) => readinessGateStep(gates) }],
};
