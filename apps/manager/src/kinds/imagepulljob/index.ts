/** ImagePullJob. */
import { imagePullJobDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { imagePullJobAdmission } from './admission.ts';

export const imagePullJob: KindModule = {
  declaration: imagePullJobDeclaration,
  controllers: async () => [(await import('./controller.ts')).imagePullJobController],
  admission: { handlers: imagePullJobAdmission },
};
