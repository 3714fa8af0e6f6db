/** ContainerRecreateRequest. */
import { containerRecreateRequestDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { containerRecreateRequestAdmission } from './admission.ts';

export const containerRecreateRequest: KindModule = {
  declaration: containerRecreateRequestDeclaration,
  controllers: async () => [(await import('./controller.ts')).containerRecreateRequestController],
  admission: { handlers: containerRecreateRequestAdmission },
};
