/** BroadcastJob. */
import { broadcastJobDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { broadcastJobAdmission } from './admission.ts';
import { broadcastJobController } from './controller.ts';

export const broadcastJob: KindModule = {
  declaration: broadcastJobDeclaration,
  controllers: [broadcastJobController],
  admission: { handlers: broadcastJobAdmission },
};
