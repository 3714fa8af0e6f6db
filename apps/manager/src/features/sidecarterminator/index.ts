/** Sidecars that end with the main containers of their Pod. */
import type { KindModule } from '../../module/kind-module.ts';
import { sidecarTerminatorController } from './controller.ts';

export const sidecarTerminator: KindModule = {
  controllers: [sidecarTerminatorController],
};
