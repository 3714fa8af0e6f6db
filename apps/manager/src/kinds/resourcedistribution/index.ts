/** ResourceDistribution: its controller and admission. */
import { resourceDistributionDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { resourceDistributionAdmission } from './admission.ts';
import { resourceDistributionController } from './controller.ts';

export const resourceDistribution: KindModule = {
  declaration: resourceDistributionDeclaration,
  controllers: [resourceDistributionController],
  admission: { handlers: resourceDistributionAdmission },
};
