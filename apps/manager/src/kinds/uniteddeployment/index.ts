/** UnitedDeployment. */
import { unitedDeploymentDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { unitedDeploymentAdmission } from './admission.ts';
import { unitedDeploymentController } from './controller.ts';

export const unitedDeployment: KindModule = {
  declaration: unitedDeploymentDeclaration,
  controllers: [unitedDeploymentController],
  admission: { handlers: unitedDeploymentAdmission },
};
