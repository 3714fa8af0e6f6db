/** BroadcastJob. */
import { broadcastJobDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { broadcastJobAdmission } from './admission.ts';

export const broadcastJob: KindModule = {
  declaration: broadcastJobDeclaration,
  controllers: async () => [(await import('./controller.ts')).broadcastJobController],
  admission: { handlers: broadcastJobAdmission },
};
