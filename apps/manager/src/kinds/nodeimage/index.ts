/** NodeImage. */
import { nodeImageDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { nodeImageAdmission } from './admission.ts';
import { nodeImageController } from './controller.ts';

export const nodeImage: KindModule = {
  declaration: nodeImageDeclaration,
  controllers: [nodeImageController],
  admission: { handlers: nodeImageAdmission },
};
