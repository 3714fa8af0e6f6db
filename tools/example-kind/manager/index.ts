/** MaintenanceNotice. */
import type { KindModule } from '../../../apps/manager/src/module/kind-module.ts';
import { maintenanceNoticeDeclaration } from '../api/index.ts';
import { maintenanceNoticeAdmission } from './admission.ts';

export const maintenanceNotice: KindModule = {
  declaration: maintenanceNoticeDeclaration,
  controllers: async () => [(await import('./controller.ts')).maintenanceNoticeController],
  admission: { handlers: maintenanceNoticeAdmission },
};
