/** EphemeralJob. */
import { ephemeralJobDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { ephemeralJobAdmission } from './admission.ts';
import { ephemeralJobController } from './controller.ts';

export const ephemeralJob: KindModule = {
  declaration: ephemeralJobDeclaration,
  controllers: [ephemeralJobController],
  admission: { handlers: ephemeralJobAdmission },
};
