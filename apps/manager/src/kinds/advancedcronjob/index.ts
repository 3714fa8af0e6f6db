/** AdvancedCronJob. */
import { advancedCronJobDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { advancedCronJobAdmission } from './admission.ts';

export const advancedCronJob: KindModule = {
  declaration: advancedCronJobDeclaration,
  controllers: async () => [(await import('./controller.ts')).advancedCronJobController],
  admission: { handlers: advancedCronJobAdmission },
};
