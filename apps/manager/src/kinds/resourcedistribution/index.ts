/** ResourceDistribution: its controller and admission. */
import { resourceDistributionDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { resourceDistributionAdmission } from './admission.ts';

export const resourceDistribution: KindModule = {
  declaration: resourceDistributionDeclaration,
  controllers: async () => [(await import('./controller.ts')).resourceDistributionController],
  admission: { handlers: resourceDistributionAdmission },
};
