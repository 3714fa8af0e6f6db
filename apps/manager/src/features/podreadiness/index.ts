/** The readiness gate KruisePodReady and its first condition. */
import type { KindModule } from '../../module/kind-module.ts';
import { podReadinessController } from './controller.ts';
import { readinessGateStep } from './readiness-gate.ts';

export const podReadiness: KindModule = {
  controllers: [podReadinessController],
  podSteps: [{ name: 'readiness-gate', define: ({ gates }) => readinessGateStep(gates) }],
};
