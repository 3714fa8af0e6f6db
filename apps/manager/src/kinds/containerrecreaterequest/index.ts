export { containerRecreateRequestAdmission } from './admission.ts';
export { containerRecreateRequestController } from './controller.ts';
