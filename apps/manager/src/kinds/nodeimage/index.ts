/** NodeImage. */
import { nodeImageDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { nodeImageAdmission } from './admission.ts';

export const nodeImage: KindModule = {
  declaration: nodeImageDeclaration,
  controllers: async () => [(await import('./controller.ts')).nodeImageController],
  admission: { handlers: nodeImageAdmission },
};
