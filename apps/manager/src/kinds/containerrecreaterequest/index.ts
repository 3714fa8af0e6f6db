/** ContainerRecreateRequest. */
import { containerRecreateRequestDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { containerRecreateRequestAdmission } from './admission.ts';
import { containerRecreateRequestController } from './controller.ts';

export const containerRecreateRequest: KindModule = {
  declaration: containerRecreateRequestDeclaration,
  controllers: [containerRecreateRequestController],
  admission: { handlers: containerRecreateRequestAdmission },
};
