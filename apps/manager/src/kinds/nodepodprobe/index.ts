/** NodePodProbe. */
import { nodePodProbeDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { nodePodProbeController } from './controller.ts';

export const nodePodProbe: KindModule = {
  declaration: nodePodProbeDeclaration,
  controllers: [nodePodProbeController],
};
