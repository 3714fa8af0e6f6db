/** CloneSet. */
import { cloneSetDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { cloneSetAdmission } from './admission.ts';
import { cloneSetController } from './controller.ts';

export const cloneSet: KindModule = {
  declaration: cloneSetDeclaration,
  controllers: [cloneSetController],
  admission: { handlers: cloneSetAdmission },
};
