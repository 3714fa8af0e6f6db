/** ImageListPullJob. */
import { imageListPullJobDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { imageListPullJobAdmission } from './admission.ts';

export const imageListPullJob: KindModule = {
  declaration: imageListPullJobDeclaration,
  controllers: async () => [(await import('./controller.ts')).imageListPullJobController],
  admission: { handlers: imageListPullJobAdmission },
};
