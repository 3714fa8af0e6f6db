/** AdvancedCronJob. */
import { advancedCronJobDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { advancedCronJobAdmission } from './admission.ts';
import { advancedCronJobController } from './controller.ts';

export const advancedCronJob: KindModule = {
  declaration: advancedCronJobDeclaration,
  controllers: [advancedCronJobController],
  admission: { handlers: advancedCronJobAdmission },
};
