/** The DaemonSet of group apps.kruise.io. */
import { daemonSetDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { daemonSetAdmission } from './admission.ts';

export const daemonSet: KindModule = {
  declaration: daemonSetDeclaration,
  controllers: async () => [(await import('./controller.ts')).daemonSetController],
  admission: { handlers: daemonSetAdmission },
};
