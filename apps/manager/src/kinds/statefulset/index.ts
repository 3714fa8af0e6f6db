/** The StatefulSet of group apps.kruise.io. */
import { statefulSetDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { statefulSetAdmission } from './admission.ts';

export const statefulSet: KindModule = {
  declaration: statefulSetDeclaration,
  controllers: async () => [(await import('./controller.ts')).statefulSetController],
  admission: { handlers: statefulSetAdmission },
};
