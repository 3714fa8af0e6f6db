/** ImageListPullJob. */
import { imageListPullJobDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { imageListPullJobAdmission } from './admission.ts';
import { imageListPullJobController } from './controller.ts';

export const imageListPullJob: KindModule = {
  declaration: imageListPullJobDeclaration,
  controllers: [imageListPullJobController],
  admission: { handlers: imageListPullJobAdmission },
};
