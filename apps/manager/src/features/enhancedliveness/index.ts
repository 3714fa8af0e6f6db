/** Liveness probes that another component takes over. */
import type { KindModule } from '../../module/kind-module.ts';
import { enhancedLivenessStep } from './enhanced-liveness.ts';

export const enhancedLiveness: KindModule = {
  podSteps: [{ name: 'enhanced-liveness', define: ({ gates }) => enhancedLivenessStep(gates) }],
};
