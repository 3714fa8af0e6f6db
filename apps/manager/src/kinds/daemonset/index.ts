/** The DaemonSet of group apps.kruise.io. */
import { daemonSetDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { daemonSetAdmission } from './admission.ts';
import { daemonSetController } from './controller.ts';

export const daemonSet: KindModule = {
  declaration: daemonSetDeclaration,
  controllers: [daemonSetController],
  admission: { handlers: daemonSetAdmission },
};
