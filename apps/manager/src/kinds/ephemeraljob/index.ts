/** EphemeralJob. */
import { ephemeralJobDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { ephemeralJobAdmission } from './admission.ts';

export const ephemeralJob: KindModule = {
  declaration: ephemeralJobDeclaration,
  controllers: async () => [(await import('./controller.ts')).ephemeralJobController],
  admission: { handlers: ephemeralJobAdmission },
};
