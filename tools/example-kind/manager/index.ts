/** MaintenanceNotice. */
import type { KindModule } from '../../../apps/manager/src/module/kind-module.ts';
import { maintenanceNoticeDeclaration } from '../api/index.ts';
import { maintenanceNoticeAdmission } from './admission.ts';
import { maintenanceNoticeController } from './controller.ts';

export const maintenanceNotice: KindModule = {
  declaration: maintenanceNoticeDeclaration,
  controllers: [maintenanceNoticeController],
  admission: { handlers: maintenanceNoticeAdmission },
};
