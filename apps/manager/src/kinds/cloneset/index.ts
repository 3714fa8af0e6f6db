/** CloneSet. */
import { cloneSetDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { cloneSetAdmission } from './admission.ts';

export const cloneSet: KindModule = {
  declaration: cloneSetDeclaration,
  controllers: async () => [(await import('./controller.ts')).cloneSetController],
  admission: { handlers: cloneSetAdmission },
};
