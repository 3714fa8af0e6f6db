/** The StatefulSet of group apps.kruise.io. */
import { statefulSetDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { statefulSetAdmission } from './admission.ts';
import { statefulSetController } from './controller.ts';

export const statefulSet: KindModule = {
  declaration: statefulSetDeclaration,
  controllers: [statefulSetController],
  admission: { handlers: statefulSetAdmission },
};
