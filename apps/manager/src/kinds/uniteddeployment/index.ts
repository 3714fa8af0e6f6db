/** UnitedDeployment. */
import { unitedDeploymentDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { unitedDeploymentAdmission } from './admission.ts';

export const unitedDeployment: KindModule = {
  declaration: unitedDeploymentDeclaration,
  controllers: async () => [(await import('./controller.ts')).unitedDeploymentController],
  admission: { handlers: unitedDeploymentAdmission },
};
