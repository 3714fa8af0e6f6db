/** Sidecars that end with the main containers of their Pod. */
import type { KindModule } from '../../module/kind-module.ts';

export const sidecarTerminator: KindModule = {
  controllers: async () => [(await import('./controller.ts')).sidecarTerminatorController],
};
