/** ImagePullJob. */
import { imagePullJobDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { imagePullJobAdmission } from './admission.ts';
import { imagePullJobController } from './controller.ts';

export const imagePullJob: KindModule = {
  declaration: imagePullJobDeclaration,
  controllers: [imagePullJobController],
  admission: { handlers: imagePullJobAdmission },
};
