/** NodePodProbe. */
import { nodePodProbeDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';

export const nodePodProbe: KindModule = {
  declaration: nodePodProbeDeclaration,
  controllers: async () => [(await import('./controller.ts')).nodePodProbeController],
};
